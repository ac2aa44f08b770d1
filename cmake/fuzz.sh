#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gives the readers of specs, tensors (NPY and safetensors files) and run folders damaged input
# (libFuzzer with the address and undefined-behaviour sanitizers) and says whether one ended in another
# way than by reading it or by an error of its own. The programs are in harness/cli/testing/fuzz; what
# they start from are the specs and runs of this checkout, and a few tensors beside the programs.
#
# Exit codes: 0 nothing was found; 1 a reader failed, the lines above name the input; 2 usage; 3 clang
# or its libFuzzer is missing, or the build failed.
set -euo pipefail

usage() {
  cat <<'TEXT'
fuzz.sh [options] [READER…]
  READER         spec, npy or run (all)
  --runs N       inputs for each reader (20000)
  --seed N       where the random changes begin (1)
  --build DIR    the build that the programs are made in (build/fuzz)
TEXT
}

fail() {
  printf 'fuzz.sh: %s\n' "$2" >&2
  exit "$1"
}

checkout=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
runs=20000 seed=1 build=$checkout/build/fuzz readers=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --runs) runs=${2:-}; shift ;;
    --seed) seed=${2:-}; shift ;;
    --build) build=${2:-}; shift ;;
    spec | npy | run) readers+=("$1") ;;
    *) usage >&2; fail 2 "'$1' is neither an option nor a reader" ;;
  esac
  shift || fail 2 "a value is missing"
done
[ ${#readers[@]} -gt 0 ] || readers=(spec npy run)
programs=$build/harness/cli

build_programs() {
  local compiler
  # clang 14 cannot read the ranges of gcc 12's library.
  compiler=$(command -v clang++-{22..15} clang++ | head -n 1)
  [ -n "$compiler" ] || fail 3 "clang++ is missing: install clang-19"
  cmake -S "$checkout" --preset fuzz -B "$build" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null &&
    cmake --build "$build" --target "${readers[@]/#/qb_fuzz_}" >&2 ||
    fail 3 "the programs could not be built (Debian: apt install clang-19 libclang-rt-19-dev libomp-19-dev)"
}

# The files of a run with the rows of its first case, as one input of qb_fuzz_run.
input_of_run() {
  local case_id name
  case_id=$(sed -n 2p "$1/cases.csv" | cut -d, -f2)
  for name in manifest.json spec.resolved.yaml {cases,samples,memory_timeline,steps,parts}.csv; do
    [ -f "$1/$name" ] || continue
    printf '== %s\n' "$name"
    case $name in
      *.csv) head -n 1 "$1/$name"; grep -m 3 -e "$case_id," "$1/$name" || true ;;
      *) cat "$1/$name" ;;
    esac
  done
}

make_seeds() {
  local reader=$1 to=$2 run
  case $reader in
    spec) cp "$checkout"/experiments/*.yaml "$to" ;;
    npy) cp "$checkout"/harness/cli/testing/fuzz/seeds/*.{npy,safetensors} "$to" ;;
    run)
      for run in "$checkout"/data/measured/*/*/; do
        [ ! -f "$run/cases.csv" ] || input_of_run "${run%/}" >"$to/$(basename "$run")"
      done ;;
  esac
}

# Replays inputs that took more than a second, in which the machine may have done something else:
# what counts is CPU time, here with the sanitizers.
count_slow() {
  local program=$1 folder=$2 input slow=0 took TIMEFORMAT=%U
  for input in "$folder"/slow-unit-*; do
    [ -f "$input" ] || continue
    took=$({ time "$program" -close_fd_mask=3 "$input" >/dev/null 2>&1; } 2>&1)
    [ "${took%.*}" -ge 1 ] || continue
    slow=$((slow + 1))
    echo "  slow: $input ($took s)" >&2
  done
  echo "$slow"
}

stat_of() { sed -n "s/^stat::$2: *//p" "$1"; }

# An allocation of more than 1 GiB is a crash, and so is an input that takes ten seconds.
fuzz() {
  local reader=$1 folder ended=0 slow crashes
  folder=$build/fuzz/$reader
  rm -rf "$folder"
  mkdir -p "$folder/seeds" "$folder/found"
  make_seeds "$reader" "$folder/seeds"
  TMPDIR=$([ -w /dev/shm ] && echo /dev/shm || echo /tmp) "$programs/qb_fuzz_$reader" \
    -runs="$runs" -seed="$seed" -len_control=0 -timeout=10 -report_slow_units=1 \
    -malloc_limit_mb=1024 -rss_limit_mb=4096 -close_fd_mask=3 -print_final_stats=1 \
    -artifact_prefix="$folder/" "$folder/found" "$folder/seeds" >"$folder/log" 2>&1 || ended=$?
  crashes=$(find "$folder" -maxdepth 1 -regex '.*/\(crash\|oom\|timeout\|leak\)-[0-9a-f]*' | wc -l)
  slow=$(count_slow "$programs/qb_fuzz_$reader" "$folder")
  printf '%-4s %9s inputs, %s crashes, %s slower than 1 s, peak memory %s MiB\n' "$reader" \
    "$(stat_of "$folder/log" number_of_executed_units)" "$crashes" "$slow" \
    "$(stat_of "$folder/log" peak_rss_mb)"
  [ "$ended" = 0 ] && [ "$slow" = 0 ] && return
  echo "  see $folder/log" >&2
  return 1
}

build_programs
failed=0
for reader in "${readers[@]}"; do fuzz "$reader" || failed=1; done
exit "$failed"
