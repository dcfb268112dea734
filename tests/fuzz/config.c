// Configuration files: what is handed over lies in the text, and no line is said to be what another is.
#include "base/config_file.h"
#include "fuzz.h"

static const char *const seeds[] = {
    "WEFT_VF = 1\n[program hashcat]\nWEFT_TIER=2 # quick\n",
    "[library libopencv_core.so*, cv2.*.so]\r\nWEFT_DEVICE_VENDOR = Intel(R) Corporation\r\n",
    "[all]\nWEFT_DEVICE_NAME=\"a # b\" ; c\n[program [a-z]*]\nX=\n",
    "[\n[]\n[program]\n[program ,,]\n=\n\"\n[all",
};

bool fuzz_seed(unsigned number, uint8_t *out, size_t *size)
{
    if (number >= sizeof seeds / sizeof seeds[0])
        return false;
    *size = strlen(seeds[number]);
    memcpy(out, seeds[number], *size);
    return true;
}

struct text {
    const char *begin, *end;
    unsigned lines, last; // newlines in it and one; the last line that was handed over
};

static void on_line(struct text *t, unsigned line)
{
    FUZZ_CHECK(line >= t->last && line <= t->lines);
    t->last = line;
}

static void on_setting(void *context, unsigned line, const char *name, size_t name_size, const char *value,
                       size_t value_size)
{
    struct text *t = context;
    on_line(t, line);
    FUZZ_CHECK(name_size > 0 && name >= t->begin && name + name_size <= value &&
               value + value_size <= t->end);
    FUZZ_CHECK(!memchr(name, '\n', name_size) && !memchr(value, '\n', value_size) &&
               !memchr(name, '=', name_size));
}

static void on_problem(void *context, unsigned line, const char *text)
{
    on_line(context, line);
    FUZZ_CHECK(*text);
}

static bool has_library(const char *pattern)
{
    return strlen(pattern) % 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct weft_program_names program = {
        .names = {"hashcat", "a"}, .count = 2, .has_library = has_library};
    char *copy = malloc(size + (size == 0)); // without a NUL behind it
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, data, size);
    struct text t = {.begin = copy, .end = copy + size, .lines = 1};
    for (size_t i = 0; i < size; i++)
        t.lines += copy[i] == '\n';
    weft_config_parse(
        copy, size, &program,
        &(struct weft_config_handler){.setting = on_setting, .problem = on_problem, .context = &t});
    free(copy);
    return 0;
}
