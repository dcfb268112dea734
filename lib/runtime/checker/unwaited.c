// Reads and mappings that the host doesn't wait for (API): what they bring may not be there when the host
// looks. A command that the host has waited for is one that is before something that it knows to be complete
// (order.h). At the end of the process the others are reported, among the last WEFT_ORDER_WINDOW commands.
#include <pthread.h>
#include <unistd.h>

#include "base/base.h"
#include "runtime/checker/checker.h"
#include "runtime/checker/fork_lock.h"
#include "runtime/checker/misuse.h"
#include "runtime/checker/order.h"

static struct begun {
    uint64_t number; // 0: none
    const char *what;
    struct weft_misuse_place place;
} begun[WEFT_ORDER_WINDOW];
static pid_t process;                                    // that they are of
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards both

WEFT_FORK_LOCK(lock)

void weft_misuse_note_read(uint64_t number, const char *what)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct weft_misuse_place place;
    pthread_once(&once, know_forks);
    weft_misuse_find_place(&place);
    pthread_mutex_lock(&lock);
    process = getpid();
    begun[number % WEFT_ORDER_WINDOW] = (struct begun){number, what, place};
    pthread_mutex_unlock(&lock);
}

void weft_misuse_report_reads(void)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    for (unsigned k = 0; k < WEFT_ORDER_WINDOW && process == getpid(); k++)
        if (begun[k].number && !weft_order_is_seen(begun[k].number))
            weft_misuse_report_at(&begun[k].place, NULL,
                                  "the program ends and has never waited for the %s that it enqueues here",
                                  begun[k].what);
    pthread_mutex_unlock(&lock);
}
