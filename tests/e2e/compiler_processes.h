// Finds and kills the compilers of a test's process, whatever process is their parent.
#ifndef WEFT_TESTS_COMPILER_PROCESSES_H
#define WEFT_TESTS_COMPILER_PROCESSES_H

#include <dirent.h>
#include <fcntl.h>

#include "e2e.h"

// Adds a variable to the environment of this process's compilers, which no others have. To be called before
// the driver is loaded.
HARNESS_UNUSED static const char *mark_compilers(void)
{
    static char mark[64];
    snprintf(mark, sizeof mark, "/nonexistent/test-%d", (int)getpid());
    setenv("WEFT_CACHE_DIR", mark, 1);
    return mark;
}

HARNESS_UNUSED static bool has_mark(const char *pid, const char *mark)
{
    char path[300], environment[8192];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, environment, sizeof environment);
    close(fd);
    return n > 0 && memmem(environment, (size_t)n, mark, strlen(mark) + 1);
}

// The pid as this process sees it: /proc may belong to an outer pid namespace.
HARNESS_UNUSED static pid_t own_number(const char *pid)
{
    char path[300], line[256];
    pid_t number = -1;
    snprintf(path, sizeof path, "/proc/%s/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "NSpid:", 6) == 0)
            number = atoi(strrchr(line, '\t') + 1);
    if (f)
        fclose(f);
    return number;
}

// Sends them this signal; returns how many there were.
HARNESS_UNUSED static int kill_compilers(const char *mark, int number)
{
    int killed = 0;
    DIR *proc = opendir("/proc");
    CHECK(proc != NULL);
    for (struct dirent *d; (d = readdir(proc));) {
        char path[300], exe[4096];
        snprintf(path, sizeof path, "/proc/%s/exe", d->d_name);
        ssize_t n = readlink(path, exe, sizeof exe - 1);
        if (n <= 0)
            continue;
        exe[n] = '\0';
        if (strstr(exe, "/weftc") && has_mark(d->d_name, mark) && kill(own_number(d->d_name), number) == 0)
            killed++;
    }
    closedir(proc);
    return killed;
}

#endif
