# SPDX-License-Identifier: Apache-2.0
# qb_build_info(TARGET [WITHOUT LIBRARY …]): compiles into TARGET the definition of
# qb::build_info(), with the git state of the sources at each build. The file is rewritten only when
# its text changes, so a build without changes has nothing to do. WITHOUT: libraries that TARGET
# leaves out.
#
# Run as a script (-P), this file writes that definition.

# What no run depends on: a changed figure, spec or page of text does not make another binary. All else
# counts, and so does a new file whose name is that of a source.
set(qb_not_sources data/measured data/papers data/faults docs paper_figures *.md *.yaml)
list(TRANSFORM qb_not_sources PREPEND ":(exclude)")
set(qb_names_of_sources *.h *.cpp *.cu *.cuh *.cmake CMakeLists.txt)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(qb_build_info target)
    cmake_parse_arguments(ARG "" "" WITHOUT ${ARGN})
    set(libraries "")
    foreach(package fmt nlohmann_json CLI11 yaml-cpp hwy benchmark)
      find_package(${package} QUIET)
      if(${package}_FOUND)
        list(APPEND libraries "${package} ${${package}_VERSION}")
      endif()
    endforeach()
    # oneDNN's package file in Debian insists on OpenCL, so its version is read from its header.
    find_file(qb_dnnl_version_header oneapi/dnnl/dnnl_version.h)
    mark_as_advanced(qb_dnnl_version_header)
    if(QB_ONEDNN AND qb_dnnl_version_header)
      file(STRINGS ${qb_dnnl_version_header} numbers
           REGEX "define DNNL_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
      list(TRANSFORM numbers REPLACE "[^0-9]" "")
      list(JOIN numbers "." version)
      list(APPEND libraries "oneDNN ${version}")
    endif()
    foreach(left_out ${ARG_WITHOUT})
      list(FILTER libraries EXCLUDE REGEX "^${left_out} ")
    endforeach()
    list(JOIN libraries ", " libraries)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" flags)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/build_info.cpp)
    add_custom_target(${target}_build_info
      COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D SOURCE=${PROJECT_SOURCE_DIR}
              -D VERSION=${PROJECT_VERSION} -D BUILD_TYPE=${CMAKE_BUILD_TYPE}
              "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
              "-DFLAGS=${flags}" "-DSANITIZE=${QB_SANITIZE}" -D CUDA=${QB_CUDA}
              "-DLIBRARIES=${libraries}" -P ${PROJECT_SOURCE_DIR}/cmake/BuildInfo.cmake
      BYPRODUCTS ${output}
      COMMENT "Recording the state of the sources"  # ./qb recognizes this step by these words
      VERBATIM)
    add_dependencies(${target} ${target}_build_info)
    set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # the kit has its own
    target_sources(${target} PRIVATE ${output})
  endfunction()
  return()
endif()

find_program(git git)
set(commit "")
set(changes "")
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "")
  else()
    execute_process(COMMAND ${git} -C ${SOURCE} --no-optional-locks status --porcelain
                            --untracked-files=no -- . ${qb_not_sources}
                    OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${git} -C ${SOURCE} ls-files --others --exclude-standard --
                            ${qb_names_of_sources}
                    OUTPUT_VARIABLE new_sources OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
set(modified false)
if(changes OR new_sources)
  set(modified true)
endif()
set(cuda false)
if(CUDA)
  set(cuda true)
endif()

set(content "// Made by cmake/BuildInfo.cmake.
#include \"harness/experiment/store/environment.h\"

namespace qb {

const BuildInfo& build_info() {
  static const BuildInfo info{
      R\"(${VERSION})\", R\"(${commit})\", ${modified}, R\"(${BUILD_TYPE})\", R\"(${COMPILER})\",
      R\"(${FLAGS})\", R\"(${SANITIZE})\", ${cuda}, R\"(${LIBRARIES})\"};
  return info;
}

}  // namespace qb
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL content)
  file(WRITE ${OUTPUT} "${content}")
endif()
