# cordon_layer(codec SOURCES json/decode.cc … TESTS json/decode_test.cc … DEPENDS cordon::value …
#              [PRIVATE_DEPENDS CLI11::CLI11 …] [TEST_DEPENDS rapidcheck …])
#
# One layer of src/cordon/: the static library cordon_<name>, known as cordon::<name>, and the test
# program <name>_tests, which links this layer and what it depends on. A call into a higher layer
# therefore does not link. What the linker cannot see, a header that holds all its code, is seen by
# tests/layering, which reads the same lists from ${PROJECT_BINARY_DIR}/layers.txt.
include(GoogleTest)

function(cordon_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "SOURCES;TESTS;DEPENDS;PRIVATE_DEPENDS;TEST_DEPENDS")
  if(layer_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cordon_layer(${name}): what is ${layer_UNPARSED_ARGUMENTS}?")
  endif()

  add_library(cordon_${name} STATIC ${layer_SOURCES})
  add_library(cordon::${name} ALIAS cordon_${name})
  target_include_directories(
    cordon_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src"
                          "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(
    cordon_${name}
    PUBLIC ${layer_DEPENDS}
    PRIVATE ${layer_PRIVATE_DEPENDS} $<BUILD_INTERFACE:cordon_flags>)
  target_compile_definitions(cordon_${name} PRIVATE CORDON_BUILDING)

  set_property(GLOBAL APPEND PROPERTY CORDON_LAYERS ${name})
  set(line "${name}:")
  foreach(dependency IN LISTS layer_DEPENDS layer_PRIVATE_DEPENDS)
    if(dependency MATCHES "^cordon::(.*)")
      string(APPEND line " ${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set_property(GLOBAL APPEND_STRING PROPERTY CORDON_LAYER_LINES "${line}\n")

  if(CORDON_TESTS AND layer_TESTS)
    cordon_test(${name}_tests SOURCES ${layer_TESTS} LINK cordon::${name} ${layer_TEST_DEPENDS} LABEL ${name})
  endif()
endfunction()

# cordon_test(codec_tests SOURCES … LINK … [LABEL codec]): a GoogleTest program whose every test is one
# of ctest's. The names are read when ctest starts, so that a build runs nothing. Tests run in the
# checkout's root and open their files by relative names: the path of a clone in a compile command
# would keep ccache from serving the next clone.
function(cordon_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "LABEL" "SOURCES;LINK")
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${test_LINK} GTest::gmock GTest::gtest_main cordon_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  if(NOT test_LABEL)
    set(test_LABEL ${name})
  endif()
  gtest_discover_tests(
    ${name}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${test_LABEL} TIMEOUT 120)
endfunction()

# The declared dependencies, a line a layer, for tests/layering.
function(cordon_write_layers)
  get_property(lines GLOBAL PROPERTY CORDON_LAYER_LINES)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/layers.txt" CONTENT "${lines}")
endfunction()
