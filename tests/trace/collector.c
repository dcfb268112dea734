// A profiler's library, as INTEL_LIBITTNOTIFY64 and INTEL_JIT_PROFILER64 name it. It writes a line for each
// call to the file that COLLECTOR_FILE names. With WITH_INIT it has __itt_api_init, as newer ones do;
// otherwise only the functions themselves.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#ifdef WITH_INIT
#define FUNCTION static // found in the table alone
#else
#define FUNCTION EXPORT
#endif

struct domain {
    volatile int flags;
    const char *name;
};
struct id {
    unsigned long long a, b, c;
};
struct method {
    unsigned id;
    char *name;
    void *address;
    unsigned size, line_count;
    struct {
        unsigned offset, line;
    } *lines;
    char *class_file, *source_file, *module;
};

static pid_t loaded_by;

__attribute__((constructor)) static void note_process(void)
{
    loaded_by = getpid();
}

static void put(const char *what, const char *text)
{
    const int fd = open(getenv("COLLECTOR_FILE"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dprintf(fd, "%s\t%d\t%s\n", getpid() == loaded_by ? what : "forked", (int)gettid(), text);
    close(fd);
}

FUNCTION struct domain *__itt_domain_create(const char *name)
{
    static struct domain one;
    one.name = strdup(name);
    one.flags = !getenv("COLLECTOR_PAUSED");
    put("domain", name);
    return &one;
}

FUNCTION void *__itt_string_handle_create(const char *text)
{
    // The same handle for the same text, also for two threads that ask at once.
    enum { MAX = 256 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *texts[MAX];
    put("string", text);
    pthread_mutex_lock(&lock);
    int at = 0;
    while (at < MAX - 1 && texts[at] && strcmp(texts[at], text) != 0)
        at++;
    if (!texts[at])
        texts[at] = strdup(text);
    pthread_mutex_unlock(&lock);
    return texts[at];
}

FUNCTION void __itt_task_begin(const struct domain *d, struct id own, struct id parent, void *name)
{
    put(own.a || own.b || own.c || parent.a || !d->name ? "wrong" : "begin", name);
}

FUNCTION void __itt_task_end(const struct domain *d)
{
    put("end", d->name);
}

#ifdef WITH_INIT
struct function {
    const char *name;
    void **at;
    void *init, *null;
    int group;
};
struct global {
    unsigned char magic[8];
    unsigned long version[3];
    volatile long state[3];
    pthread_mutex_t mutex;
    void *library, *error_handler;
    const char **path;
    struct function *functions;
};

EXPORT void __itt_api_init(struct global *g, int groups)
{
    static const struct {
        const char *name;
        void *function;
    } known[] = {{"__itt_domain_create", (void *)__itt_domain_create},
                 {"__itt_string_handle_create", (void *)__itt_string_handle_create},
                 {"__itt_task_begin", (void *)__itt_task_begin},
                 {"__itt_task_end", (void *)__itt_task_end}};
    put("init",
        g->magic[0] == 0xed && g->magic[7] == 0x30 && g->library && groups == -1 ? *g->path : "wrong");
    for (struct function *f = g->functions; f->name; f++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(f->name, known[k].name) == 0)
                *f->at = known[k].function;
}
#endif

EXPORT int Initialize(void)
{
    return !getenv("COLLECTOR_PAUSED");
}

EXPORT int NotifyEvent(unsigned event, void *data)
{
    char text[1000];
    const struct method *m = data;
    int used = event == 21 ? snprintf(text, sizeof text, "%u\t%s\t%u\t%s", m->id, m->name, m->size,
                                      m->source_file ? m->source_file : "")
                           : 0;
    for (unsigned i = 0; event == 21 && i < m->line_count && used < 900; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "\t%u:%u", m->lines[i].offset,
                         m->lines[i].line);
    put(event == 21 ? "method" : "wrong", text);
    if (getenv("COLLECTOR_SLOW"))
        usleep(900000);
    return 1;
}
