# cordon::ada: the URL parser, compiled from the source that tools/ada.sh fetches, and
# CORDON_ADA_DIR, the folder of that source. Its warnings are not ours, and its headers are SYSTEM.

set(CORDON_ADA_SCRIPT "${PROJECT_SOURCE_DIR}/tools/ada.sh")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CORDON_ADA_SCRIPT}"
                                       "${PROJECT_SOURCE_DIR}/tools/sources/Cargo.lock")

execute_process(
  COMMAND "${CORDON_ADA_SCRIPT}"
  OUTPUT_VARIABLE ada_answer
  RESULT_VARIABLE ada_failed)
if(ada_failed OR NOT ada_answer MATCHES "CORDON_ADA_DIR=([^\n]+)")
  message(FATAL_ERROR "tools/ada.sh could not provide the source of ada; its messages are above.")
endif()
set(CORDON_ADA_DIR "${CMAKE_MATCH_1}")
message(STATUS "ada: ${CORDON_ADA_DIR}")

add_library(cordon_ada STATIC "${CORDON_ADA_DIR}/ada.cpp")
add_library(cordon::ada ALIAS cordon_ada)
target_include_directories(cordon_ada SYSTEM PUBLIC "${CORDON_ADA_DIR}")
# URLPattern needs a regular expression engine and is not used.
target_compile_definitions(cordon_ada PUBLIC ADA_INCLUDE_URL_PATTERN=0)
target_compile_options(cordon_ada PRIVATE -w -ffunction-sections -fdata-sections)
# It reads untrusted text like our own code does, so it is hardened and sanitized like our own code.
target_compile_definitions(cordon_ada PRIVATE _GLIBCXX_ASSERTIONS)
if(sanitizers)
  target_compile_options(cordon_ada PRIVATE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
