// Program binaries. Half of the inputs get the right checksum, so that they reach the reader after the check.
#include "base/base.h"
#include "fuzz.h"
#include "weft/code_object.h"

static void read_it(const void *bytes, size_t size)
{
    struct weft_program_object p;
    if (weft_program_object_decode(&p, bytes, size) != WEFT_OK)
        return;
    struct weft_buf again = {0};
    FUZZ_CHECK(weft_program_object_encode(&again, &p, true) == WEFT_OK);
    struct weft_program_object q;
    FUZZ_CHECK(weft_program_object_decode(&q, again.data, again.size) == WEFT_OK);
    FUZZ_CHECK(p.kernel_count == q.kernel_count && p.bitcode_size == q.bitcode_size);
    weft_program_object_fini(&q);
    weft_program_object_fini(&p);
    weft_buf_free(&again);
}

// Writes length and hash as they ought to be.
static bool mend(uint8_t *bytes, size_t size)
{
    enum { HEADER = 32 };
    if (size < HEADER)
        return false;
    uint64_t payload = size - HEADER;
    struct weft_hash h = weft_hash_bytes((struct weft_hash){0}, bytes + HEADER, payload);
    memcpy(bytes + 8, &payload, 8);
    memcpy(bytes + 16, &h.lo, 8);
    memcpy(bytes + 24, &h.hi, 8);
    return true;
}

bool fuzz_seed(unsigned number, uint8_t *out, size_t *size)
{
    char *text = (char[]){"text"};
    struct weft_kernel_meta kernel = {.name = text};
    struct weft_program_object p = {.binary_type = WEFT_BINARY_EXECUTABLE,
                                    .options = text,
                                    .target = text,
                                    .bitcode = (uint8_t *)text,
                                    .bitcode_size = 4,
                                    .kernels = &kernel,
                                    .kernel_count = 1};
    if (number > 1)
        return false;
    p.kernel_count = number;
    struct weft_buf b = {0};
    FUZZ_CHECK(weft_program_object_encode(&b, &p, true) == WEFT_OK);
    FUZZ_CHECK(b.size < FUZZ_SEED_MOST);
    memcpy(out, b.data, b.size);
    *size = b.size;
    weft_buf_free(&b);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_it(data, size);
    uint8_t *mended = size ? malloc(size) : NULL;
    if (mended) {
        memcpy(mended, data, size);
        if (mend(mended, size))
            read_it(mended, size);
    }
    free(mended);
    return 0;
}
