# At build time: writes OUT with weft_full_version, if it isn't there already with this content. SOURCE: the top folder; GIT: the
# program, or nothing; COMMIT: the commit, if it is known; LLVM: its version.
set(commit "${COMMIT}")
if(GIT AND NOT commit)
  # A source tree that lies within another project's checkout isn't of its commit.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE checkout
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(real "${SOURCE}" REALPATH)
  if(checkout STREQUAL real)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --exclude * --abbrev=10 OUTPUT_VARIABLE commit
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
set(built)
if(commit)
  list(APPEND built ${commit})
endif()
if(LLVM)
  list(APPEND built llvm${LLVM})
endif()
string(REPLACE ";" "." built "${built}")
if(built)
  set(built "+${built}")
endif()
set(text "// cmake/write_version.cmake has written this.
#include \"base/base.h\"
#include \"weft/code_object.h\"
#include \"weft/version.h\"
const char weft_full_version[] = WEFT_VERSION \"-\" WEFT_TEXT(WEFT_CODE_OBJECT_NUMBER) \"${built}\";
")
set(old "")
if(EXISTS "${OUT}")
  file(READ "${OUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUT}" "${text}")
endif()
