// The command line of weftc: the offline compiler, and the way into the server.
#include <stdio.h>
#include <string.h>

#include "compiler.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("weftc %s, LLVM %d\n", WEFT_VERSION, LLVM_VERSION_MAJOR);
        return 0;
    }
    struct weftc_target target;
    weft_status status = weftc_target_init(&target, weft_config_str(WEFT_CFG_CPU));
    if (status != WEFT_OK) {
        fprintf(stderr, "weftc: %s\n", weft_status_text(status));
        return 1;
    }
    printf("%s\n", target.identity);
    weftc_target_fini(&target);
    return 0;
}
