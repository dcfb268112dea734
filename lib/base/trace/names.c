// Texts of the timeline, by numbers, and what code was at an address. Owns both, and the flag that says
// whether there is a timeline. A lock guards them; texts are made where programs are built, not where kernels
// are launched.
//
// Neither is freed before the library is unloaded: a record may name a kernel whose program is gone. Their
// number is limited. What is too much has no name.
#include <pthread.h>
#include <string.h>

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

_Atomic bool weft_trace_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char **texts; // [number]
static uint32_t text_count, *slots;
static size_t bytes;
static struct code *codes; // in the order in which they were loaded
static size_t code_count, code_room;
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

static weft_trace_text name_locked(const char *text)
{
    const size_t length = strnlen(text, MAX_LENGTH);
    uint64_t at = weft_hash_bytes((struct weft_hash){0}, text, length).lo;
    for (;; at++) { // there are more slots than texts
        const uint32_t n = slots[at % SLOTS];
        if (n && strncmp(texts[n], text, length) == 0 && texts[n][length] == '\0')
            return n;
        if (!n)
            break;
    }
    char *copy = text_count < MAX_TEXTS && bytes + length < MAX_BYTES ? weft_strndup(text, length) : NULL;
    if (!copy)
        return 0;
    bytes += length;
    texts[text_count] = copy;
    slots[at % SLOTS] = text_count;
    return text_count++;
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

const char *weft_trace_code_at(uint64_t address, uint64_t time)
{
    for (size_t i = code_count; i-- > 0;)
        if (codes[i].address == address && codes[i].since <= time)
            return weft_trace_text_of(codes[i].what);
    return NULL;
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
