#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples_test.sh BUILD CXX: installs the library into a folder of the build, compiles each installed header
# there, builds the examples against the installed copy as a user's own project, and compares what they print.
set -euo pipefail
examples=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
folder=$1/installed_examples prefix=$1/installed_examples/prefix programs=$1/installed_examples/programs
rm -rf "$folder"
mkdir -p "$folder"
exec 2>&1

# shows PATTERN COMMAND…: fails unless the command succeeds and what it prints matches, as a whole.
shows() {
  local pattern=$1 printed
  shift
  printed=$("$@") || { echo "$* failed: $printed"; exit 1; }
  [[ $printed =~ ^$pattern$ ]] || { printf '%s printed\n%s\nwhich does not match\n%s\n' "$*" "$printed" "$pattern"; exit 1; }
}

cmake --install "$1" --prefix "$prefix" >"$folder/install.log"
include=$prefix/include/quorumbench
(cd "$include" && find . -name '*.h' -printf '#include "%P"\n') >"$folder/all_headers.cpp"
[ -s "$folder/all_headers.cpp" ]
"$2" -std=c++20 -fsyntax-only -I "$include" "$folder/all_headers.cpp"

cmake -S "$examples" -B "$programs" -G Ninja -D CMAKE_CXX_COMPILER="$2" -D CMAKE_PREFIX_PATH="$prefix"
cmake --build "$programs" --parallel 2

shows 'the largest error is [0-9.e-]+' "$programs/cqs_attention"
for program in predicted_cost backward_pass skeleton_strategy; do "$programs/$program"; done
shows 'W = 13: \{0,1,3,9\}, singer; no set has fewer than 4 residues
worker 1 holds groups 1 2 4 10
and computes the pairs( \([0-9]+, [0-9]+\))+
workers compute [0-9]+ to [0-9]+ of the 16777216 query-key pairs' "$programs/interest_set" 13 4096
