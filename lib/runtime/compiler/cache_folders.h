// The folders of the disk cache: the first is written, all are read, in their order. Any thread.
#ifndef WEFT_RUNTIME_CACHE_FOLDERS_H
#define WEFT_RUNTIME_CACHE_FOLDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

// How many there are. The first one counts even if it can't be used.
unsigned weft_cache_folder_count(void);
// NULL: the first one can't be used. Lives as long as the process.
const char *weft_cache_folder_path(unsigned index);
// Opens a folder and checks it each time, because somebody may have opened it to other users meanwhile. The
// descriptor is the caller's. -1: it can't be used, which is said once of those behind the first.
int weft_cache_folder_open(unsigned index);
// May machine code come from that file, or from files of that folder?
bool weft_cache_is_trusted(const struct stat *st, bool is_first);

// What the folder's file system takes for the time, in seconds: a server of NFS may be hours off this
// machine. Tells the ages of files. INT64_MIN if nothing can be written there: then no file is old.
int64_t weft_cache_folder_now(int dir);

// The name of a file that appears under another name when it is whole. No other one has it.
#define WEFT_CACHE_TEMPORARY 80
void weft_cache_temporary_name(char name[WEFT_CACHE_TEMPORARY]);

#endif
