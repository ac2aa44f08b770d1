#!/usr/bin/env bash
# Everything that wants a GPU, in one command, without network and within 8 minutes:
#
#   experiments/gpu/acceptance.sh [--only PART,…] [--dry-run] [--qb BINARY] [--out FOLDER]
#
#   build      the release build (left out with --qb or QB=BINARY)
#   tests      every test that a GPU changes, the small ones again under compute-sanitizer
#   study      case study 2 at the paper's N under both clocks, and the memory timelines
#   sweep      the flash kernel over types, head_dims, masks and N, and its A100 path
#   peers      PyTorch's backends at the cases of the sweep
#   cqs        CQS-Attention in one launch against dense attention
#   sparse     a sliding window and BigBird against all pairs; fused against three stages
#   layer      an encoder layer of BERT-base, its parts; with sparse attention
#   decode     one query against a long cache
#   nccl       a worker a GPU: one rank on one GPU, and as many as there are
#   verdict    the targets, with what was measured here
#
# Runs go to data/measured/GPU/RUN (--out in place of data/measured/GPU), each with its figures. A part
# that fails or runs out of time does not stop the others. --dry-run prints what would be run and checks
# the specs; it needs no GPU.
#
# Exit codes: 0 all ran and every target that was measured is met, 1 something failed, 2 usage,
# 3 no GPU or no tools, 4 a target is missed.
set -uo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/experiments/gpu
all_parts=(build tests sweep cqs decode sparse layer nccl study peers verdict)
# Seconds that a part may take; together less than 8 minutes.
declare -A limit=([build]=120 [tests]=40 [sweep]=40 [cqs]=25 [decode]=20 [sparse]=29 [layer]=25
  [nccl]=20 [study]=120 [peers]=35 [verdict]=5)
# What the parts need; the rest of the house stays unbuilt.
targets=(qb qb_flash_work_test qb_kernels_test qb_execute_test qb_layer_test
  qb_experiment_test)

parts=("${all_parts[@]}")
dry=false
qb=${QB:-}
out=
failed=()

say() { printf 'acceptance: %s\n' "$*" >&2; }
usage() {
  say "$*"
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --only | --qb | --out)
      [ $# -ge 2 ] || usage "$1 needs a value"
      case $1 in
        --only) IFS=, read -r -a parts <<<"$2" ;;
        --qb) qb=$2 ;;
        --out) out=$2 ;;
      esac
      shift
      ;;
    --dry-run) dry=true ;;
    -h | --help)
      sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) usage "unknown word $1; try --help" ;;
  esac
  shift
done
for part in "${parts[@]}"; do
  [ -n "${limit[$part]:-}" ] || usage "there is no part $part; known: ${all_parts[*]}"
done

build=$root/build/release
given_qb=$qb
qb=${qb:-$build/harness/cli/qb}

gpu_folder() { # `NVIDIA H200` is h200, `NVIDIA A100-SXM4-80GB` a100-sxm4-80gb
  tr '[:upper:]' '[:lower:]' <<<"$1" | sed 's/^nvidia //; s/[^a-z0-9]\+/-/g; s/-$//'
}

if $dry; then
  gpu="no GPU asked"
  out=${out:-$root/data/measured/GPU}
else
  command -v nvidia-smi >/dev/null || { say "no GPU: there is no nvidia-smi"; exit 3; }
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
  [ -n "$gpu" ] || { say "no GPU: nvidia-smi names none"; exit 3; }
  out=${out:-$root/data/measured/$(gpu_folder "$gpu")}
  mkdir -p "$out"
fi

# run COMMAND…: within the time that is left to the part; prints the command.
run() {
  printf '+ %s\n' "$*" >&2
  $dry && return 0
  local left=$((part_end - SECONDS))
  [ "$left" -gt 0 ] || { say "$part: out of time before: $*"; return 124; }
  timeout --kill-after=5 "$left" "$@"
}

