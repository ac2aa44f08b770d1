# SPDX-License-Identifier: Apache-2.0
# cmake -DNVCC= -DSOURCE= -DBUILD=debug|release -DOUTPUT= -P check_traps.cmake checks where the
# assembly of flash_traps.cu traps, in each of its two kernels. Both builds trap where shared memory
# is not aligned; a debug build also traps where a wait for a barrier takes too long, by the clock.
set(define)
set(expected_traps 2)
set(expected_clocks 0)
if(BUILD STREQUAL "debug")
  set(define -DQB_CUDA_DEBUG)
  set(expected_traps 4)
  set(expected_clocks 4)
endif()
execute_process(COMMAND ${NVCC} -std=c++20 -O3 ${define} -I${SOURCE}
                        -gencode=arch=compute_90a,code=compute_90a -ptx -o ${OUTPUT}
                        ${SOURCE}/kernels/cuda/testing/checks/flash_traps.cu COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${OUTPUT} traps REGEX "trap;")
file(STRINGS ${OUTPUT} clocks REGEX "%globaltimer;")
list(LENGTH traps n_traps)
list(LENGTH clocks n_clocks)
if(NOT n_traps EQUAL expected_traps OR NOT n_clocks EQUAL expected_clocks)
  message(FATAL_ERROR "A ${BUILD} build has ${n_traps} traps and reads the clock ${n_clocks} times, "
                      "not ${expected_traps} and ${expected_clocks}: see ${OUTPUT}.")
endif()
