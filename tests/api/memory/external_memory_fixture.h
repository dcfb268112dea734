// What the tests of external memory share: descriptors as memory objects, and handing these over.
#ifndef WEFT_TESTS_EXTERNAL_MEMORY_FIXTURE_H
#define WEFT_TESTS_EXTERNAL_MEMORY_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "api/api.h"

static clEnqueueAcquireExternalMemObjectsKHR_fn acquire;
static clEnqueueReleaseExternalMemObjectsKHR_fn release;

HARNESS_UNUSED static void find_functions(void)
{
    acquire = (clEnqueueAcquireExternalMemObjectsKHR_fn)clGetExtensionFunctionAddressForPlatform(
        the_platform(), "clEnqueueAcquireExternalMemObjectsKHR");
    release = (clEnqueueReleaseExternalMemObjectsKHR_fn)clGetExtensionFunctionAddressForPlatform(
        the_platform(), "clEnqueueReleaseExternalMemObjectsKHR");
    CHECK(acquire && release);
}

HARNESS_UNUSED static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

HARNESS_UNUSED static int new_memfd(size_t bytes)
{
    // udmabuf takes no memory that could become shorter.
    int fd = memfd_create("weft", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(fd >= 0);
    CHECK_EQ(ftruncate(fd, (off_t)bytes), 0);
    CHECK_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    return fd;
}

HARNESS_UNUSED static cl_mem import_as(cl_mem_properties type, cl_context c, int fd, cl_mem_flags flags,
                                       size_t bytes, cl_int want)
{
    const cl_mem_properties p[] = {type, (cl_mem_properties)fd, 0};
    cl_int err = 1;
    cl_mem m = clCreateBufferWithProperties(c, p, flags, bytes, NULL, &err);
    CHECK_EQ(err, want);
    CHECK_EQ(m != NULL, want == CL_SUCCESS);
    return m;
}

HARNESS_UNUSED static cl_mem import_dma_buf(cl_context c, int fd, size_t bytes, cl_int want)
{
    return import_as(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, c, fd, 0, bytes, want);
}

HARNESS_UNUSED static cl_mem import_opaque(cl_context c, int fd, size_t bytes, cl_int want)
{
    return import_as(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, c, fd, 0, bytes, want);
}

#endif
