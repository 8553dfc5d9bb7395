# Install rules: headers, library, CMake package, pkg-config file.
include(CMakePackageConfigHelpers)

set(SALTUS_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/saltus")

install(TARGETS saltus EXPORT saltusTargets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/saltus" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT saltusTargets NAMESPACE saltus:: DESTINATION "${SALTUS_CMAKE_DIR}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/saltusConfig.cmake.in" "${PROJECT_BINARY_DIR}/saltusConfig.cmake"
  INSTALL_DESTINATION "${SALTUS_CMAKE_DIR}")
# Before 1.0 a minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/saltusConfig.cmake"
              "${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake"
        DESTINATION "${SALTUS_CMAKE_DIR}")

get_property(private_libs GLOBAL PROPERTY SALTUS_PRIVATE_LIBS)
list(REMOVE_DUPLICATES private_libs)
list(TRANSFORM private_libs PREPEND "-l")
list(JOIN private_libs " " SALTUS_PC_PRIVATE_LIBS)
# Relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH SALTUS_PC_PREFIX
     "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" SALTUS_PC_PREFIX "${SALTUS_PC_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/saltus.pc.in" "${PROJECT_BINARY_DIR}/saltus.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/saltus.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
