// Marks storage that nobody may use, for the address sanitizer. Without it the marks cost nothing.
#ifndef WEFT_RUNTIME_MEMORY_POISON_H
#define WEFT_RUNTIME_MEMORY_POISON_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h> // not installed everywhere
#define WEFT_POISONS 1
#define WEFT_POISON(at, bytes) ASAN_POISON_MEMORY_REGION(at, bytes)
#define WEFT_UNPOISON(at, bytes) ASAN_UNPOISON_MEMORY_REGION(at, bytes)
#endif
#endif
#ifndef WEFT_POISON
#define WEFT_POISONS 0
#define WEFT_POISON(at, bytes) ((void)(at), (void)(bytes))
#define WEFT_UNPOISON(at, bytes) ((void)(at), (void)(bytes))
#endif

#endif
