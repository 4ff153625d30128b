# The libraries that Debian packages carry; docs/dependencies.md says why each was chosen. They are
# looked for here, once, so that every layer's CMakeLists.txt can name their targets.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
# Use fmt::fmt-header-only: Debian has fmt::fmt as a shared library alone, and the program is one
# file.
find_package(fmt 9 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
# Asio is headers. OpenSSL's libraries are linked into the program, which is one file and
# starts sooner without them to load.
find_package(Boost 1.81 REQUIRED)
set(OPENSSL_USE_STATIC_LIBS TRUE)
find_package(OpenSSL 3.0 REQUIRED)
# Linked into the program and the library, for the same reason.
find_path(CORDON_ZSTD_INCLUDE zstd.h REQUIRED)
find_library(CORDON_ZSTD_LIBRARY libzstd.a REQUIRED)
add_library(cordon_zstd STATIC IMPORTED GLOBAL)
set_target_properties(
  cordon_zstd PROPERTIES IMPORTED_LOCATION "${CORDON_ZSTD_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                    "${CORDON_ZSTD_INCLUDE}")
# In the program too. Debian's archive is not such code as a shared library can take in, so
# libcordon.so loads the other one (products.cmake).
find_path(CORDON_NGHTTP2_INCLUDE nghttp2/nghttp2.h REQUIRED)
find_library(CORDON_NGHTTP2_ARCHIVE libnghttp2.a REQUIRED)
find_library(CORDON_NGHTTP2_SHARED libnghttp2.so REQUIRED)
add_library(cordon_nghttp2 STATIC IMPORTED GLOBAL)
set_target_properties(
  cordon_nghttp2 PROPERTIES IMPORTED_LOCATION "${CORDON_NGHTTP2_ARCHIVE}"
                            INTERFACE_INCLUDE_DIRECTORIES "${CORDON_NGHTTP2_INCLUDE}")
if(CORDON_TESTS)
  find_package(GTest 1.12 REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(CORDON_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()
