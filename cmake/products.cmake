# What leaves the tree: libcordon.so, its headers and its CMake and pkg-config packages, and the
# program `cordon`.
#
# The library is all layers but cli, with Wasmtime inside. The program links the same layers
# statically: it is one file and does not need the library.
include(CMakePackageConfigHelpers)

configure_file("${PROJECT_SOURCE_DIR}/cmake/version.h.in" "${PROJECT_BINARY_DIR}/include/cordon/version.h" @ONLY)

get_property(layers GLOBAL PROPERTY CORDON_LAYERS)
list(REMOVE_ITEM layers cli)
list(TRANSFORM layers PREPEND "cordon_")
set(objects "${layers}")
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")

# Nothing in a shared library calls its public functions, so the linker would take none of them from
# the layers' archives: it gets their objects, and the archives only for what they depend on. What
# no public function reaches is dropped by --gc-sections.
add_library(cordon SHARED ${objects})
add_library(cordon::cordon ALIAS cordon)
# nghttp2 comes before the layers, and so before its archive, of which nothing is then needed.
target_link_libraries(cordon PRIVATE "${CORDON_NGHTTP2_SHARED}" ${layers} cordon_flags)
set(exported_symbols "${PROJECT_SOURCE_DIR}/cmake/libcordon.map")
target_link_options(cordon PRIVATE "LINKER:--version-script=${exported_symbols}")
target_include_directories(
  cordon INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include>"
                   "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_compile_features(cordon INTERFACE cxx_std_23)
# Before 1.0 a minor version may change the ABI, so it is part of the library's name.
set_target_properties(
  cordon
  PROPERTIES VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
             LINKER_LANGUAGE CXX
             LINK_DEPENDS "${exported_symbols}")

# As `cmake --install --strip` does it. What is in build/ keeps its symbols for a debugger.
if(CORDON_STRIP)
  install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)")
endif()

if(TARGET cordon_cli)
  add_executable(cordon_program "${PROJECT_SOURCE_DIR}/src/cordon/cli/main.cc")
  target_link_libraries(cordon_program PRIVATE cordon::cli cordon_flags)
  # The C++ library is inside as well, so that the file runs on a machine with an older one.
  if(NOT CORDON_SANITIZE)
    target_link_options(cordon_program PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # A file that the linker writes through a mapping lies in the page cache in single pages. Read
    # or written as files are, it lies there in larger pieces, and a process of it starts in an
    # eighth less time.
    target_link_options(cordon_program PRIVATE -Wl,--no-mmap-output-file)
  endif()
  set_target_properties(cordon_program PROPERTIES OUTPUT_NAME cordon)
  install(TARGETS cordon_program RUNTIME)
  include(completions)
  # The unit names the program where it is installed.
  file(READ "${PROJECT_SOURCE_DIR}/packaging/systemd/cordon.service" unit)
  string(REPLACE "/usr/bin/cordon" "${CMAKE_INSTALL_FULL_BINDIR}/cordon" unit "${unit}")
  file(WRITE "${PROJECT_BINARY_DIR}/cordon.service" "${unit}")
  install(FILES "${PROJECT_BINARY_DIR}/cordon.service" DESTINATION lib/systemd/system)
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cordon")
install(TARGETS cordon EXPORT cordonTargets LIBRARY)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/cordon" "${PROJECT_BINARY_DIR}/include/cordon"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(EXPORT cordonTargets NAMESPACE cordon:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cordonConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/cordonConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cordonConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cordonConfig.cmake" "${PROJECT_BINARY_DIR}/cordonConfigVersion.cmake"
        DESTINATION "${package_dir}")

# pkg-config's file finds its prefix from where it lies, so an installed tree can be moved.
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH prefix_from_pkgconfig "/${pkgconfig_dir}" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/cordon.pc.in" "${PROJECT_BINARY_DIR}/cordon.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cordon.pc" DESTINATION "${pkgconfig_dir}")
