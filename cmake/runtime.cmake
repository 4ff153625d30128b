# cordon::runtime: Wasmtime and our few additions to its C API as one static library (the Cargo
# crate runtime/), and CORDON_QUICKJS_DIR, the QuickJS-ng sources of the guest. tools/runtime.sh
# keeps both in a cache outside the checkout.

set(CORDON_RUNTIME_SCRIPT "${PROJECT_SOURCE_DIR}/tools/runtime.sh")
file(GLOB runtime_inputs runtime/Cargo.* runtime/src/*.rs runtime/include/*.h runtime/patches/*/*.diff)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CORDON_RUNTIME_SCRIPT}" ${runtime_inputs})

execute_process(
  COMMAND "${CORDON_RUNTIME_SCRIPT}"
  OUTPUT_VARIABLE runtime_answer
  RESULT_VARIABLE runtime_failed)
if(runtime_failed)
  message(FATAL_ERROR "tools/runtime.sh could not provide Wasmtime; its messages are above. "
                      "On Debian 12, `./dev build` installs what it needs.")
endif()
foreach(variable CORDON_RUNTIME_DIR CORDON_QUICKJS_DIR)
  if(NOT runtime_answer MATCHES "${variable}=([^\n]+)")
    message(FATAL_ERROR "tools/runtime.sh did not name ${variable}: ${runtime_answer}")
  endif()
  set(${variable} "${CMAKE_MATCH_1}")
endforeach()
message(STATUS "Wasmtime: ${CORDON_RUNTIME_DIR}")

add_library(cordon_runtime STATIC IMPORTED GLOBAL)
add_library(cordon::runtime ALIAS cordon_runtime)
set_target_properties(
  cordon_runtime
  PROPERTIES IMPORTED_LOCATION "${CORDON_RUNTIME_DIR}/lib/libcordon_runtime.a"
             INTERFACE_INCLUDE_DIRECTORIES "${CORDON_RUNTIME_DIR}/include"
             INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CORDON_RUNTIME_DIR}/include")
target_link_libraries(cordon_runtime INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
