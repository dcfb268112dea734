// Other programs: running them, and what they print. What is said while something takes long, and what `weft
// doctor` has found.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"

char *weft_tool_output(const char *program, char *const arguments[], bool quiet)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        const int nowhere = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
        if (nowhere >= 0)
            dup2(nowhere, STDERR_FILENO);
        execv(program, arguments);
        fprintf(stderr, "weft: %s can't be run\n", program);
        _exit(127);
    }
    close(ends[1]);
    struct weft_buf out = {0};
    char part[4096];
    for (ssize_t n; child > 0 && (n = read(ends[0], part, sizeof part)) > 0;)
        weft_buf_append(&out, part, (size_t)n);
    close(ends[0]);
    int status = 1;
    const bool ran = child > 0 && waitpid(child, &status, 0) == child;
    if (!ran || status != 0) {
        weft_buf_free(&out);
        return NULL;
    }
    size_t size;
    return weft_buf_take(&out, &size);
}

// The program that runs, for signals.
static volatile pid_t running;

static void pass_on(int signal)
{
    if (running > 0)
        kill(running, signal);
}

int weft_tool_run(char **program, const char *const *settings)
{
    // While it runs, Ctrl-C is for the program, which the terminal tells; what it has done until then is
    // told. Signals that come to this process alone are passed on.
    static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    struct sigaction before[WEFT_COUNT_OF(signals)];
    for (size_t i = 0; i < WEFT_COUNT_OF(signals); i++) {
        const bool terminal = signals[i] == SIGINT || signals[i] == SIGQUIT;
        sigaction(signals[i], NULL, &before[i]);
        const struct sigaction a = {.sa_handler = terminal ? SIG_IGN : pass_on, .sa_flags = SA_RESTART};
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &a, NULL);
    }
    const pid_t child = fork();
    running = child;
    if (child == 0) {
        for (size_t i = 0; i < WEFT_COUNT_OF(signals); i++)
            sigaction(signals[i], &before[i], NULL);
        for (; *settings; settings += 2)
            if (settings[1])
                setenv(settings[0], settings[1], 1);
        execvp(program[0], program);
        fprintf(stderr, "weft: %s: %s\n", program[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    for (size_t i = 0; i < WEFT_COUNT_OF(signals); i++)
        sigaction(signals[i], &before[i], NULL);
    running = 0;
    if (child < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- Files ----

char *weft_tool_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return NULL;
    struct weft_buf text = {0};
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        weft_buf_append(&text, part, n);
    fclose(f);
    return weft_buf_take(&text, size);
}

static bool tell_failed(const char *name)
{
    fprintf(stderr, "weft: %s can't be written%s%s\n", name, errno ? ": " : "", errno ? strerror(errno) : "");
    return false;
}

bool weft_tool_written(FILE *f, const char *name)
{
    errno = 0; // what an earlier write has failed with isn't known any more
    return fflush(f) == 0 && !ferror(f) ? true : tell_failed(name);
}

bool weft_tool_close(FILE *f, const char *name)
{
    const bool written = weft_tool_written(f, name);
    return fclose(f) == 0 ? written : written && tell_failed(name);
}

// ---- Findings of `weft doctor` ----

static unsigned wrongs;

void weft_tool_say(const char *word, const char *fmt, ...)
{
    va_list args;
    wrongs += strcmp(word, "WRONG") == 0;
    printf("%-6s ", word);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    fflush(stdout); // in order with what drivers print on stderr
}

unsigned weft_tool_wrongs(void)
{
    return wrongs;
}

// ---- What takes longer than two seconds ----

static const char *volatile going_on;
static volatile sig_atomic_t told;

static void tell(int signal)
{
    (void)signal;
    const int error = errno; // of what it interrupts
    const char *text = going_on;
    ssize_t written = 0;
    if (!text)
        return;
    if (!told) {
        written = write(STDERR_FILENO, "weft: ", 6);
        written = write(STDERR_FILENO, text, strlen(text));
    }
    if (!told || isatty(STDERR_FILENO))
        written = write(STDERR_FILENO, told ? "." : " ...", told ? 1 : 4);
    (void)written;
    told = 1;
    errno = error;
}

void weft_tool_progress(const char *what)
{
    const struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESTART};
    const struct itimerval every = {{2, 0}, {2, 0}}, never = {{0, 0}, {0, 0}};
    if (!what || going_on) {
        setitimer(ITIMER_REAL, &never, NULL);
        going_on = NULL;
        if (told)
            fputc('\n', stderr);
    }
    told = 0;
    if (!what)
        return;
    going_on = what;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}
