// A driver that kills the program which opens it, as a broken installation of another driver does.
#include <stdlib.h>

__attribute__((constructor)) static void crash(void)
{
    abort();
}
