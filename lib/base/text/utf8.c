// Which bytes are characters of UTF-8. Stateless.
#include "base/text/utf8.h"

#include <stddef.h>
#include <stdint.h>

// The number of bytes of the character of UTF-8 that begins here. 0: it is none, or a control character.
static size_t character(const unsigned char *at)
{
    if (*at < 0x80)
        return *at >= ' ' && *at != 0x7f;
    const size_t size = *at >= 0xf0 && *at < 0xf5 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
    if (*at >= 0xf5)
        return 0;
    uint32_t code = *at & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= least[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? size : 0;
}

void weft_clean_text(char *text)
{
    for (char *at = text; *at;) {
        const size_t size = character((const unsigned char *)at);
        if (!size)
            *at = '?';
        at += size ? size : 1;
    }
}
