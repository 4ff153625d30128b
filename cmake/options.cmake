# What can be chosen when configuring, and the flags that every target of ours is compiled with.

option(CORDON_WERROR "Warnings are errors" ON)
option(CORDON_STRIP "cmake --install leaves debug information out: it is more than half of the program" ON)
option(CORDON_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(CORDON_BENCH "Build the benchmarks (needs Google Benchmark)" OFF)
option(CORDON_FUZZ "Build the fuzz targets with libFuzzer instead of the replay program" OFF)
option(CORDON_LIVE_FUZZ "ctest also fuzzes for a few seconds, in a build of its own" OFF)
set(CORDON_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The layers end in a shared library that shows only what is marked CORDON_API.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
include(CheckPIESupported)
check_pie_supported()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
include(GNUInstallDirs)

find_program(CORDON_CCACHE ccache)
mark_as_advanced(CORDON_CCACHE)
if(CORDON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the checkout are hashed relative to it, so that a second clone is served from the
  # first one's results.
  set(launcher ${CMAKE_COMMAND} -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
               ${CORDON_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Usage of all targets of ours: the warnings and sanitizers are not passed on to those who install
# the library.
add_library(cordon_flags INTERFACE)
target_compile_options(
  cordon_flags
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
            $<$<BOOL:${CORDON_WERROR}>:-Werror>
            -fstack-protector-strong -ffunction-sections -fdata-sections)
# Bounds of vector, span, string_view and optional are checked in every build: the input is
# untrusted.
target_compile_definitions(cordon_flags INTERFACE _GLIBCXX_ASSERTIONS)
if(NOT CORDON_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(cordon_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
target_link_options(cordon_flags INTERFACE -Wl,-z,relro,-z,now -Wl,--gc-sections)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Members that say which lock guards them (base/thread_annotations.h) are used under it.
  target_compile_options(cordon_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety>)
  target_link_options(cordon_flags INTERFACE -fuse-ld=lld)
endif()

set(sanitizers ${CORDON_SANITIZE})
if(CORDON_FUZZ)
  string(JOIN "," sanitizers ${CORDON_SANITIZE} fuzzer-no-link)
endif()
if(sanitizers)
  target_compile_options(cordon_flags INTERFACE -fsanitize=${sanitizers} -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer)
  target_link_options(cordon_flags INTERFACE -fsanitize=${sanitizers})
endif()