# spec NAME WORD…: one spec into $out/NAME, or $out/$run_id where that is set, started by "${launcher[@]}".
# What is there already is resumed.
launcher=()
run_id=
spec() {
  local name=$1 id=${run_id:-$1} code=0
  shift
  $dry || [ -x "$qb" ] || { say "$name: there is no $qb; did the build fail?"; return 1; }
  run "${launcher[@]}" "$qb" run "$here/$name.yaml" --out "$out/.runs" --run-id "$id" --quiet "$@" ||
    code=$?
  if $dry; then
    [ -x "$qb" ] || { say "dry run: no $qb, so $name.yaml is not checked"; return 0; }
    "$qb" run "$here/$name.yaml" --dry-run "$@" >/dev/null
    return
  fi
  rm -rf "${out:?}/$id"
  local folder
  for folder in "$out"/.runs/*/"$id"; do
    [ -d "$folder" ] && cp -r "$folder" "$out/$id"
  done
  # Cases of the run that are not ok are rows, to be read in the verdict; 1 says that there are some.
  return "$code"
}

# specs NAME…: one after the other, whatever becomes of those before.
specs() {
  local code=0 name
  for name; do spec "$name" || code=1; done
  return "$code"
}

do_build() {
  [ -n "$given_qb" ] && { say "build: left out, $given_qb is used"; return 0; }
  run cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG" -DQB_CUDA=ON &&
    run cmake --build "$build" -j "$(nproc)" --target "${targets[@]}"
}

do_tests() {
  local code=0 sanitizer
  run ctest --test-dir "$build" --output-on-failure -j 8 \
    -R '^(flash_work/FlashOnGpu|kernels/.*(Cuda|Gpu)|execute/(Cuda|Device|Caching|Nccl)|layer/LayerOnGpu|experiment/Gpu)' ||
    code=1
  sanitizer=$(command -v compute-sanitizer || true)
  [ -n "$sanitizer" ] || $dry || { say "tests: no compute-sanitizer here"; return "$code"; }
  for tool in memcheck racecheck; do
    run "${sanitizer:-compute-sanitizer}" --tool "$tool" --error-exitcode 9 \
      "$build/harness/execute/qb_execute_test" --gtest_filter='CudaSmall*' || code=1
  done
  run "${sanitizer:-compute-sanitizer}" --tool memcheck --error-exitcode 9 \
    "$build/harness/layer/qb_layer_test" --gtest_filter='LayerOnGpu*' || code=1
  return "$code"
}

do_study() { specs memory_timeline case_study_2; }
do_sweep() { specs attention sm_80; }
do_peers() {
  local code=0
  for backend in flash cudnn efficient; do
    $dry || rm -rf "${out:?}/torch_$backend"
    run python3 "$root/experiments/peers/torch_sdpa.py" "$out/attention" \
      --out "$out/torch_$backend" --device cuda --backend "$backend" --repeats 10 --warmups 3 ||
      code=1
  done
  run "$qb" plot "$out/attention" --figure throughput --beside "$out/torch_flash" || code=1
  return "$code"
}
do_cqs() { spec cqs; }
do_sparse() { specs sparse sparse_stages; }
do_layer() { specs bert_layer bert_layer_sparse; }
do_decode() {
  local code=0
  run python3 "$here/copy_bandwidth.py" "$out/copy_bandwidth.json" || code=1
  spec decode || code=1
  return "$code"
}
# One rank in any case; several where there are several GPUs, the most first: time may run out.
do_nccl() {
  local code=0 gpus=8 ranks
  $dry || gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)
  for ranks in 1 8 4 2; do
    [ "$ranks" -le "$gpus" ] || continue
    run_id=nccl_$ranks launcher=()
    if [ "$ranks" -gt 1 ]; then
      $dry || command -v mpirun >/dev/null || { say "nccl: $gpus GPUs and no mpirun"; code=1; break; }
      launcher=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n "$ranks")
    fi
    spec nccl --filter "workers=$ranks" || code=1
  done
  run_id='' launcher=()
  return "$code"
}
do_verdict() {
  run python3 "$here/verdict.py" "$out"
}

missed=false
for part in "${parts[@]}"; do
  say "$part (at most ${limit[$part]} s)"
  part_end=$((SECONDS + limit[$part]))
  code=0
  "do_$part" || code=$?
  if [ "$part" = verdict ] && [ "$code" -eq 4 ]; then
    missed=true
  elif [ "$code" -ne 0 ]; then
    failed+=("$part")
    say "$part failed ($code)"
  fi
done
$dry || rm -rf "${out:?}/.runs"
say "$gpu: ${SECONDS} s, ${#failed[@]} parts failed${failed[*]:+: ${failed[*]}}"
[ ${#failed[@]} -eq 0 ] || exit 1
$missed && exit 4
exit 0
