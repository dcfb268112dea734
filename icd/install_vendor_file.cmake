# At install time: writes weft.icd with the path that libweft.so has been installed at, and installs it where loaders
# look for the prefix. WEFT_LIBDIR (below the prefix), WEFT_ICD_VENDORS_DIR (empty: by the prefix) and WEFT_SCRATCH are set
# by icd/CMakeLists.txt; CMAKE_INSTALL_PREFIX and DESTDIR are the installer's.
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
file(WRITE "${WEFT_SCRATCH}/weft.icd" "${libdir}/libweft.so\n")
file(INSTALL DESTINATION "${vendors}" TYPE FILE FILES "${WEFT_SCRATCH}/weft.icd") # DESTDIR goes before it
