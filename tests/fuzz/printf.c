// Formats and argument blobs of kernels' printf: the format is up to the first NUL, the blob after it.
#include "runtime/launch/printf.h"
#include "fuzz.h"

bool fuzz_seed(unsigned number, uint8_t *out, size_t *size)
{
    static const char *const formats[] = {"%d %u %x\n",           "%s|%5.3s|%c",    "%f %e %g %a",
                                          "%v4hlf %v2hd %v16hhx", "%-+ #08.5lld%%", "%*d%n%p",
                                          "%1000000d%.99999f"};
    if (number >= sizeof formats / sizeof formats[0])
        return false;
    size_t n = strlen(formats[number]) + 1;
    memcpy(out, formats[number], n);
    for (int i = 0; i < 4; i++) {
        struct weft_printf_arg head = {.kind = (uint8_t)(i % 3), .size = i & 1 ? 8 : 4, .count = 1};
        memcpy(out + n, &head, sizeof head);
        n += sizeof head;
        memset(out + n, i, 8);
        n += 8;
    }
    *size = n;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, 0, size);
    if (!end)
        return 0;
    // The blob is aligned, as a kernel's is.
    size_t blob_size = size - (size_t)(end - data) - 1;
    void *blob = aligned_alloc(16, (blob_size + 16) / 16 * 16);
    if (!blob)
        return 0;
    memcpy(blob, end + 1, blob_size);
    struct weft_buf text = {0};
    weft_printf_format(&text, (const char *)data, blob, blob_size);
    weft_buf_free(&text);
    free(blob);
    return 0;
}
