#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs everything that needs a GPU, without a network, and judges it row by row: pass, miss, not run.
#
#   acceptance.sh [--minutes M] [--only STEP] [--out FOLDER] [--dry-run]
#
# --dry-run prints the steps in their order with their commands, checks the specs and needs no GPU. The
# script ends after M minutes (9); the same command goes on where it stopped and repeats no step that
# passed or missed. --only repeats the steps whose names begin with STEP. A failed step stops no other.
# Results go to results/GPU/ in the kit or checkout, or to FOLDER: verdict.txt, logs, run folders; and
# into one archive beside it, for `./qb kit --unpack`. Programs are the kit's, the checkout's, or PATH's.
#
# Exit codes: 0 every row passes, 1 no row misses but some have not run, 2 usage, 3 no GPU or no
# programs, 4 a row misses, 130 interrupted.
set -uo pipefail

fail() { printf 'acceptance: %s\n' "${*:2}" >&2; exit "$1"; }
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname -- "$(dirname -- "$here")")
minutes=9 only='' out='' dry=false wrong=0 child='' stopped=false
while [ $# -gt 0 ]; do
  case $1 in
    --minutes | --only | --out) [ $# -ge 2 ] || fail 2 "$1 needs a value"
      printf -v "${1#--}" %s "$2" && shift ;;
    --dry-run) dry=true ;;
    -h | --help) sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail 2 "unknown word $1; try --help" ;;
  esac
  shift
done
[[ $minutes =~ ^[0-9]*\.?[0-9]+$ ]] || fail 2 "--minutes $minutes: write a number"
end_s=$(awk "BEGIN { print int(60 * $minutes) }")
for folder in "$root"/{bin,build/release/{harness/{cli,run,workload,experiment},kernels{,/cuda}}}; do
  [ ! -d "$folder" ] || PATH=$folder:$PATH
done
export LC_ALL=C PATH=$PATH:/usr/local/cuda/bin PYTHONDONTWRITEBYTECODE=1  # a kit stays as it was packed
command -v qb >/dev/null || fail 3 "there is no qb here; unpack a kit, or build the checkout"
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
$dry || [ -n "$gpu" ] || fail 3 "no GPU: nvidia-smi is not here, or names none"
name=$(sed 's/^NVIDIA //;s/[^A-Za-z0-9]\+/-/g' <<<"${gpu:-GPU}" | tr '[:upper:]' '[:lower:]')
out=$(realpath -m -- "${out:-$root/results/$name}")
commit=$(sed -n 's/^ *"\(commit\|modified\)": //p' "$root/manifest.json" 2>/dev/null | tr -d '\n' |
  grep . || git -C "$root" describe --always --abbrev=40 --dirty 2>/dev/null || echo unknown)
if ! $dry; then
  { mkdir -p "$out/logs" && touch "$out/steps"; } || fail 3 "cannot write into $out"
  [ -e "$out/of" ] || printf '%s\n' "$gpu, commit $commit" >"$out/of"
  [ "$(<"$out/of")" = "$gpu, commit $commit" ] || fail 2 "$out holds results of $(<"$out/of"), and" \
    "this is $gpu, commit $commit; give another --out"
fi
trap 'stopped=true; [ -z "$child" ] || kill "$child"' INT TERM

judged() { grep -qP "^$1\t(pass|miss)" "$out/steps"; }
# step NAME SECONDS COMMAND…: runs it, unless it was judged; its verdict is a line of OUT/steps.
step() {
  local name=$1 limit=$2 left=$((end_s - SECONDS)) code='' verdict=pass text='' log=$out/logs/$1.log
  shift 2
  [[ $name == "$only"* ]] || return 0
  if $dry; then
    printf '%s\n  %s\n' "$name" "$*"
    [[ $name != run.* ]] || qb run --dry-run "${@:3}" >/dev/null || wrong=2
    return
  fi
  [ -n "$only" ] || ! judged "$name" || return 0
  if ! $stopped && [ "$left" -gt 0 ]; then
    printf 'acceptance: %s\n' "$name" >&2
    timeout -k 8 "$((left < limit ? left : limit))" "$@" </dev/null >"$log" 2>&1 & child=$!
    until wait "$child"; code=$?; ! kill -0 "$child" 2>/dev/null; do :; done  # a signal ends a wait
    child='' text=$(tail -n 1 "$log")
    case $code in 0) ;; 2 | 3 | 127) verdict='not run' ;; *) verdict=miss ;; esac  # something is missing
    [[ ! $code =~ ^(124|137)$ ]] || text="it did not end within $limit s"
    if [[ $name == tests.* ]]; then  # tests that all skip themselves have not run
      text="$(grep -c '^\[       OK' "$log") passed, $(grep -c '^\[  SKIPPED.* ms)' "$log") skipped; $text"
      [[ $verdict != pass || $text != '0 passed'* ]] || verdict=miss
    elif [[ $verdict.$name == pass.run.* ]]; then
      text=$(qb verify "$out/${name#run.}" 2>&1 | tee -a "$log" | tail -n 1) || verdict=miss
      text=${text#"$out/"}
    fi
  fi
  [ "$code" = 0 ] || { ! $stopped && [ "$SECONDS" -lt "$end_s" ]; } ||
    { verdict='not run' text='it was stopped; the same command goes on'; }
  { grep -vP "^$name\t" "$out/steps"; printf '%s\t%s\t%s\n' "$name" "$verdict" "$text"; } >"$out/.steps"
  mv "$out/.steps" "$out/steps"
}
run() {  # SPEC WORD…: into OUT/SPEC, which qb knows as OUT/.runs/EXPERIMENT/SPEC
  local runs && runs=$out/.runs/$(sed -n 's/^experiment: *//p' "$here/$1.yaml")
  $dry || { mkdir -p "$out/$1" "$runs" && ln -sfn "$out/$1" "$runs/$1"; }
  step "run.$1" 7200 qb run "$here/$1.yaml" --out "$out/.runs" --run-id "$1" --set 'figures=[]' "${@:2}"
}
beside() {  # SPEC BACKEND: the same cases in PyTorch
  step "torch.$2.$1" 7200 python3 "$here/../peers/torch_sdpa.py" "$out/$1" --device cuda --resume \
    --backend "$2" --out "$out/$1_torch_$2" --repeats 10 --warmups 3
}

