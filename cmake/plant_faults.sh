#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plants single-line faults in a source, one at a time, and says which test catches each.
#
# universalmutator (PyPI) edits one line: an operator, a number, a condition, a statement. The build
# makes the test binary again, which then runs. The tree must be clean; the source is put back.
#
# Exit codes: 0 done; 2 usage; 3 the tree is not clean, or its tests fail without a fault.
set -euo pipefail

usage() {
  cat <<'TEXT'
plant_faults.sh SOURCE TARGET [OPTIONS]
  SOURCE       such as harness/plan/work/work.cpp
  TARGET       the test binary that should notice, such as qb_plan_test
  --faults N   how many of the possible ones, drawn with a seed (20)
  --seed S     (1)
  --build DIR  (build/release)
It prints a line for each fault: what caught it, or nothing; then the edited line.
TEXT
}

fail() { printf 'plant_faults.sh: %s\n' "$2" >&2; exit "$1"; }

cd "$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")"
faults=20 seed=1 build=build/release
words=()
while [ $# -gt 0 ]; do
  case $1 in
    --faults | --seed | --build)
      [ $# -gt 1 ] || fail 2 "$1 needs a value (see --help)"
      printf -v "${1#--}" '%s' "$2"
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *) words+=("$1") ;;
  esac
  shift
done
[ ${#words[@]} -eq 2 ] || { usage >&2; exit 2; }
source=${words[0]} target=${words[1]}
git diff --quiet -- "$source" || fail 3 "$source has changes; commit them first"

folder=$(mktemp -d)
trap 'git checkout -q -- "$source"; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q universalmutator==1.14.1
mkdir "$folder/mutants"
"$folder/venv/bin/mutate" "$source" --noCheck --mutantDir "$folder/mutants" > "$folder/log"

# try: builds the target and runs its tests; prints the first that failed, or nothing.
try() {
  cmake --build "$build" --target "$target" > "$folder/log" 2>&1 || { echo 'does not compile'; return; }
  local binary
  binary=$(find "$build" -name "$target" -type f -perm -u+x | head -n 1)
  if timeout 600 "$binary" --gtest_brief=1 > "$folder/log" 2>&1; then
    echo nothing
  else
    sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$folder/log" | head -n 1 | grep . || echo 'crash or time'
  fi
}

honest=$(try)
[ "$honest" = nothing ] || fail 3 "without a fault: $honest"
find "$folder/mutants" -type f | sort | shuf -n "$faults" --random-source=<(yes "$seed") |
  while read -r mutant; do
    cp "$mutant" "$source"
    printf '%s\t%s\n' "$(try)" "$(git diff -U0 -- "$source" | sed -n 's/^[-+] *\([^-+ ]\)/\1/p' | paste -sd '>')"
  done
