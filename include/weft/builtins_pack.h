// The head of builtins.pack (lib/kernel-builtins/README.md). weft-pack writes it, weftc reads it, and the
// driver takes the hash from it.
#ifndef WEFT_BUILTINS_PACK_H
#define WEFT_BUILTINS_PACK_H

#define WEFT_PACK_MAGIC 0x4b504257u // "WBPK"
#define WEFT_PACK_VERSION 2u
#define WEFT_PACK_HASH_OFFSET 48u // u64 u64: of everything behind the head
#define WEFT_PACK_HEADER_BYTES 64u

#endif
