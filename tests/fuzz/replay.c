// Runs a fuzz target without libFuzzer: every file of the folder named, the target's seeds, and mutants of
// both: bits flipped, bytes changed, cut off, put in, doubled. The same ones each time. With a second
// argument: how many mutants. As `--seeds FOLDER` it writes the target's seeds there, for libFuzzer to begin
// with.
#include <dirent.h>
#include <unistd.h>

#include "fuzz.h"

enum { MAX_BYTES = 1 << 16 };

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t next(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dull;
}

static size_t mutate(uint8_t *p, size_t n)
{
    for (uint64_t changes = 1 + next() % 6; changes; changes--) {
        size_t at = n ? next() % n : 0, length = 1 + next() % 8;
        switch (next() % 7) {
        case 0:
            if (n)
                p[at] ^= (uint8_t)(1u << next() % 8);
            break;
        case 1:
            if (n)
                p[at] = (uint8_t)next();
            break;
        case 2: // of a count or a length, mostly
            for (size_t i = 0; i < 4 && at + i < n; i++)
                p[at + i] = next() % 2 ? 0xff : 0;
            break;
        case 3:
            n = at;
            break;
        case 4:
            if (n + length <= MAX_BYTES) {
                memmove(p + at + length, p + at, n - at);
                for (size_t i = 0; i < length; i++)
                    p[at + i] = (uint8_t)next();
                n += length;
            }
            break;
        case 5:
            if (at + length <= n) {
                memmove(p + at, p + at + length, n - at - length);
                n -= length;
            }
            break;
        default:
            if (n && 2 * n <= MAX_BYTES) {
                memcpy(p + n, p, n - at);
                n += n - at;
            }
        }
    }
    return n;
}

// The target gets memory of exactly that size: a sanitizer sees a byte too many.
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_with_mutants(const uint8_t *data, size_t size, long mutants)
{
    static uint8_t changed[MAX_BYTES];
    run(data, size);
    for (long i = 0; i < mutants; i++) {
        size_t n = size < MAX_BYTES ? size : MAX_BYTES;
        memcpy(changed, data, n);
        run(changed, mutate(changed, n));
    }
}

// For libFuzzer to begin with.
static int write_seeds(const char *where)
{
    static uint8_t bytes[FUZZ_SEED_MOST];
    size_t n;
    for (unsigned i = 0; fuzz_seed(i, bytes, &n); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/seed-%u", where, i);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(bytes, 1, n, f) != n)
            return 1;
        fclose(f);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--seeds") == 0)
        return write_seeds(argv[2]);
    alarm(3000); // ctest's limit is shorter; by hand it isn't
    static uint8_t bytes[MAX_BYTES];
    long mutants = argc > 2 ? atol(argv[2]) : 200, inputs = 0;
    DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
    for (struct dirent *d; folder && (d = readdir(folder));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], d->d_name);
        FILE *f = d->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f)
            continue;
        size_t n = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        run_with_mutants(bytes, n, mutants / 8 + 1);
        inputs++;
    }
    if (folder)
        closedir(folder);
    size_t n;
    for (unsigned i = 0; fuzz_seed(i, bytes, &n); i++, inputs++)
        run_with_mutants(bytes, n, mutants);
    printf("%ld inputs\n", inputs);
    return inputs ? 0 : 1;
}
