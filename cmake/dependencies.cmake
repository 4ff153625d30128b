# The libraries that Debian packages carry; docs/dependencies.md says why each was chosen. They are
# looked for here, once, so that every layer's CMakeLists.txt can name their targets.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
# Use fmt::fmt-header-only: Debian has fmt::fmt as a shared library alone, and the program is one
# file.
find_package(fmt 9 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
# Asio and Beast are headers. OpenSSL's libraries are linked into the program, which is one file and
# starts sooner without them to load.
find_package(Boost 1.81 REQUIRED)
set(OPENSSL_USE_STATIC_LIBS TRUE)
find_package(OpenSSL 3.0 REQUIRED)
if(CORDON_TESTS)
  find_package(GTest 1.12 REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(CORDON_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()
