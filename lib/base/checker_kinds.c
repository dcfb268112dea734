// The words of WEFT_CHECK and -weft-check. Stateless.
#include <string.h>

#include "base/base.h"
#include "weft/checker.h"

static const char *const words[] = {
#define WORD(id, word, text) word,
    WEFT_CHECK_KINDS(WORD)
#undef WORD
};

// By bit, from WEFT_CHECK_KIND_COUNT on.
static const char *const parts[] = {
#define WORD(id, word) word,
    WEFT_CHECK_PARTS(WORD)
#undef WORD
};

const char weft_check_kind_words[] = "all"
#define WORD(id, word, ...) ", " word
    WEFT_CHECK_KINDS(WORD) WEFT_CHECK_PARTS(WORD)
#undef WORD
    ;

const char *weft_check_kind_word(enum weft_check_kind kind)
{
    return words[kind];
}

static uint32_t kinds_of_word(const char *word, size_t length)
{
    if (length == 3 && memcmp(word, "all", 3) == 0)
        return (1u << WEFT_CHECK_KIND_COUNT) - 1;
    for (uint32_t k = 0; k < WEFT_CHECK_KIND_COUNT; k++)
        if (strlen(words[k]) == length && memcmp(words[k], word, length) == 0)
            return 1u << k;
    for (uint32_t k = 0; k < WEFT_COUNT_OF(parts); k++)
        if (strlen(parts[k]) == length && memcmp(parts[k], word, length) == 0)
            return 1u << (WEFT_CHECK_KIND_COUNT + k);
    return 0;
}

uint32_t weft_check_kinds_of(const char *list)
{
    uint32_t set = 0;
    for (;;) {
        const size_t length = strcspn(list, ",");
        const uint32_t kinds = kinds_of_word(list, length);
        if (!kinds)
            return 0;
        set |= kinds;
        if (!list[length])
            return set;
        list += length + 1;
    }
}
