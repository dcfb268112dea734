// What is said of a command that isn't understood.
#include <stdio.h>

#include "tools/tool.h"

int weft_tool_usage(const char *subcommand, const char *word)
{
    if (subcommand)
        fprintf(stderr, "weft: %s: `%s` isn't understood (weft %s --help)\n", subcommand, word, subcommand);
    else
        fprintf(stderr, "weft: there is no subcommand `%s` (weft --help)\n", word);
    return 2;
}
