# SPDX-License-Identifier: Apache-2.0
# qb_build_info(TARGET [WITHOUT LIBRARY …]): compiles into TARGET the definition of qb::build_info(), with
# the git state of the sources at each build. WITHOUT: libraries that TARGET leaves out.
function(qb_build_info target)
  cmake_parse_arguments(ARG "" "" WITHOUT ${ARGN})
  set(libraries "")
  foreach(package fmt nlohmann_json CLI11 yaml-cpp hwy benchmark)
    find_package(${package} QUIET)
    if(${package}_FOUND AND NOT package IN_LIST ARG_WITHOUT)
      list(APPEND libraries "${package} ${${package}_VERSION}")
    endif()
  endforeach()
  if(QB_ONEDNN AND NOT oneDNN IN_LIST ARG_WITHOUT)  # it has no package file that can be used
    file(STRINGS ${QB_DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h numbers
         REGEX "define DNNL_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
    list(TRANSFORM numbers REPLACE "[^0-9]" "")
    list(JOIN numbers "." version)
    list(APPEND libraries "oneDNN ${version}")
  endif()
  list(JOIN libraries ", " libraries)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" flags)
  set(cuda false)
  if(QB_CUDA)
    set(cuda true)
  endif()
  set(state ${CMAKE_CURRENT_BINARY_DIR}/build_state.inc)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/build_info.cpp)
  file(CONFIGURE OUTPUT ${output} CONTENT [[
#include "harness/experiment/store/environment.h"
namespace qb {
const BuildInfo& build_info() {
  static const BuildInfo info{
      "@PROJECT_VERSION@",
#include "build_state.inc"
      , "@CMAKE_BUILD_TYPE@", "@CMAKE_CXX_COMPILER_ID@ @CMAKE_CXX_COMPILER_VERSION@", R"(@flags@)",
      "@QB_SANITIZE@", @cuda@, "@libraries@"};
  return info;
}
}  // namespace qb
]] @ONLY)
  add_custom_target(${target}_build_state
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/build_state.sh ${PROJECT_SOURCE_DIR} ${state}
    BYPRODUCTS ${state}
    COMMENT "Recording the state of the sources"  # ./qb recognizes this step by these words
    VERBATIM)
  add_dependencies(${target} ${target}_build_state)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # the kit has its own
  target_sources(${target} PRIVATE ${output})
endfunction()
