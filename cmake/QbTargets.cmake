# qb_room(NAME SOURCES … [DEPENDS …] [PRIVATE_DEPENDS …] [TESTS …] [TEST_DEPENDS …])
#
# One room of the house: a static library qb_NAME and, with QB_TESTS, one test binary qb_NAME_test whose
# cases CTest runs one by one. Include paths start at the repository root, so that every include
# shows which room it reaches into.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

function(qb_target_options target)
  # gcc 12 sees overlapping copies in std::string's operator+ and insert (its bug 105651).
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  if(QB_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${QB_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${QB_SANITIZE})
    if(QB_SANITIZE STREQUAL thread)
      # gcc 12 loses track of std::variant's members under it.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

function(qb_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS;TESTS;TEST_DEPENDS" ${ARGN})
  add_library(qb_${name} STATIC ${ARG_SOURCES})
  qb_target_options(qb_${name})
  target_link_libraries(qb_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
  if(QB_TESTS AND ARG_TESTS)
    add_executable(qb_${name}_test ${ARG_TESTS})
    qb_target_options(qb_${name}_test)
    # The tests' own code is not what is measured: optimising it would take half of a build.
    target_compile_options(qb_${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
    target_compile_definitions(qb_${name}_test PRIVATE QB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(qb_${name}_test PRIVATE qb_${name} ${ARG_TEST_DEPENDS}
                                                  GTest::gmock GTest::gtest_main)
    gtest_discover_tests(qb_${name}_test DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES TEST_PREFIX ${name}/
                         PROPERTIES TIMEOUT 300)
  endif()
endfunction()

# qb_mpi_test(NAME TARGET RANKS): a test of so many MPI ranks. They may be more than there are cores, so
# they must give way to each other.
function(qb_mpi_test name target ranks)
  add_test(NAME ${name}
           COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none --mca mpi_yield_when_idle 1
                   ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}>)
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS 2
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
  target_sources(${target} PRIVATE ${output})
endfunction()

if(QB_TESTS)
  include(GoogleTest)
endif()
