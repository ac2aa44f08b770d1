#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_traps.sh NVCC SOURCE debug|release OUTPUT: checks where the assembly of flash_traps.cu traps, in each of its two
# kernels. Both builds trap where shared memory is not aligned; a debug build also traps where a wait
# for a barrier takes too long, by the clock.
set -eu
define='' expected='2 0'
[ "$3" = release ] || define=-DQB_CUDA_DEBUG expected='4 4'
"$1" -std=c++20 -O3 $define -I"$2" -gencode=arch=compute_90a,code=compute_90a -ptx -o "$4" \
  "$2/kernels/cuda/testing/checks/flash_traps.cu"
found="$(grep -c 'trap;' "$4" || true) $(grep -c '%globaltimer;' "$4" || true)"
[ "$found" = "$expected" ] && exit
echo "A $3 build has $found traps and readings of the clock, not $expected: see $4."
exit 1
