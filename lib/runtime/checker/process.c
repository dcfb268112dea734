// The checker at the beginning and at the end of a process: what WEFT_CHECK asks for, and the exit status.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "runtime/checker/checker.h"
#include "runtime/checker/misuse.h"
#include "runtime/checker/order.h"
#include "runtime/checker/shadow.h"

static char option[128];
static bool leaks; // are they wanted?

static void make_option(void)
{
    const char *list = weft_config_str(WEFT_CFG_CHECK);
    if (!list || !*list)
        return;
    const uint32_t kinds = weft_check_kinds_of(list);
    if (!kinds)
        weft_log_ignored_setting(
            "WEFT_CHECK=%.100s is not understood: it takes some of %s with commas between them", list,
            weft_check_kind_words);
    else if (strlen(list) < sizeof option - sizeof " -weft-check=")
        snprintf(option, sizeof option, " -weft-check=%s", list);
    if (*option && kinds >> WEFT_CHECK_UNINIT & 1)
        weft_shadow_begin();
    if (*option && kinds & (1u << WEFT_CHECK_API | 1u << WEFT_CHECK_LEAKS))
        atomic_store(&weft_misuse_wanted, true);
    if (*option && kinds & (1u << WEFT_CHECK_RACE | 1u << WEFT_CHECK_API))
        atomic_store(&weft_order_wanted, true);
    if (*option && kinds >> WEFT_CHECK_BOUNDS & 1)
        atomic_store(&weft_guards_wanted, true);
    leaks = kinds >> WEFT_CHECK_LEAKS & 1;
}

const char *weft_checker_option(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_option);
    return option;
}

// Runs when all atexit functions of the program have run.
__attribute__((destructor)) static void at_end(void)
{
    if (!weft_process_is_known() || !weft_process_is_ending())
        return;
    if (leaks)
        weft_misuse_report_leaks();
    if (weft_misuse_is_on())
        weft_misuse_report_reads();
    const bool found = weft_checker_finish();
    const uint64_t status = weft_config_uint(WEFT_CFG_CHECK_EXIT);
    if (!found || !status)
        return;
    // The program has ended, and only its status is to change. exit would write these next.
    fflush(NULL);
    syscall(SYS_exit_group, (int)status);
}
