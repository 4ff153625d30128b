# What measures amplification, for the benchmark and for the test of the same.
set(amplify_sources memory_meter.cc way.cc codec_ways.cc guest_ways.cc http_ways.cc tunnel_ways.cc runner_ways.cc plugin_ways.cc)
list(TRANSFORM amplify_sources PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
list(APPEND amplify_sources "${CMAKE_CURRENT_LIST_DIR}/../codec/attacks.cc")