step environment 30 bash -c 'qb env --all && nvidia-smi -q'
gpu_tests='*OnGpu*:*Cuda*:Gpu*'  # by the names of their suites
step tests.flash_work 180 bash -c "seq 0 15 | GTEST_TOTAL_SHARDS=16 xargs -P $(nproc) -I{} env \
  GTEST_SHARD_INDEX={} qb_flash_work_test --gtest_filter='$gpu_tests'"  # they wait for the host's reference
step flash_rounds 240 python3 "$here/flash_rounds.py" qb "$out/flash_rounds.csv"
for test in run kernels workload experiment; do
  step "tests.$test" 90 "qb_${test}_test" "--gtest_filter=$gpu_tests"
done
checked=(qb_run_test '--gtest_filter=CudaTiny*')  # kernels of our own only: a check takes long
step memcheck 60 compute-sanitizer --tool memcheck --error-exitcode 9 "${checked[@]}"
step racecheck 60 compute-sanitizer --tool racecheck "${checked[@]}"  # what it reports fails nothing
for spec in cqs decode bert_layer bert_layer_sparse case_study_2 attention; do run "$spec"; done
for backend in flash cudnn efficient; do beside attention "$backend"; done
run attention_backward
beside attention_backward cudnn
for spec in sm_80 sparse sparse_stages memory_timeline; do run "$spec"; done
run nccl --filter workers=1
! $dry || exit "$wrong"

row() { printf '%-8s  %-55s  %s\n' "$@"; }
gate() {  # WHAT SIGN LIMIT UNIT: judges the least of stdin's numbers; a word is a cell that has none
  local v verdict='not run'
  v=$(sort -g | head -n 1)
  [ -z "$v" ] || verdict=$(awk -v v="$v" "BEGIN { print (v ~ /^[0-9]/ && v $2 $3 ? \"pass\" : \"miss\") }")
  row "$verdict" "$1 $2 $3${4:+ $4}" "${v:0:9}"
}
rounds() { judged flash_rounds && awk -F, -v s="$1" '$2" d="$3" "$4 == s && '"$2" "$out/flash_rounds.csv"; }
rate() { rounds "$1" '$1 == "'"$2"'" { print $8 == "ok" ? $10 / $11 / 1e12 : $8 }'; }
table() { judged "run.$1" && qb table "$out/$1" --format csv --rows "$2" --value "$3" "${@:4}" | tail -n +2; }
gates() {
  local shape least n w
  while IFS=, read -r shape least; do  # of f16 and bf16, the slower one
    rate "$shape" flash | gate "flash $shape" '>=' "$least" TFLOP/s
    rounds "$shape" '$1 ~ /^torch/ && $14 { seen[$1]; if ($14 > most[$5]) most[$5] = $14 }
      END { if ("torch_flash" in seen && "torch_cudnn" in seen) for (type in most) print 1 / most[type] }' |
      gate "flash over the fastest peer, $shape" '>=' 0.95 x
  done <<<$'forward d=128 full,700\nforward d=128 causal,675\nforward d=64 full,450\nforward d=64 causal,420
backward d=128 full,580\nbackward d=128 causal,560\nbackward d=64 full,470\nbackward d=64 causal,450'
  rate 'forward d=128 full' flash_sm80 | gate "flash by the A100's path, forward d=128 full" '>=' 320 TFLOP/s
  while read -r w n least; do
    table cqs n_tokens,algorithm,workers device_time_median_s --filter launch=together |
      awk -F, -v n="$n" -v cqs="cqs$w" '$1 == n { t[$2 $3] = $4 } END {
        if (t["dense1"]) print t[cqs] ? t[cqs] / t["dense1"] : "failed" }' |
      gate "CQS of $w workers over dense, N=$n" '<=' "$least" x
  done <<<$'7 65536 1.1\n31 65536 1.1\n7 8192 1.5\n31 8192 1.5'
  table decode batch,kv_len device_time_median_s |  # K and V have 4096 bytes a token
    awk -F, -v copy="$(sed -n 's/^copy \(.*\) GB.*/\1e9/p' "$out/logs/flash_rounds.log" 2>/dev/null)" 'copy {
      print $3 ? 4096 * $1 * $2 / $3 / copy : "failed" }' | gate "decode over a copy's rate" '>=' 0.8 x
  for n in bert_layer bert_layer_sparse; do
    table "$n" mask,n_tokens,layer.block_tokens predicted_active_peak_bytes,active_memory_peak_bytes |
      awk -F, '{ print ($NF > 0 && $NF == $(NF - 1)) }' | gate "$n, peak memory as predicted" '==' 1
  done
}
{ cat "$out/of"
  while IFS=$'\t' read -r name verdict text; do row "$verdict" "$name" "$text"; done <"$out/steps"
  gates; } | tee "$out/verdict.txt"
tar -C "${out%/*}" --exclude .runs -czf "$out.tar.gz" "${out##*/}" && echo "$out.tar.gz"
if $stopped; then exit 130; elif grep -q ^miss "$out/verdict.txt"; then exit 4; fi
! grep -q '^not run' "$out/verdict.txt"
