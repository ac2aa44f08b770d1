#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./qb kit makes the one archive that a machine with a GPU needs, and unpacks its results.
#
#   ./qb kit [--out FILE]              writes build/quorumbench-kit.tar.xz, which Python's tarfile
#                                      opens too, or FILE: .tar.xz or .tar.zst
#   ./qb kit --unpack FILE [--force]   unpacks results into data/measured/GPU/
#
# --build FOLDER and --into FOLDER replace build/release and data/measured.
#
# The archive unpacks into one folder, quorumbench-kit/, that may be moved and renamed. It holds qb
# and the GPU tests in bin/, the specs and scripts in experiments/, what draws figures in
# plots/, published data in data/, and manifest.json with commit, compiler, CUDA and the sha256 of
# every file. In bin/debug/ are tests of the flash kernels whose waits trap after ten seconds. It needs x86-64 Linux with glibc 2.36 or newer and nothing else; qb searches NVIDIA's
# libraries when it needs them (`bin/qb env` says where). It has no MPI and no oneDNN, so on the CPU
# the kernels materialized and staged and transformer layers are `unsupported`. The same commit
# and the same build make the same archive, byte for byte.
#
# On that machine:
#   tar -xf quorumbench-kit.tar.xz && quorumbench-kit/experiments/gpu/acceptance.sh
#
# --unpack takes an archive of one folder named after the GPU, which holds run folders and
# verdict.txt. It writes nothing if the archive holds links or paths that lead out of that folder,
# or if a run folder of the same name has other content, which --force replaces. It runs `qb verify`
# on each run that has a plan.
#
# Exit codes: 0 success, 1 a run does not pass `qb verify`, 2 usage or a bad archive, 3 a tool or
# the build is missing, or the archive is larger than 25 MiB.
set -euo pipefail

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
build=$root/build/release
largest_bytes=$((25 * 1024 * 1024))
licensed=(libfmt-dev libhwy-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libgtest-dev
  libstdc++6)

say() { printf 'kit: %s\n' "$*" >&2; }
fail() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

scratch=
trap 'rm -rf "${scratch:-/nonexistent}"' EXIT

fact() { sed -n "s/^$1=//p" "$build/kit/facts"; }

# Fails if a file of the kit holds a path of this machine.
check_paths() {
  local folder=$1 found path
  for path in "$(fact source)" "$(fact build)"; do
    found=$(grep -rlF -e "$path/" "$folder" || true)
    [ -z "$found" ] || fail 3 "these files hold the path $path of this machine: ${found//$'\n'/ }"
  done
}

manifest() {
  local folder=$1 comma='' architecture architectures='' path sum
  for architecture in $(fact architectures | tr ';' ' '); do
    architectures+="${architectures:+, }\"sm_$architecture\""
  done
  printf '{\n  "name": "quorumbench-kit",\n  "version": "%s",\n' "$(fact version)"
  printf '  "commit": "%s",\n  "modified": %s,\n' "$(git -C "$root" rev-parse HEAD)" "$modified"
  printf '  "date": "%s",\n' "$(date -u -d "@$commit_time" +%Y-%m-%dT%H:%M:%SZ)"
  printf '  "compiler": "%s",\n  "cuda": "%s",\n' "$(fact compiler)" "$(fact cuda)"
  printf '  "architectures": [%s],\n  "files": {' "$architectures"
  while IFS= read -r path; do
    sum=$(sha256sum <"$folder/$path")
    printf '%s\n    "%s": "%s"' "$comma" "$path" "${sum%% *}"
    comma=,
  done < <(cd "$folder" && find . -type f -printf '%P\n' | LC_ALL=C sort)
  printf '\n  }\n}\n'
}

# compress FILE: compresses stdin to stdout in the format that FILE's name says, reproducibly. The
# programs have the same GPU code, so that windows are as long as any decompressor takes unasked;
# more effort (preset 6) would take six times as long for 10 % less.
compress() {
  case $1 in
    *.tar.zst) zstd -q -9 -T1 --long=27 ;;
    *) xz -T1 --lzma2=preset=1,dict=128MiB ;;
  esac
}

