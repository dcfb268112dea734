# What is installed besides the programs: licences, and the target `uninstall`.

# Weft's own licence, and those of what weftc is linked with. Their texts are where the system keeps them.
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/cmake/THIRD-PARTY DESTINATION ${CMAKE_INSTALL_DOCDIR})
function(install_licence name)
  foreach(path IN LISTS ARGN)
    if(EXISTS ${path})
      get_filename_component(path ${path} REALPATH)
      install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${name})
      return()
    endif()
  endforeach()
  message(STATUS "Weft: the text of the licence of ${name} isn't on this system and won't be installed (cmake/THIRD-PARTY)")
endfunction()
file(GLOB gcc_licences /usr/share/doc/libstdc++-*-dev/copyright /usr/share/licenses/gcc*/*RUNTIME*)
install_licence(LLVM /usr/share/doc/llvm-${WEFT_LLVM}-dev/copyright /usr/share/doc/libclang-${WEFT_LLVM}-dev/copyright
                ${LLVM_DIR}/../../../LICENSE.TXT /usr/share/licenses/llvm/LICENSE.TXT /usr/share/licenses/llvm-libs/LICENSE.TXT)
# Debian's texts refer to these two.
install_licence(Apache-2.0 /usr/share/common-licenses/Apache-2.0 ${LLVM_DIR}/../../../LICENSE.TXT)
install_licence(GPL-3 /usr/share/common-licenses/GPL-3 /usr/share/licenses/common/GPL3/license.txt)
install_licence(GCC-runtime /usr/share/doc/libstdc++6/copyright ${gcc_licences})

add_custom_target(uninstall COMMENT "Removing what was installed last" VERBATIM
                  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake)

# cpack: one file that works wherever it is unpacked.
set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_NAME weft)
string(TOLOWER "weft-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/movable.cmake)
include(CPack)
