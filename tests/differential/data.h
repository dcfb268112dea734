// What the runner of kernels and their reference as host code agree on: the launches that every kernel sees,
// the contents of its buffers, and the file that results are written to.
//
// Every kernel is `kernel void NAME(global const T *in, global U *out[, global uint *sums[, local V *tile]])`
// after a line that says how much memory it has:
//
//   //: NAME in=BYTES out=BYTES [data=KIND] [local=BYTES] [ids] [far]
//
// in, out     bytes per work-item (out-of-bounds accesses meet a guard page)
// data        what in holds: bits (default), unit (floats in [-4, 4)), double (the same), half (the same),
//             small (32-bit numbers below 64)
// local       bytes per work-item of the fourth argument, which then needs a local size
// ids         the result depends on the local size: not run where the driver chooses it
// far         run with ids beyond 2^31 too: the kernel indexes memory without the global offset
//
// sums is 64 words for atomics: all bits are set in 16..23 and 32..39 at first, none in the others. out is
// all 0xcd at first.
#ifndef WEFT_DIFFERENTIAL_DATA_H
#define WEFT_DIFFERENTIAL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_SUMS = 64, DATA_KERNELS = 512 };

struct data_launch {
    unsigned dims;
    size_t global[3], local[3], offset[3]; // local[0] == 0: the driver's choice
};

// Around every vector width, and shapes in which dimension 0 is short.
static const struct data_launch data_launches[] = {
    {1, {1}, {0}, {0}},
    {1, {7}, {0}, {0}},
    {1, {100}, {0}, {0}},
    {1, {257}, {0}, {0}},
    {1, {67}, {0}, {5}},
    {1, {5}, {1}, {0}},
    {1, {6}, {2}, {0}},
    {1, {12}, {3}, {0}},
    {1, {20}, {5}, {0}},
    {1, {21}, {7}, {0}},
    {1, {24}, {8}, {0}},
    {1, {27}, {9}, {0}},
    {1, {45}, {15}, {0}},
    {1, {48}, {16}, {3}},
    {1, {51}, {17}, {0}},
    {1, {62}, {31}, {0}},
    {1, {64}, {32}, {0}},
    {1, {66}, {33}, {0}},
    {1, {192}, {64}, {0}},
    {2, {13, 9}, {0}, {0}},
    {2, {2, 128}, {1, 64}, {0}},
    {2, {128, 2}, {64, 1}, {0}},
    {2, {8, 64}, {4, 64}, {0}},
    {2, {32, 16}, {16, 8}, {0}},
    {2, {12, 10}, {3, 5}, {3, 2}},
    {3, {5, 3, 4}, {0}, {0}},
    {3, {14, 5, 6}, {7, 5, 3}, {0}},
    {3, {4, 6, 34}, {2, 1, 17}, {1, 2, 3}},
    // ids pass 2^31 or 2^32
    {1, {67}, {0}, {0x7fffffe0}},
    {1, {96}, {32}, {0xfffffff0}},
    {2, {48, 3}, {16, 1}, {0x7ffffff5, 0xffffffff}},
};
enum { DATA_LAUNCHES = sizeof data_launches / sizeof data_launches[0] };

static inline size_t data_items(const struct data_launch *l)
{
    size_t n = l->global[0];
    for (unsigned d = 1; d < l->dims; d++)
        n *= l->global[d];
    return n;
}

enum data_kind { DATA_BITS, DATA_UNIT, DATA_DOUBLE, DATA_HALF, DATA_SMALL };

struct data_kernel {
    char name[64];
    size_t in, out, local;
    enum data_kind kind;
    bool ids, far;
};

