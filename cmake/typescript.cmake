# CORDON_TYPESCRIPT_WASM, the WebAssembly module that strips types. guest/CMakeLists.txt compiles it.

set(CORDON_TYPESCRIPT_SCRIPT "${PROJECT_SOURCE_DIR}/tools/typescript.sh")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CORDON_TYPESCRIPT_SCRIPT}"
                                       "${PROJECT_SOURCE_DIR}/tools/typescript/package-lock.json")

execute_process(
  COMMAND "${CORDON_TYPESCRIPT_SCRIPT}"
  OUTPUT_VARIABLE typescript_answer
  RESULT_VARIABLE typescript_failed)
if(typescript_failed OR NOT typescript_answer MATCHES "CORDON_TYPESCRIPT_WASM=([^\n]+)")
  message(FATAL_ERROR "tools/typescript.sh could not provide the module that strips types; its messages are above.")
endif()
set(CORDON_TYPESCRIPT_WASM "${CMAKE_MATCH_1}")
message(STATUS "TypeScript: ${CORDON_TYPESCRIPT_WASM}")
