// Release callbacks of programs, called after their programs are destroyed.
#include "runtime/code/release_callback.h"

#include "base/base.h"
#include "runtime/core/application_call.h"

void weft_release_callbacks_run(struct weft_program_callback *list, cl_program program)
{
    while (list) {
        struct weft_program_callback *c = list;
        list = c->next;
        WEFT_CALL_APPLICATION(c->notify(program, c->user));
        weft_free(c);
    }
}

void weft_program_call_back(struct weft_program_callback *list)
{
    if (list && atomic_fetch_sub(&list->builds, 1) == 1)
        weft_release_callbacks_run(list, list->gone);
}
