# SPDX-License-Identifier: Apache-2.0
# qb_room(NAME [EXCEPT …] [LACKS …] [SOURCES …] [DEPENDS …] [PRIVATE_DEPENDS …] [TESTS …] [TEST_DEPENDS …]
#         [THREAD_TESTS …] [NOT_IN_THREAD_TESTS …] [MEASURED])
#
# A room has the sources below its folder, and a new one needs no line: *_test.cpp are its tests,
# main.cpp is a program and testing/ has doubles. EXCEPT are patterns of others that it leaves out;
# SOURCES and TESTS are added. LACKS are sources, without .cpp, that this build cannot compile:
# X_none.cpp replaces X.cpp where there is such a file.
#
# A room is a static library qb_NAME and, with QB_TESTS, one test binary qb_NAME_test whose cases
# CTest runs one by one. Include paths start at the repository root, so that every include shows
# which room it uses.
#
# THREAD_TESTS: those of TESTS that the thread sanitizer's build compiles; without the list, all.
# NOT_IN_THREAD_TESTS: patterns of sources that no thread test reaches, which the thread sanitizer's
# build leaves out. That build is for thread tests only; a test that reaches such a source fails to link.
# MEASURED: what experiments time, so that a release compiles it at -O3, the others at -O2.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Most sources read the same headers and instantiate the same templates. In batches they do so
# once; names in the unnamed namespaces of a room must therefore differ, and those of its tests.
option(CMAKE_UNITY_BUILD "Compile sources in batches; a changed one compiles its batch" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)

set(QB_TEST_TIMEOUT_S 300 CACHE STRING "Seconds after which a test has failed")
option(QB_WERROR "Warnings of our own code are errors, for developers" OFF)

# Sets the options of every target.
function(qb_target_options target)
  set(warnings -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow)
  set(cuda_warnings -Wall,-Wextra,-Wshadow)
  if(QB_WERROR)
    list(APPEND warnings -Werror)
    string(APPEND cuda_warnings ",-Werror;-Werror=all-warnings")
  endif()
  # gcc wrongly warns of copies of strings that overlap (bug 105651) or run past their ends, the latter
  # for some lengths of the clone's path, and of members of std::variant and std::optional that were
  # not set. The address sanitizer checks the same accesses. In a batch it also warns of types in
  # unnamed namespaces that no other batch sees.
  set(false_warnings -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-maybe-uninitialized
      -Wno-subobject-linkage)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>" "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${cuda_warnings}>"
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${false_warnings}>")
  # File names in messages are relative to the root. A product and a sum are one operation only where
  # the code says so.
  set(prefix_map -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${prefix_map};-ffp-contract=off>"
                                           $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${prefix_map}>)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  if(QB_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${QB_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${QB_SANITIZE})
  endif()
endfunction()

# Sets the options of a program of tests, which are not optimized.
function(qb_test_options target)
  qb_target_options(${target})
  target_compile_options(${target} PRIVATE -O0)
  if(QB_SANITIZE MATCHES undefined)
    # Compiling a check of every pointer access takes gcc longer than the rest of a test. The address
    # sanitizer still checks a test's accesses; rooms keep these checks.
    target_compile_options(${target} PRIVATE
      -fno-sanitize=null,alignment,pointer-overflow,object-size,vptr)
  endif()
  if(NOT target STREQUAL qb_test_headers)
    target_precompile_headers(${target} REUSE_FROM qb_test_headers)
  endif()
  if(NOT QB_ONEDNN)  # tests that need matrix products run all the same
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/kernels/testing/gemm_plain.cpp)
  endif()
endfunction()

# Precompiled headers fit one set of options: those of rooms, of a measured one, or of tests.
set(qb_shared_headers <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map>
  <memory> <optional> <set> <span> <sstream> <string> <string_view> <utility> <vector>
  <fmt/format.h> <nlohmann/json.hpp>)
set(stub ${PROJECT_BINARY_DIR}/precompiled/headers.cpp)
file(CONFIGURE OUTPUT ${stub} CONTENT "int main() {}\n")
add_library(qb_headers STATIC EXCLUDE_FROM_ALL ${stub})
qb_target_options(qb_headers)
target_link_libraries(qb_headers PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
target_precompile_headers(qb_headers PRIVATE ${qb_shared_headers})
if(QB_TESTS)
  include(GoogleTest)
  add_executable(qb_test_headers EXCLUDE_FROM_ALL ${stub})
  qb_test_options(qb_test_headers)
  target_link_libraries(qb_test_headers PRIVATE fmt::fmt nlohmann_json::nlohmann_json GTest::gmock)
  target_precompile_headers(qb_test_headers PRIVATE
    ${qb_shared_headers} <random> <thread> <gmock/gmock.h> <gtest/gtest.h>)
endif()

# qb_test(TARGET PREFIX SOURCES… [DEPENDS …]): makes a program of tests; CTest runs each as PREFIX/….
function(qb_test target prefix)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(${target} ${ARG_UNPARSED_ARGUMENTS})
  qb_test_options(${target})
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES TEST_PREFIX ${prefix}/
                       PROPERTIES TIMEOUT ${QB_TEST_TIMEOUT_S})
