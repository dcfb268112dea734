# Runs at install time. Writes weft.icd, which contains the path of the installed libweft.so or WEFT_ICD_NAME,
# and installs it where ICD loaders look for it. icd/CMakeLists.txt sets WEFT_LIBDIR (relative to the prefix),
# WEFT_ICD_VENDORS_DIR (empty: depends on the prefix) and WEFT_SCRATCH. CMAKE_INSTALL_PREFIX and DESTDIR are
# set by the installer.
get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
if(IS_ABSOLUTE "${WEFT_LIBDIR}")
  set(libdir "${WEFT_LIBDIR}")
else()
  set(libdir "${prefix}/${WEFT_LIBDIR}")
endif()
if(WEFT_ICD_VENDORS_DIR)
  set(vendors "${WEFT_ICD_VENDORS_DIR}")
elseif(prefix STREQUAL "/usr" OR prefix STREQUAL "/")
  set(vendors /etc/OpenCL/vendors)
else()
  set(vendors "${prefix}/etc/OpenCL/vendors")
endif()
if(NOT IS_ABSOLUTE "${vendors}")
  set(vendors "${prefix}/${vendors}")
endif()
if(NOT WEFT_ICD_NAME)
  set(WEFT_ICD_NAME "${libdir}/libweft.so")
endif()
file(WRITE "${WEFT_SCRATCH}/weft.icd" "${WEFT_ICD_NAME}\n")
file(INSTALL DESTINATION "${vendors}" TYPE FILE FILES "${WEFT_SCRATCH}/weft.icd") # file(INSTALL) prepends DESTDIR
