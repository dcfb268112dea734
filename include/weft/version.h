// Which Weft this is, with the commit that was built. Installed copies are told apart by it.
#ifndef WEFT_VERSION_H
#define WEFT_VERSION_H

// For example "0.2.0-7+0123456789.llvm22.1.8": version, number of the format of binaries, commit, version of
// LLVM. "-dirty" follows the commit if files were changed since. Without a git checkout, there is no commit.
// cmake/write_version.cmake writes the definition.
extern const char weft_full_version[];

#endif
