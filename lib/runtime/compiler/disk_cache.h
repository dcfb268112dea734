// The disk cache of programs and of code of kernels. Any entry may be lost at any time and is then created
// again. WEFT_CACHE_DIR may name several folders: the first is written, all are read.
#ifndef WEFT_RUNTIME_CACHE_H
#define WEFT_RUNTIME_CACHE_H

#include "base/base.h"
#include "base/cache_entry.h"

// Is there a usable cache folder? False in set-uid programs. Any thread.
bool weft_cache_enabled(void);

// A hash that every key begins with: the kind of processor, what the compiler's files contain, the versions
// and all settings that change code. Doesn't need a running compiler, nor even an installed one.
struct weft_hash weft_cache_identity(void);

// Loads an entry from the first folder that has it. WEFT_OK: *bytes is the caller's (weft_free). Other
// results: there is no valid entry.
weft_status weft_cache_load(enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes, size_t *size);

// What says to other processes that this one makes an entry.
struct weft_cache_claim {
    enum weft_cache_kind kind;
    struct weft_hash key, who; // who: of the claim's text (cache_claim.c)
    bool held;
};

// Called after an entry wasn't found, and before it is made. If no process makes it, this one claims it.
// Otherwise it waits for as long as the other one is at it. If that one dies or is stopped, one of those that
// wait takes the claim. True: another process has made it, or two have given it up, so look once more, and
// make it if it still isn't there. False: make it. Pass *claim to weft_cache_store or weft_cache_unclaim.
bool weft_cache_await(enum weft_cache_kind kind, struct weft_hash key, struct weft_cache_claim *claim);
void weft_cache_unclaim(struct weft_cache_claim *claim);

// Stores now what waits for the background and is claimed.
void weft_cache_store_claimed(void);

// Stores an entry in the background, after the call has returned. Takes over the contents of *bytes and
// empties it. Reports no errors. claim: given up when the entry is stored; may be NULL.
void weft_cache_store(enum weft_cache_kind kind, struct weft_hash key, struct weft_buf *bytes,
                      struct weft_cache_claim *claim);

// For tests: stores an entry at once, as the background thread does.
weft_status weft_cache_write(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size);

// The folder in it with files for debuggers (debug_files.h), which trimming knows: folders that hold files.
#define WEFT_CACHE_DEBUG "debug"
// Removes such a folder with its files. in: the descriptor of the folder that it is in.
void weft_cache_remove_folder(int in, const char *name);

// Path of another file in the cache folder; the caller's. NULL: there is no usable folder.
char *weft_cache_path(const char *name);

// Creates a private file in the cache folder that may be mapped executable, for systems where memory files
// may not be. *path: the caller's, who unlinks the file. Returns its descriptor, or -1.
int weft_cache_private_file(char **path);

#endif
