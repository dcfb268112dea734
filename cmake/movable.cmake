# Run by cpack between installing and packing. Where the package will be unpacked isn't known, so weft.icd has the library's
# name alone. `bin/weft env` finds the library by its own place.
file(GLOB_RECURSE vendor_files "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/weft.icd" "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/weft.icd")
if(NOT vendor_files)
  message(FATAL_ERROR "no weft.icd in ${CPACK_TEMPORARY_INSTALL_DIRECTORY}")
endif()
foreach(path IN LISTS vendor_files)
  file(WRITE "${path}" "libweft.so\n")
endforeach()
