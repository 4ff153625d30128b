#pragma once

// Says what is missing before the first header that needs it. The include of a file that is not
// there ends the compilation: the hundreds of errors that would follow say nothing more.

#if __cplusplus <= 202002L
#error \
    "Cordon needs C++23: pass -std=c++23; in CMake, target_compile_features(app PRIVATE cxx_std_23)"
#include "no more is compiled: see the error above"
#endif

#include <version>

#if !defined(__cpp_lib_expected) || !defined(__cpp_lib_move_only_function)
#error \
    "Cordon needs std::expected and std::move_only_function: use g++ 12 or clang 19, or later ones"
#include "no more is compiled: see the error above"
#endif