endfunction()

function(qb_room name)
  set(lists EXCEPT LACKS SOURCES DEPENDS PRIVATE_DEPENDS TESTS TEST_DEPENDS THREAD_TESTS NOT_IN_THREAD_TESTS)
  cmake_parse_arguments(ARG "MEASURED" "" "${lists}" ${ARGN})
  file(GLOB_RECURSE found RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)
  foreach(pattern ${ARG_EXCEPT})
    list(FILTER found EXCLUDE REGEX "^${pattern}")
  endforeach()
  set(tests ${found})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER found EXCLUDE REGEX "_test\\.cpp$|_none\\.cpp$|(^|/)testing/|^main\\.cpp$")
  foreach(lacking ${ARG_LACKS})
    list(REMOVE_ITEM found ${lacking}.cpp)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${lacking}_none.cpp)
      list(APPEND found ${lacking}_none.cpp)
    endif()
  endforeach()
  list(APPEND ARG_SOURCES ${found})
  list(APPEND ARG_TESTS ${tests})
  if(QB_SANITIZE STREQUAL "thread")
    foreach(pattern ${ARG_NOT_IN_THREAD_TESTS})
      list(FILTER ARG_SOURCES EXCLUDE REGEX "^${pattern}")
    endforeach()
    if(ARG_THREAD_TESTS)
      set(ARG_TESTS ${ARG_THREAD_TESTS})
    endif()
  endif()
  add_library(qb_${name} STATIC ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY QB_ARCHIVES qb_${name})
  qb_target_options(qb_${name})
  if(ARG_MEASURED)
    target_compile_options(qb_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
    target_precompile_headers(qb_${name} PRIVATE ${qb_shared_headers})
  else()
    target_precompile_headers(qb_${name} REUSE_FROM qb_headers)
  endif()
  target_link_libraries(qb_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
  if(QB_TESTS AND ARG_TESTS)
    qb_test(qb_${name}_test ${name} ${ARG_TESTS} DEPENDS qb_${name} ${ARG_TEST_DEPENDS})
  endif()
endfunction()

# qb_mpi_tests(NAME SOURCE DEPENDS RANKS …): makes a program of tests that ends with MPI_Finalize, and
# adds a test for each number of ranks. There may be more ranks than cores, so they must yield.
function(qb_mpi_tests name source depends)
  cmake_parse_arguments(ARG "" "" "RANKS" ${ARGN})
  string(REPLACE / _ target qb_${name}_test)
  add_executable(${target} ${source})
  qb_test_options(${target})
  target_link_libraries(${target} PRIVATE ${depends} fmt::fmt GTest::gmock GTest::gtest)
  foreach(ranks ${ARG_RANKS})
    qb_script_test(${name}_${ranks}_ranks "TIMEOUT;300;PROCESSORS;2;COST;5"
      ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none --mca mpi_yield_when_idle 1
      ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}>)
    set_tests_properties(${name}_${ranks}_ranks PROPERTIES
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
  endforeach()
endfunction()

# qb_script_test(NAME PROPERTIES COMMAND…): adds a test that is skipped where the command ends with 77.
function(qb_script_test name properties)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 ${properties})
endfunction()

# qb_embed(TARGET SYMBOL FILE): compiles a text file into TARGET as
# `namespace qb::embedded { extern const std::string_view SYMBOL; }`.
function(qb_embed target symbol file)
  set(output ${PROJECT_BINARY_DIR}/embedded/${target}_${symbol}.cpp)
  get_filename_component(input ${file} ABSOLUTE)
  file(READ ${input} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${input})
  file(CONFIGURE OUTPUT ${output} CONTENT [[
#include <string_view>
namespace qb::embedded {
extern const std::string_view @symbol@;
const std::string_view @symbol@ = R"embedded(@text@)embedded";
}  // namespace qb::embedded
]] @ONLY)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                                                   SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${output})
endfunction()
