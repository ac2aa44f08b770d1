# SPDX-License-Identifier: Apache-2.0
# Installs the library into a folder of the build, compiles each installed header there, builds the
# examples against the installed copy as a user's own project, and compares what they print.
#   cmake -D BUILD=… -D SOURCE=… -D GENERATOR=… -D CXX=… -P examples_test.cmake
set(prefix ${BUILD}/installed_examples/prefix)
set(programs ${BUILD}/installed_examples/programs)
file(REMOVE_RECURSE ${BUILD}/installed_examples)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "${words} ended with ${code}:\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

function(run_example expected)
  run(${ARGN})
  if(NOT said MATCHES "^${expected}\n$")
    message(FATAL_ERROR "${ARGN} printed\n${said}\nwhich does not match\n${expected}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

set(include ${prefix}/include/quorumbench)
file(GLOB_RECURSE headers RELATIVE ${include} ${include}/*.h)
list(TRANSFORM headers REPLACE ".+" "#include \"\\0\"\n")
list(JOIN headers "" all_headers)
file(WRITE ${BUILD}/installed_examples/all_headers.cpp "${all_headers}")
run(${CXX} -std=c++20 -fsyntax-only -I ${include} ${BUILD}/installed_examples/all_headers.cpp)

run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${programs} -G ${GENERATOR}
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${programs} --parallel 2)

run_example("the plan is exact
(2097664 pairs of [0-9]+ queries
)+speed-up of the work: 4.00
block .6, 0.: computed by no worker" ${programs}/plan_and_check)
run_example("the largest error is [0-9.e-]+" ${programs}/cqs_attention)
foreach(program predicted_cost merge_partials backward_pass skeleton_strategy)
  run(${programs}/${program})
endforeach()
run_example("W = 13: {0,1,3,9}, singer; no set has fewer than 4 residues
worker 1 holds groups 1 2 4 10
and computes the pairs( \\([0-9]+, [0-9]+\\))+
workers compute [0-9]+ to [0-9]+ of the 16777216 query-key pairs" ${programs}/interest_set 13 4096)
