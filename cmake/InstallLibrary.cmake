# SPDX-License-Identifier: Apache-2.0
# `cmake --install` puts the library into a prefix: the headers of the pure rooms and of the CPU's
# kernels, libquorumbench.a, and a CMake package for find_package(QuorumBench). The archive holds
# the objects of this build. examples/ shows its use.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(rooms qb_base qb_quorum qb_kernels qb_plan)
list(TRANSFORM rooms REPLACE ".+" "$<TARGET_OBJECTS:\\0>" OUTPUT_VARIABLE objects)
add_library(quorumbench STATIC ${objects})
set_target_properties(quorumbench PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(quorumbench INTERFACE cxx_std_20)
target_include_directories(quorumbench INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/quorumbench>)
target_link_libraries(quorumbench INTERFACE fmt::fmt hwy::hwy Threads::Threads ${CMAKE_DL_LIBS})
if(QB_ONEDNN)
  target_link_libraries(quorumbench INTERFACE ${QB_DNNL_LIBRARY} OpenMP::OpenMP_CXX)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/QuorumBench)
install(TARGETS quorumbench EXPORT QuorumBench)
install(EXPORT QuorumBench FILE QuorumBenchTargets.cmake NAMESPACE QuorumBench::
        DESTINATION ${package})
configure_package_config_file(cmake/QuorumBenchConfig.cmake.in
  ${PROJECT_BINARY_DIR}/QuorumBenchConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/QuorumBenchConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/QuorumBenchConfig.cmake
              ${PROJECT_BINARY_DIR}/QuorumBenchConfigVersion.cmake DESTINATION ${package})

# Installed includes start at the root of the repository too.
function(qb_install_headers folder)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quorumbench/${parent}
          FILES_MATCHING PATTERN "*.h" PATTERN "testing" EXCLUDE PATTERN "cpu" EXCLUDE
                         PATTERN "cuda" EXCLUDE)
endfunction()
foreach(room base interest_sets kernels harness/plan)
  qb_install_headers(${room})
endforeach()

if(QB_TESTS)
  add_test(NAME library/examples
           COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D SOURCE=${PROJECT_SOURCE_DIR}
                   -D GENERATOR=${CMAKE_GENERATOR} -D CXX=${CMAKE_CXX_COMPILER}
                   -P ${PROJECT_SOURCE_DIR}/examples/examples_test.cmake)
  set_tests_properties(library/examples PROPERTIES TIMEOUT 600 PROCESSORS 2)
endif()
