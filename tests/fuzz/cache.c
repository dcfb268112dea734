// Entries of the disk cache: a file that has the name of an entry but other content is recognized and
// removed.
#include <fcntl.h>
#include <unistd.h>

#include "runtime/compiler/disk_cache.h"
#include "fuzz.h"

static char folder[] = "/tmp/weft-fuzz-XXXXXX", path[300];
static const struct weft_hash key = {.lo = 1, .hi = 2};

static void clean(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left\n", folder);
}

// Finds the file's name by writing an entry.
static void prepare(void)
{
    if (path[0])
        return;
    FUZZ_CHECK(mkdtemp(folder) != NULL);
    atexit(clean);
    setenv("WEFT_CACHE_DIR", folder, 1);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_SIZE", "64", 1);
    weft_config_reload();
    FUZZ_CHECK(weft_cache_write(WEFT_CACHE_KERNEL, key, "code", 4) == WEFT_OK);
    char command[200];
    snprintf(command, sizeof command, "find %s -type f -name '*k*' | head -n 1", folder);
    FILE *f = popen(command, "r");
    FUZZ_CHECK(f && fgets(path, sizeof path, f));
    pclose(f);
    path[strcspn(path, "\n")] = '\0';
}

bool fuzz_seed(unsigned number, uint8_t *out, size_t *size)
{
    if (number)
        return false;
    prepare();
    FUZZ_CHECK(weft_cache_write(WEFT_CACHE_KERNEL, key, "code", 4) ==
               WEFT_OK); // an input may have removed it
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, out, FUZZ_SEED_MOST) : -1;
    FUZZ_CHECK(n > 0);
    close(fd);
    *size = (size_t)n;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prepare();
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
    uint8_t *bytes;
    size_t got;
    weft_status status = weft_cache_load(WEFT_CACHE_KERNEL, key, &bytes, &got);
    FUZZ_CHECK(status == WEFT_OK || (!bytes && got == 0));
    // Only what was stored is believed; a mutant that keeps all that counts is the same entry.
    FUZZ_CHECK(status != WEFT_OK || got <= size);
    FUZZ_CHECK(status != WEFT_DAMAGED || access(path, F_OK) != 0);
    if (status == WEFT_OK)
        weft_free(bytes);
    return 0;
}
