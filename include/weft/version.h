// Which Weft this is, with the commit that was built. Installed copies are told apart by it.
#ifndef WEFT_VERSION_H
#define WEFT_VERSION_H

// For example "0.1.0-7+0123456789": version, number of the format of binaries, commit. "-dirty" follows if
// files were changed since the commit. Without a git checkout, there is no commit. cmake/write_version.cmake
// writes the definition.
extern const char weft_full_version[];

#endif