// Reads the //: lines of a program. Returns their count; ends the process on a bad one.
static inline size_t data_kernels(const char *text, struct data_kernel *out)
{
    static const char *const kinds[] = {"bits", "unit", "double", "half", "small"};
    size_t count = 0;
    for (const char *line = strstr(text, "//: "); line;
         line = strstr(line + 1, "\n//: "), line = line ? line + 1 : line) {
        if (count == DATA_KERNELS) {
            fprintf(stderr, "more than %d kernels\n", DATA_KERNELS);
            exit(2);
        }
        struct data_kernel *k = &out[count++];
        *k = (struct data_kernel){.in = 4, .out = 4};
        char copy[256], *save = NULL;
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line + 4, "\n"), line + 4);
        char *word = strtok_r(copy, " ", &save);
        if (word)
            snprintf(k->name, sizeof k->name, "%s", word);
        while ((word = strtok_r(NULL, " ", &save))) {
            bool known = true;
            if (strncmp(word, "in=", 3) == 0) {
                k->in = (size_t)atoi(word + 3);
            } else if (strncmp(word, "out=", 4) == 0) {
                k->out = (size_t)atoi(word + 4);
            } else if (strncmp(word, "local=", 6) == 0) {
                k->local = (size_t)atoi(word + 6);
            } else if (strcmp(word, "ids") == 0) {
                k->ids = true;
            } else if (strcmp(word, "far") == 0) {
                k->far = true;
            } else if (strncmp(word, "data=", 5) == 0) {
                known = false;
                for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
                    if (strcmp(word + 5, kinds[i]) == 0) {
                        k->kind = (enum data_kind)i;
                        known = true;
                    }
                }
            } else {
                known = false;
            }
            if (!known) {
                fprintf(stderr, "%s: %s is not known\n", k->name, word);
                exit(2);
            }
        }
    }
    return count;
}

static inline bool data_runs(const struct data_kernel *k, const struct data_launch *l)
{
    return (l->local[0] || !(k->ids || k->local)) && (k->far || l->offset[0] < INT32_MAX / 2);
}

static inline uint32_t data_word(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint32_t v = (uint32_t)(*state >> 32);
    // Equal and small numbers meet more branches than random bits do.
    return (v & 7) == 0 ? v >> 28 : (v & 7) == 1 ? 0u - (v >> 29) : v;
}

static inline void data_fill(void *in, size_t bytes, enum data_kind kind, uint64_t seed)
{
    unsigned char *p = in;
    size_t step = kind == DATA_DOUBLE ? 8 : kind == DATA_HALF ? 2 : 4;
    for (size_t i = 0; i < bytes; i += step) {
        uint32_t word = data_word(&seed);
        double number = (double)(int32_t)(word * 2654435761u) * 0x1p-29;
        float unit = (float)number;
        // sign, 5 bits of exponent around 2^-2 .. 2^1, 10 of mantissa
        uint16_t half = (uint16_t)((word & 0x83ff) | (13 + (word >> 16 & 3)) << 10);
        uint32_t low = word % 64;
        const void *value = kind == DATA_BITS     ? (const void *)&word
                            : kind == DATA_UNIT   ? (const void *)&unit
                            : kind == DATA_DOUBLE ? (const void *)&number
                            : kind == DATA_HALF   ? (const void *)&half
                                                  : (const void *)&low;
        memcpy(p + i, value, step < bytes - i ? step : bytes - i);
    }
}

static inline void data_fill_sums(uint32_t *sums)
{
    for (unsigned i = 0; i < DATA_SUMS; i++)
        sums[i] = i / 8 == 2 || i / 8 == 4 ? UINT32_MAX : 0;
}

// A result: this head, then out, then sums.
struct data_record {
    uint32_t kernel, launch;
    int32_t placement; // 0: buffers begin after a guard page, 1: they end before one
    int32_t status;    // of the launch; 0: right
    uint64_t out_bytes;
};

static inline void data_write(FILE *f, const struct data_record *r, const void *out, const uint32_t *sums)
{
    if (fwrite(r, sizeof *r, 1, f) != 1 || (r->out_bytes && fwrite(out, r->out_bytes, 1, f) != 1) ||
        fwrite(sums, sizeof *sums, DATA_SUMS, f) != DATA_SUMS) {
        fprintf(stderr, "the results can't be written\n");
        exit(2);
    }
}

static inline char *data_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 22);
    if (!f || !text) {
        fprintf(stderr, "%s can't be read\n", path);
        exit(2);
    }
    text[fread(text, 1, (1 << 22) - 1, f)] = '\0';
    fclose(f);
    return text;
}

#endif
