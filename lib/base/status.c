#include "weft/status.h"

const char *weft_status_text(weft_status s)
{
    switch (s) {
#define STATUS_TEXT(name, text) \
    case WEFT_##name:           \
        return text;
        WEFT_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}
