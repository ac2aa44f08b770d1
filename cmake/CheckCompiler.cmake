# SPDX-License-Identifier: Apache-2.0
# qb_check_compiler(FLAGS…): stops the configuration if the compiler makes wrong code of
# cmake/compiler_check.cpp with these flags after those of the build type.
#
# Run as a script (-P) with -D COMPILER=…, -D FOLDER=… and -D FLAGS=…, it checks any compiler.

function(qb_try_compiler compiler folder)
  list(JOIN ARGN " " flags)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${compiler} ${ARGN} -o ${folder}/compiler_check
                          ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/compiler_check.cpp
                  RESULT_VARIABLE failed ERROR_VARIABLE errors)
  if(failed)
    message(FATAL_ERROR "${compiler} cannot compile a small program with '${flags}': ${errors}")
  endif()
  execute_process(COMMAND ${folder}/compiler_check RESULT_VARIABLE wrong OUTPUT_VARIABLE product
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(wrong)
    message(FATAL_ERROR
      "${compiler} makes wrong code with '${flags}': [1, 2, 3] times [1, 2, 3] is [1, 4, 9], not "
      "'${product}'. Verdicts of such a build would be wrong. Use other flags or another compiler; "
      "gcc 14.2 needs -fno-ipa-modref at -O1.")
  endif()
endfunction()

function(qb_check_compiler)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  if(QB_SANITIZE)
    list(APPEND flags -fsanitize=${QB_SANITIZE})
  endif()
  qb_try_compiler(${CMAKE_CXX_COMPILER} ${PROJECT_BINARY_DIR}/compiler_check
                  -std=c++${CMAKE_CXX_STANDARD} ${flags} ${ARGN})
endfunction()

# Adds a test that a compiler with wrong answers is refused.
function(qb_compiler_test)
  add_test(NAME wrong_compiler
           COMMAND ${CMAKE_COMMAND} -D COMPILER=${PROJECT_SOURCE_DIR}/cmake/testing/wrong_compiler.sh
                   -D FOLDER=${PROJECT_BINARY_DIR}/wrong_compiler -D FLAGS=-O1
                   -P ${PROJECT_SOURCE_DIR}/cmake/CheckCompiler.cmake)
  set_tests_properties(wrong_compiler PROPERTIES PASS_REGULAR_EXPRESSION "makes[ \n]+wrong[ \n]+code")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  separate_arguments(flags UNIX_COMMAND "${FLAGS}")
  qb_try_compiler(${COMPILER} ${FOLDER} ${flags})
endif()
