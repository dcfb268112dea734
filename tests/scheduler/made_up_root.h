// A made-up root folder: files of /proc and /sys as a machine would have them.
#ifndef WEFT_TESTS_MADE_UP_ROOT_H
#define WEFT_TESTS_MADE_UP_ROOT_H

#include <errno.h>
#include <sys/stat.h>

#include "harness.h"

static char root[64];

static void make_root(void)
{
    snprintf(root, sizeof root, "/tmp/weft-root-XXXXXX");
    CHECK(mkdtemp(root) != NULL);
}

static void remove_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    CHECK_EQ(system(command), 0);
}

static void put(const char *path, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", root, path);
    for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(name, 0700);
        *slash = '/';
    }
    FILE *f = fopen(name, "w");
    if (!f)
        FAIL("%s: %s", name, strerror(errno));
    fputs(text, f);
    fclose(f);
}

#endif
