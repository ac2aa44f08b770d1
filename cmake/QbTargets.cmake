# SPDX-License-Identifier: Apache-2.0
# qb_room(NAME [EXCEPT …] [LACKS …] [SOURCES …] [DEPENDS …] [PRIVATE_DEPENDS …] [TESTS …] [TEST_DEPENDS …]
#         [THREAD_TESTS …] [NOT_IN_THREAD_TESTS …] [NOT_MEASURED] [JOINED])
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
# JOINED: its sources are compiled in batches, so that names in their unnamed namespaces must differ.
# NOT_MEASURED: no measured time is spent in this room, so a release compiles it with less effort.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# A full build spends half of its time reading the same headers. A compiler cache saves more, and
# cannot cache files that use precompiled headers.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(qb_precompile_default OFF)
else()
  set(qb_precompile_default ON)
endif()
option(QB_PRECOMPILE "Compile the headers that most files share once" ${qb_precompile_default})

option(QB_JOIN "Compile sources in batches; a changed one compiles its whole batch" ON)

# Gives TARGET the precompiled headers of its kind (room, not_measured or test), which the first
# target of that kind compiles. Precompiled headers fit one set of options only.
function(qb_precompile target kind)
  if(NOT QB_PRECOMPILE)
    return()
  endif()
  set(owner qb_${kind}_headers)
  if(NOT TARGET ${owner})
    set(source ${PROJECT_BINARY_DIR}/precompiled/${owner}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    set(headers <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits>
                <map> <memory> <optional> <set> <span> <sstream> <string> <string_view> <utility>
                <vector> <fmt/format.h>)
    if(kind STREQUAL "test")  # an executable's code is not position-independent as a library's is
      add_executable(${owner} EXCLUDE_FROM_ALL ${source})
      target_link_libraries(${owner} PRIVATE fmt::fmt GTest::gmock)
      list(APPEND headers <random> <thread> <gmock/gmock.h> <gtest/gtest.h>)
    else()
      add_library(${owner} STATIC EXCLUDE_FROM_ALL ${source})
      target_link_libraries(${owner} PRIVATE fmt::fmt)
    endif()
    qb_target_options(${owner})
    qb_optimize(${owner} ${kind})
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  # A file that they do not fit reads the headers as usual.
  set_target_properties(${owner} ${target} PROPERTIES PCH_WARN_INVALID OFF)
endfunction()

# The flags of each kind of target after those of the build type. Optimized tests and rooms that are
# not measured would take most of a build. gcc 14.2 makes wrong code at -O1 (compiler_check.cpp)
# without -fno-ipa-modref, which costs nothing that can be measured in these rooms.
set(qb_room_flags)
set(qb_test_flags -O0)
set(qb_not_measured_flags)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  list(APPEND qb_not_measured_flags -O1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # strings and vectors are calls without it
    list(APPEND qb_not_measured_flags -finline-small-functions)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # At -O1 gcc 14 also warns of a std::optional that is read where it holds a value.
  list(APPEND qb_not_measured_flags -fno-ipa-modref -Wno-maybe-uninitialized)
endif()
foreach(kind room test not_measured)
  qb_check_compiler(${qb_${kind}_flags})
endforeach()

function(qb_optimize target kind)
  target_compile_options(${target} PRIVATE ${qb_${kind}_flags})
  # Compiling a check of every pointer access takes gcc longer than the rest of a test. The address
  # sanitizer still checks a test's accesses; rooms keep these checks.
  if(kind STREQUAL "test" AND QB_SANITIZE MATCHES undefined)
    target_compile_options(${target} PRIVATE
      -fno-sanitize=null,alignment,pointer-overflow,object-size,vptr)
  endif()
endfunction()

# A warning of a compiler that was not tried must not stop a build. Those of the others are errors in
# every build, so that `./qb test` need not compile again what another verb compiled.
set(qb_tried_compilers "GNU 12.2" "GNU 14.2" "NVIDIA 13.0")  # Debian 12, Debian 13, CUDA 13
function(qb_is_tried language result)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" version "${CMAKE_${language}_COMPILER_VERSION}")
  set(${result} OFF PARENT_SCOPE)
  if("${CMAKE_${language}_COMPILER_ID} ${version}" IN_LIST qb_tried_compilers)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
qb_is_tried(CXX qb_werror_default)
option(QB_WERROR "Warnings of our own code are errors" ${qb_werror_default})

function(qb_target_options target)
  set(warnings -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow)
  set(cuda_warnings -Xcompiler=-Wall,-Wextra,-Wshadow)
  if(QB_WERROR)
    list(APPEND warnings -Werror)
    qb_is_tried(CUDA cuda_errors)
    if(cuda_errors)
      list(APPEND cuda_warnings -Werror=all-warnings -Xcompiler=-Werror)
    endif()
  endif()
  # gcc 12 wrongly warns of overlapping copies in std::string's operator+ and insert (bug 105651).
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_warnings}>"
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  # File names in messages are relative to the root.
  set(prefix_map -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${prefix_map}>
    $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=${prefix_map}>)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  if(QB_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${QB_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${QB_SANITIZE})
    # gcc loses track of the members of std::variant (12) and std::optional (14) under sanitizers.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  endif()
endfunction()

# Sets the options of an executable of tests.
function(qb_test_options target)
  qb_target_options(${target})
  # gcc 12 wrongly warns that strings that begin with the path of the clone are copied out of
  # bounds, for some lengths of the path. The address sanitizer checks the same copies.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds -Wno-stringop-overflow>)
  qb_optimize(${target} test)
  qb_precompile(${target} test)
  if(NOT QB_ONEDNN)  # tests that need matrix products run all the same
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/kernels/testing/gemm_plain.cpp)
  endif()
endfunction()

function(qb_room name)
  set(lists EXCEPT LACKS SOURCES DEPENDS PRIVATE_DEPENDS TESTS TEST_DEPENDS THREAD_TESTS NOT_IN_THREAD_TESTS)
  cmake_parse_arguments(ARG "NOT_MEASURED;JOINED" "" "${lists}" ${ARGN})
  set(kind room)
  if(ARG_NOT_MEASURED)
    set(kind not_measured)
  endif()
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
  endif()
  add_library(qb_${name} STATIC ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY QB_ARCHIVES qb_${name})
  qb_target_options(qb_${name})
  qb_optimize(qb_${name} ${kind})
  qb_precompile(qb_${name} ${kind})
  if(ARG_JOINED AND QB_JOIN)
    set_target_properties(qb_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
  target_link_libraries(qb_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
  if(QB_SANITIZE STREQUAL "thread" AND ARG_THREAD_TESTS)
    set(ARG_TESTS ${ARG_THREAD_TESTS})
  endif()
  if(QB_TESTS AND ARG_TESTS)
    add_executable(qb_${name}_test)
    qb_join_tests(qb_${name}_test ${ARG_TESTS})
    qb_test_options(qb_${name}_test)
    target_link_libraries(qb_${name}_test PRIVATE qb_${name} ${ARG_TEST_DEPENDS}
                                                  GTest::gmock GTest::gtest_main)
    gtest_discover_tests(qb_${name}_test DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES TEST_PREFIX ${name}/
                         PROPERTIES TIMEOUT 300)
  endif()
endfunction()

# qb_join_tests(TARGET SOURCES…): makes TARGET compile its tests of SOURCES in batches, which takes a
# third of the time. Sources with the property SKIP_UNITY_BUILD_INCLUSION stay alone.
set(qb_joined_tests 24)
function(qb_join_tests target)
  if(NOT QB_JOIN)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(batch)
  set(number 0)
  foreach(source ${ARGN} "")
    if(source)
      get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
      if(alone OR NOT source MATCHES "_test\\.cpp$")
        target_sources(${target} PRIVATE ${source})
        continue()
      endif()
      get_filename_component(source ${source} ABSOLUTE)
      list(APPEND batch ${source})
    endif()
    list(LENGTH batch length)
    if(length EQUAL 0 OR (source AND length LESS qb_joined_tests))
      continue()
    endif()
    set(output ${PROJECT_BINARY_DIR}/joined/${target}_${number}.cpp)
    list(JOIN batch "|" sources)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} "-DSOURCES=${sources}" -DOUTPUT=${output}
              -P ${PROJECT_SOURCE_DIR}/cmake/JoinTests.cmake
      DEPENDS ${batch} ${PROJECT_SOURCE_DIR}/cmake/JoinTests.cmake
      VERBATIM)
    target_sources(${target} PRIVATE ${output})
    set(batch)
    math(EXPR number "${number} + 1")
  endforeach()
endfunction()

# qb_join_cuda(TARGET SOURCES…): makes TARGET compile CUDA sources as one, since nvcc's start and the
# headers take longer than short sources do; CMake 3.25 joins none. As in JOINED rooms, names in
# their unnamed namespaces must differ.
function(qb_join_cuda target)
  if(NOT QB_JOIN)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(includes)
  foreach(source ${ARGN})
    get_filename_component(source ${source} ABSOLUTE)
    file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
    string(APPEND includes "#include \"${source}\"\n")
  endforeach()
  list(GET ARGN 0 first)
  get_filename_component(name ${first} NAME_WE)
  set(output ${PROJECT_BINARY_DIR}/joined/${target}_${name}.cu)
  file(CONFIGURE OUTPUT ${output} CONTENT "${includes}")
  target_sources(${target} PRIVATE ${output})
endfunction()

# qb_mpi_test(NAME TARGET RANKS): adds a test with RANKS MPI ranks. There may be more ranks than
# cores, so they must yield to each other.
function(qb_mpi_test name target ranks)
  add_test(NAME ${name}
           COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none --mca mpi_yield_when_idle 1
                   ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}>)
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS 2 COST 5
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
endfunction()

# qb_embed(TARGET SYMBOL FILE): compiles a text file into TARGET as
# `namespace qb::embedded { extern const std::string_view SYMBOL; }`.
function(qb_embed target symbol file)
  set(output ${PROJECT_BINARY_DIR}/embedded/${target}_${symbol}.cpp)
  get_filename_component(input ${file} ABSOLUTE)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DSYMBOL=${symbol}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${input} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${output})
endfunction()

if(QB_TESTS)
  include(GoogleTest)
endif()
