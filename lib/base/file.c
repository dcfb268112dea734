// What the C library leaves to every caller of write(2).
#include <errno.h>
#include <unistd.h>

#include "base.h"

bool weft_write_all(int fd, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    while (size > 0) {
        ssize_t done = write(fd, p, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        size -= (size_t)done;
    }
    return true;
}
