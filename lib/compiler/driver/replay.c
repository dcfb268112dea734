// Requests that libweft stores when a compiler dies of them (runtime/compiler/reproducer.c). A request holds
// what a source file and its options don't: embedded headers, the current folder, the inputs of a link.
#include "base/base.h"
#include "compiler/driver/driver.h"
#include "weft/protocol.h"

weft_status weftc_replay_decode(struct weftc_replay *r, const void *bytes, size_t size, struct weft_buf *log)
{
    *r = (struct weftc_replay){0};
    struct weft_reader head = weft_reader_of(bytes, size);
    uint32_t magic = weft_get_u32(&head), version = weft_get_u32(&head);
    r->type = weft_get_u32(&head);
    if (head.bad || magic != WEFT_REPLAY_MAGIC) {
        weft_buf_puts(log, "error: the file isn't a request that libweft wrote\n");
        return WEFT_DAMAGED;
    }
    if (version != WEFT_PROTOCOL_VERSION) {
        weft_buf_printf(
            log, "error: another version of Weft wrote this request (protocol %u; this weftc has %u)\n",
            version, WEFT_PROTOCOL_VERSION);
        return WEFT_STALE;
    }
    size_t rest = (size_t)(head.end - head.at);
    weft_status status = r->type == WEFT_MSG_BUILD  ? weft_build_request_get(&r->build, head.at, rest)
                         : r->type == WEFT_MSG_LINK ? weft_link_request_get(&r->link, head.at, rest)
                                                    : WEFT_DAMAGED;
    if (status != WEFT_OK)
        weft_buf_printf(log, "error: the request can't be read: %s\n", weft_status_text(status));
    return status;
}

void weftc_replay_fini(struct weftc_replay *r)
{
    weft_build_request_fini(&r->build);
    weft_link_request_fini(&r->link);
}