pack() {
  local out=$1 kit package bytes
  [[ $out =~ \.tar\.(xz|zst)$ ]] || fail 2 "$out is to end in .tar.xz or .tar.zst"
  [ -e "$build/kit/bin/qb" ] || fail 3 "there is no $build/kit/bin/qb; run ./qb kit, which builds it"
  commit_time=$(git -C "$root" show -s --format=%ct HEAD 2>/dev/null) ||
    fail 3 "the kit is made in a git checkout, and git does not know $root as one"
  modified=false
  git -C "$root" diff-index --quiet HEAD -- || modified=true
  scratch=$(mktemp -d)
  kit=$scratch/quorumbench-kit
  mkdir -p "$kit/licenses"
  cp -r "$build/kit/bin" "$kit/bin"
  (cd "$root" && git ls-files -z LICENSE experiments plots/draw/qbdraw data/clusters data/devices data/published |
    xargs -0 cp --parents -t "$kit")
  for package in "${licensed[@]}"; do
    [ -e "/usr/share/doc/$package/copyright" ] &&
      cp -L "/usr/share/doc/$package/copyright" "$kit/licenses/$package"
  done
  check_paths "$kit"
  manifest "$kit" >"$scratch/manifest.json"
  mv "$scratch/manifest.json" "$kit/manifest.json"
  tar -C "$scratch" --format=gnu --sort=name --mtime="@$commit_time" --owner=0 --group=0 \
    --numeric-owner --mode=u=rwX,go=rX -cf - quorumbench-kit | compress "$out" >"$scratch/kit"
  bytes=$(stat -c %s "$scratch/kit")
  [ "$bytes" -le "$largest_bytes" ] ||
    fail 3 "the archive has $bytes bytes, more than the $largest_bytes that it may have"
  mkdir -p "$(dirname -- "$out")"
  cp "$scratch/kit" "$out"
  say "wrote $out: $bytes bytes, $(find "$kit" -type f | wc -l) files"
}

# Sets `gpu` to the only folder of the archive, or fails.
check_archive() {
  local archive=$1 names line
  names=$(tar -tf "$archive" 2>/dev/null) ||
    fail 2 "$archive is not a tar archive, or the program that unpacks its format is missing"
  while IFS= read -r line; do
    case /$line/ in
      //*) fail 2 "$archive holds the absolute path $line" ;;
      */../*) fail 2 "$archive holds the path $line, which leads out of its folder" ;;
    esac
    [[ $line =~ ^[a-z0-9-]+(/[A-Za-z0-9._,=+-]+)*/?$ ]] ||
      fail 2 "$archive holds the name $line; its folder is of a-z, 0-9 and -, the rest of letters, digits and ._,=+-"
  done <<<"$names"
  line=$(tar -tvf "$archive" | grep -v '^[-d]' | head -n 1 || true)
  [ -z "$line" ] || fail 2 "$archive holds something other than files and folders: $line"
  gpu=$(cut -d/ -f1 <<<"$names" | sort -u)
  [[ $gpu != *$'\n'* ]] || fail 2 "$archive holds more than one folder: ${gpu//$'\n'/ }"
  grep -qx "$gpu/verdict.txt" <<<"$names" || fail 2 "$archive has no $gpu/verdict.txt"
}

unpack() {
  local archive=$1 force=$2 qb=${QB:-$build/harness/cli/qb} code=0 name run there
  [ -r "$archive" ] || fail 2 "cannot read $archive"
  check_archive "$archive"
  scratch=$(mktemp -d)
  tar -C "$scratch" --no-same-owner --no-same-permissions -xf "$archive"
  there=${measured:-$root/data/measured}/$gpu
  for run in "$scratch/$gpu"/*/; do
    name=$(basename -- "$run")
    [ -e "$there/$name" ] && ! diff -rq "$run" "$there/$name" >/dev/null && ! $force &&
      fail 2 "$there/$name is there with other content; --force replaces it"
  done
  mkdir -p "$there"
  for run in "$scratch/$gpu"/*; do
    name=$(basename -- "$run")
    rm -rf "${there:?}/$name"
    cp -r "$run" "$there/$name"
    [ -e "$run/spec.resolved.yaml" ] || continue
    "$qb" verify "$there/$name" || code=1
  done
  say "run folders in $there: $(find "$there" -mindepth 1 -maxdepth 1 -type d | wc -l)"
  [ "$code" -eq 0 ] || fail 1 "some runs do not pass qb verify, see above"
}

main() {
  local out=$root/build/quorumbench-kit.tar.xz archive='' force=false
  while [ $# -gt 0 ]; do
    case $1 in
      --out | --unpack | --build | --into)
        [ $# -ge 2 ] || fail 2 "$1 needs a value"
        case $1 in
          --out) out=$2 ;;
          --unpack) archive=$2 ;;
          --build) build=$2 ;;
          --into) measured=$2 ;;
        esac
        shift
        ;;
      --force) force=true ;;
      -h | --help)
        sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
      *) fail 2 "unknown word $1; try ./qb kit --help" ;;
    esac
    shift
  done
  if [ -n "$archive" ]; then unpack "$archive" "$force"; else pack "$out"; fi
}

main "$@"
