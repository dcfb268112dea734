// What is said of a command that isn't understood.
#include <stdio.h>
#include <stdlib.h>

#include "tools/tool.h"

enum { MAX_PATIENCE_S = 24 * 3600 };

int weft_tool_usage(const char *subcommand, const char *word)
{
    if (subcommand && !word)
        fprintf(stderr, "weft: %s: there is no program to run (weft %s --help)\n", subcommand, subcommand);
    else if (subcommand)
        fprintf(stderr, "weft: %s: `%s` isn't understood (weft %s --help)\n", subcommand, word, subcommand);
    else
        fprintf(stderr, "weft: there is no subcommand `%s` (weft --help)\n", word);
    return 2;
}

unsigned weft_tool_seconds(const char *text)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    return end != text && !*end && *text != '-' && n <= MAX_PATIENCE_S ? (unsigned)n : 0;
}
