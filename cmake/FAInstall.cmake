# `cmake --install`: tools, headers, the archive, and the package that find_package(FA) finds.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(FA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/FA)
target_include_directories(FA INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include>"
  "$<INSTALL_INTERFACE:include>")
# FAConfig.cmake adds MLIR: our own targets choose between its shared library and its archives themselves
# (fa_link_mlir).

install(TARGETS FA EXPORT FATargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The build tree is a package, too: -DFA_DIR=build/release.
export(EXPORT FATargets NAMESPACE FA:: FILE ${PROJECT_BINARY_DIR}/FATargets.cmake)
install(EXPORT FATargets NAMESPACE FA:: DESTINATION ${FA_PACKAGE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/FAConfig.cmake.in
  ${PROJECT_BINARY_DIR}/FAConfig.cmake INSTALL_DESTINATION ${FA_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FAConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/FAConfig.cmake ${PROJECT_BINARY_DIR}/FAConfigVersion.cmake
  DESTINATION ${FA_PACKAGE_DIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ DESTINATION include FILES_MATCHING PATTERN "*.inc")

get_property(tools GLOBAL PROPERTY FA_TOOLS)
foreach(tool IN LISTS tools)
  get_target_property(type ${tool} TYPE)
  if(type MATCHES "EXECUTABLE|_LIBRARY")
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
