# CORDON_ENCODINGS, the tables of the Encoding Standard. guest/CMakeLists.txt makes them data of the program.

set(CORDON_ENCODINGS_SCRIPT "${PROJECT_SOURCE_DIR}/tools/encodings.sh")
set_property(
  DIRECTORY APPEND
  PROPERTY CMAKE_CONFIGURE_DEPENDS "${CORDON_ENCODINGS_SCRIPT}" "${PROJECT_SOURCE_DIR}/tools/encodings/Cargo.lock"
           "${PROJECT_SOURCE_DIR}/tools/encodings/src/main.rs")

execute_process(
  COMMAND "${CORDON_ENCODINGS_SCRIPT}"
  OUTPUT_VARIABLE encodings_answer
  RESULT_VARIABLE encodings_failed)
if(encodings_failed OR NOT encodings_answer MATCHES "CORDON_ENCODINGS=([^\n]+)")
  message(FATAL_ERROR "tools/encodings.sh could not provide the tables of encodings; its messages are above.")
endif()
set(CORDON_ENCODINGS "${CMAKE_MATCH_1}")
message(STATUS "encodings: ${CORDON_ENCODINGS}")
