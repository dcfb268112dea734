// Build options: what passes is on the list, and reads back as itself.
#include "fuzz.h"
#include "weft/protocol.h"
#include "base/base.h"

static const char *const seeds[] = {
    "-D X=1 -DY -I /usr/include -cl-std=CL1.2 -Werror -w -g",
    "-cl-fast-relaxed-math -cl-mad-enable \"-DA=b c\"",
    "-cl-opt-disable -cl-strict-aliasing -cl-denorms-are-zero -cl-ext=+cl_khr_fp16,-all",
    "-DX=\"\\\"a\\\\b\\\"\" -U X",
    "-Xclang -load -mllvm @file -o out",
    "-cl-std=CLC++2021 -weft-report -create-library -enable-link-options",
    "\t\n -D\tX"};

bool fuzz_seed(unsigned number, uint8_t *out, size_t *size)
{
    if (number >= sizeof seeds / sizeof seeds[0])
        return false;
    *size = strlen(seeds[number]);
    memcpy(out, seeds[number], *size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    static const enum weft_option_use kinds[] = {WEFT_OPTIONS_BUILD, WEFT_OPTIONS_COMPILE, WEFT_OPTIONS_LINK};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct weft_build_options o;
        char *reason = NULL;
        weft_status status = weft_build_options_parse(&o, text, kinds[k], &reason);
        FUZZ_CHECK(status == WEFT_OK || status == WEFT_INVALID_OPTIONS || status == WEFT_NO_MEMORY);
        FUZZ_CHECK(status != WEFT_INVALID_OPTIONS || reason);
        for (uint32_t i = 0; status == WEFT_OK && i < o.arg_count; i++) {
            const char *a = o.args[i];
            // Whatever else a compiler's front end knows never comes so far.
            bool listed = strncmp(a, "-D", 2) == 0 || strncmp(a, "-U", 2) == 0 || strncmp(a, "-I", 2) == 0 ||
                          strncmp(a, "-cl-", 4) == 0 || strncmp(a, "-W", 2) == 0 || strcmp(a, "-w") == 0 ||
                          strcmp(a, "-g") == 0 || strncmp(a, "-weft-", 6) == 0 ||
                          strncmp(a, "-create", 7) == 0 || strncmp(a, "-enable", 7) == 0 ||
                          strncmp(a, "-O", 2) == 0 || strncmp(a, "-f", 2) == 0;
            if (!listed)
                fprintf(stderr, "accepted: %s\n", a);
            FUZZ_CHECK(listed);
        }
        weft_free(reason);
        if (status == WEFT_OK)
            weft_build_options_fini(&o);
    }
    free(text);
    return 0;
}
