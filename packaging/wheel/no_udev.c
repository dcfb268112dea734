// What the archive of hwloc asks for beside the C library, so that a small libhwloc.so.15 can be linked from it (hwloc.py). Of udev
// it asks names of disks, which Weft's topology doesn't have.
#include <dlfcn.h>
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))

struct udev;
struct udev_device;
HIDDEN struct udev *udev_new(void)
{
    return NULL;
}
HIDDEN struct udev *udev_unref(struct udev *u)
{
    return (void)u, NULL;
}
HIDDEN struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *u, const char *subsystem,
                                                                  const char *name)
{
    return (void)u, (void)subsystem, (void)name, NULL;
}
HIDDEN const char *udev_device_get_property_value(struct udev_device *d, const char *key)
{
    return (void)d, (void)key, NULL;
}
HIDDEN struct udev_device *udev_device_unref(struct udev_device *d)
{
    return (void)d, NULL;
}

// The archive is code for programs: it reaches the C library's variables directly, which a library can't. These are copies.
HIDDEN void *stderr, *stdout, *program_invocation_name;

__attribute__((constructor)) static void copy_variables(void)
{
    struct {
        const char *name;
        void **copy;
    } variables[] = {
        {"stderr", &stderr}, {"stdout", &stdout}, {"program_invocation_name", &program_invocation_name}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        void **original = dlsym(RTLD_NEXT, variables[i].name);
        *variables[i].copy = original ? *original : NULL;
    }
}
