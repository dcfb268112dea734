// Texts of the timeline, by numbers, and what code was at an address. Owns both, and the flag that says
// whether there is a timeline. A lock guards them; texts are made where programs are built, not where kernels
// are launched.
//
// Neither is freed before the library is unloaded: a record may name a kernel whose program is gone. Their
// number is limited. What is too much has no name.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "base/trace/internal.h"

enum {
    MAX_TEXTS = WEFT_TRACE_MAX_TEXTS,
    SLOTS = 2 * MAX_TEXTS,
    MAX_LENGTH = 1000,
    MAX_BYTES = 16 << 20,
    MAX_CODES = 1 << 16
};

struct code {
    uint64_t address, since;
    weft_trace_text what;
};

// Kernels of several programs may have one name. Each has a text of its own: `sum`, `sum (2)`.
struct kernel {
    struct weft_hash program;
    weft_trace_text own, shown;
};

_Atomic bool weft_trace_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char **texts; // [number]
static uint32_t text_count, *slots;
static size_t bytes;
static struct code *codes; // in the order in which they were loaded
static size_t code_count, code_room;
static struct code *sorted; // by address and time: the codes of the last question
static size_t sorted_count;
static struct kernel *kernels;
static size_t kernel_count, kernel_room;
static weft_trace_text *queues;
static uint32_t queue_count, queue_room;

bool weft_trace_names_start(void)
{
    texts = weft_alloc_array(MAX_TEXTS, sizeof *texts);
    slots = weft_alloc_array(SLOTS, sizeof *slots);
    text_count = 1; // 0 is no text
    if (texts && slots)
        return true;
    weft_free(texts);
    weft_free(slots);
    return false;
}

void weft_trace_names_stop(void)
{
    for (uint32_t i = 1; i < text_count; i++)
        weft_free(texts[i]);
    weft_free(texts);
    weft_free(slots);
    weft_free(codes);
    weft_free(sorted);
    weft_free(kernels);
    weft_free(queues);
}

void weft_trace_names_lock(void)
{
    pthread_mutex_lock(&lock);
}

void weft_trace_names_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static weft_trace_text add_locked(const char *text, size_t length)
{
    char *copy = text_count < MAX_TEXTS && bytes + length < MAX_BYTES ? weft_strndup(text, length) : NULL;
    if (!copy)
        return 0;
    weft_clean_text(copy);
    bytes += length;
    texts[text_count] = copy;
    return text_count++;
}

static weft_trace_text name_locked(const char *given)
{
    char text[MAX_LENGTH + 1];
    const size_t length = strnlen(given, MAX_LENGTH);
    memcpy(text, given, length);
    text[length] = '\0';
    weft_clean_text(text);
    uint64_t at = weft_hash_bytes((struct weft_hash){0}, text, length).lo;
    for (;; at++) { // there are more slots than texts
        const uint32_t n = slots[at % SLOTS];
        if (n && strncmp(texts[n], text, length) == 0 && texts[n][length] == '\0')
            return n;
        if (!n)
            break;
    }
    const weft_trace_text n = add_locked(text, length);
    slots[at % SLOTS] = n;
    return n;
}

weft_trace_text weft_trace_name(const char *text)
{
    if (!weft_trace_is_on() || !text)
        return 0;
    pthread_mutex_lock(&lock);
    const weft_trace_text n = name_locked(text);
    pthread_mutex_unlock(&lock);
    return n;
}

const char *weft_trace_text_of(weft_trace_text name)
{
    return name && name < text_count ? texts[name] : NULL;
}

// Makes room for one more element of an array. False: no memory, or there are `most` of them.
static bool grow(void **array, size_t count, size_t *room, size_t size, size_t most)
{
    if (count < *room)
        return true;
    const size_t more = *room ? 2 * *room : 64;
    void *larger = count < most ? weft_realloc(*array, more * size) : NULL;
    if (!larger)
        return false;
    *array = larger;
    *room = more;
    return true;
}

// Its own entry, though other texts may be equal: a kernel may be called as a command is.
static weft_trace_text add_kernel_locked(const char *name, struct weft_hash program)
{
    const weft_trace_text own = name_locked(name);
    unsigned same = 0;
    for (size_t i = 0; i < kernel_count; i++) {
        if (kernels[i].own == own && kernels[i].program.lo == program.lo &&
            kernels[i].program.hi == program.hi)
            return kernels[i].shown;
        same += kernels[i].own == own;
    }
    char shown[MAX_LENGTH + 16];
    if (same)
        snprintf(shown, sizeof shown, "%s (%u)", texts[own], same + 1);
    else
        snprintf(shown, sizeof shown, "%s", texts[own]);
    void *array = kernels;
    if (!own || !grow(&array, kernel_count, &kernel_room, sizeof *kernels, MAX_TEXTS))
        return own;
    kernels = array;
    kernels[kernel_count] = (struct kernel){program, own, add_locked(shown, strlen(shown))};
    return kernels[kernel_count++].shown;
}

weft_trace_text weft_trace_kernel(const char *name, struct weft_hash program)
{
    if (!weft_trace_is_on())
        return 0;
    pthread_mutex_lock(&lock);
    const weft_trace_text n = add_kernel_locked(name, program);
    pthread_mutex_unlock(&lock);
    return n;
}

const char *weft_trace_own_name(weft_trace_text kernel)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].shown == kernel)
            return weft_trace_text_of(kernels[i].own);
    return weft_trace_text_of(kernel);
}

void weft_trace_code(const void *code, const char *what)
{
    if (!weft_trace_is_on())
        return;
    pthread_mutex_lock(&lock);
    void *array = codes;
    if (grow(&array, code_count, &code_room, sizeof *codes, MAX_CODES)) {
        codes = array;
        codes[code_count++] = (struct code){(uintptr_t)code, weft_time_now(), name_locked(what)};
    }
    pthread_mutex_unlock(&lock);
}

static int by_address_and_time(const void *a, const void *b)
{
    const struct code *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->since < y->since ? -1 : x->since > y->since;
}

// A file has many questions, and no code comes meanwhile.
static bool sort_codes(void)
{
    if (sorted_count == code_count)
        return true;
    struct code *copy = weft_realloc(sorted, code_count * sizeof *copy);
    if (!copy)
        return false;
    sorted = memcpy(copy, codes, code_count * sizeof *copy);
    sorted_count = code_count;
    qsort(sorted, sorted_count, sizeof *sorted, by_address_and_time);
    return true;
}

weft_trace_text weft_trace_code_name(uint64_t address, uint64_t time)
{
    if (!code_count || !sort_codes())
        return 0;
    const struct code wanted = {.address = address, .since = time};
    size_t low = 0, high = sorted_count; // the first one that is later than what is wanted
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_address_and_time(&sorted[middle], &wanted) > 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low && sorted[low - 1].address == address ? sorted[low - 1].what : 0;
}

const char *weft_trace_code_at(uint64_t address, uint64_t time)
{
    return weft_trace_text_of(weft_trace_code_name(address, time));
}

uint32_t weft_trace_queue(const char *name)
{
    if (!weft_trace_is_on())
        return 0;
    pthread_mutex_lock(&lock);
    void *array = queues;
    size_t room = queue_room;
    uint32_t number = 0;
    if (grow(&array, queue_count, &room, sizeof *queues, UINT32_MAX / 2)) {
        queues = array;
        queue_room = (uint32_t)room;
        queues[queue_count++] = name_locked(name);
        number = queue_count;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

const char *weft_trace_queue_name(uint32_t queue)
{
    return queue && queue <= queue_count ? weft_trace_text_of(queues[queue - 1]) : NULL;
}
