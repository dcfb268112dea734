// What the cgroups of this process let it use. Files are read below `root`: "/" in production, a made-up tree
// in tests. Any thread. The result depends only on the system and the arguments.
#ifndef WEFT_BASE_TEXT_CGROUP_H
#define WEFT_BASE_TEXT_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the text of a file below root, NUL-terminated; the caller owns it. NULL: it can't be read.
char *weft_system_file(const char *root, const char *path);

// Number of CPUs that a quota of processor time allows, rounded up; 0: no limit.
uint32_t weft_cgroup_cpus(const char *root);
uint64_t weft_cgroup_memory(const char *root); // bytes; UINT64_MAX: no limit
// Writes the folder of the cgroup that sets this limit, without the root. False: there is none, or it has
// `size` characters or more.
bool weft_cgroup_memory_group(const char *root, char *folder, size_t size);

#endif
