// What fuzz targets share. A target defines LLVMFuzzerTestOneInput; the preset `fuzz` links it with
// libFuzzer, the others with replay.c, which runs the stored corpus and some thousand mutants of it as a
// test.
#ifndef WEFT_TESTS_FUZZ_H
#define WEFT_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
// One input that the target thinks interesting, for replay.c where there is no corpus yet. Returns false
// after the last.
bool fuzz_seed(unsigned number, uint8_t *out, size_t *size);
#define FUZZ_SEED_MOST 4096u

#define FUZZ_CHECK(condition)                                                             \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

// Reads an input as numbers; 0 after its end.
struct fuzz_bytes {
    const uint8_t *at, *end;
};

static inline uint8_t fuzz_byte(struct fuzz_bytes *b)
{
    return b->at < b->end ? *b->at++ : 0;
}

static inline uint32_t fuzz_word(struct fuzz_bytes *b)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v = v << 8 | fuzz_byte(b);
    return v;
}

#endif
