#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# count_lines.sh: prints how many lines git has of the product (C++, CUDA, Python and JavaScript, without tests and
# their doubles) and of CMake, which a change may not raise without a reason.
set -euo pipefail
cd "$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")"

# lines NAME PATTERN…: counts the lines of the files in git that match, without those that are no product.
lines() {
  local name=$1 count
  shift
  count=$(git ls-files -z -- "$@" | grep -zvE '_test\.|/testing/|test_|_fakes|fake_torch' | xargs -0 cat | wc -l)
  printf '%-8s %6d\n' "$name" "$count"
}
lines product '*.cpp' '*.h' '*.cu' '*.cuh' '*.py' '*.js'
lines CMake CMakeLists.txt '**/CMakeLists.txt' '*.cmake'
