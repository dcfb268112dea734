# weft_version: a string with the versions of Weft and LLVM and the commit that was built, in an object file of its own. After a
# commit, only what links it is made anew. Without a git checkout, WEFT_COMMIT names the commit, or nothing does.
find_program(WEFT_GIT git)
set(version_source ${CMAKE_BINARY_DIR}/weft_version.c)
add_custom_target(weft_version_source BYPRODUCTS ${version_source} VERBATIM
                  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DGIT=${WEFT_GIT} -DOUT=${version_source}
                          -DCOMMIT=${WEFT_COMMIT} -DLLVM=${LLVM_PACKAGE_VERSION}
                          -P ${CMAKE_SOURCE_DIR}/cmake/write_version.cmake)
add_library(weft_version OBJECT ${version_source})
target_link_libraries(weft_version PRIVATE weft_options)
add_dependencies(weft_version weft_version_source)
