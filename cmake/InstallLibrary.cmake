# SPDX-License-Identifier: Apache-2.0
# `cmake --install` puts the library into a prefix: the headers of its rooms, libquorumbench.a, and a
# CMake package for find_package(QuorumBench). The archive holds the objects of this build, up to
# the sweeps of harness/experiment. examples/ shows its use. A build folder is such a package too,
# which python/ links.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(rooms qb_base qb_quorum qb_kernels qb_flash_work qb_plan qb_run qb_rehearse qb_verify
          qb_forecast qb_workload qb_yaml qb_experiment)
if(QB_CUDA)
  list(APPEND rooms qb_kernels_cuda qb_flash_cuda)
else()
  list(APPEND rooms qb_device)
endif()
list(TRANSFORM rooms REPLACE ".+" "$<TARGET_OBJECTS:\\0>" OUTPUT_VARIABLE objects)
add_library(quorumbench STATIC ${objects})
set_target_properties(quorumbench PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(quorumbench INTERFACE cxx_std_20)
target_include_directories(quorumbench INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/quorumbench>)
target_link_libraries(quorumbench INTERFACE fmt::fmt hwy::hwy yaml-cpp Threads::Threads ${CMAKE_DL_LIBS}
  $<$<BOOL:${QB_MPI}>:MPI::MPI_CXX> $<$<BOOL:${QB_CUDA}>:CUDA::cudart_static>
  "$<$<BOOL:${QB_ONEDNN}>:${QB_DNNL_LIBRARY};gomp>")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/QuorumBench)
install(TARGETS quorumbench EXPORT QuorumBench)
install(EXPORT QuorumBench FILE QuorumBenchTargets.cmake NAMESPACE QuorumBench::
        DESTINATION ${package})
configure_package_config_file(cmake/QuorumBenchConfig.cmake.in
  ${PROJECT_BINARY_DIR}/QuorumBenchConfig.cmake INSTALL_DESTINATION ${package})
export(EXPORT QuorumBench FILE ${PROJECT_BINARY_DIR}/QuorumBenchTargets.cmake
       NAMESPACE QuorumBench::)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/QuorumBenchConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/QuorumBenchConfig.cmake
              ${PROJECT_BINARY_DIR}/QuorumBenchConfigVersion.cmake DESTINATION ${package})

# Installed includes start at the root of the repository too.
foreach(folder base interest_sets kernels harness/plan harness/run harness/rehearse
               harness/verify harness/forecast harness/workload harness/experiment)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quorumbench/${parent}
          FILES_MATCHING PATTERN "*.h" PATTERN "testing" EXCLUDE PATTERN "*-inl.h" EXCLUDE
                         PATTERN "highway_targets.h" EXCLUDE PATTERN "mpi_state.h" EXCLUDE)
endforeach()

if(QB_TESTS)
  qb_script_test(library/examples "TIMEOUT;600;PROCESSORS;2"
    ${PROJECT_SOURCE_DIR}/examples/examples_test.sh ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
  qb_script_test(python/wheel "TIMEOUT;600;PROCESSORS;2;COST;60"
    ${PROJECT_SOURCE_DIR}/python/test.sh ${PROJECT_BINARY_DIR})
  qb_script_test(python/torch "TIMEOUT;300;FIXTURES_REQUIRED;wheel"
    ${PROJECT_SOURCE_DIR}/python/torch_test.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(python/wheel PROPERTIES FIXTURES_SETUP wheel)
endif()
