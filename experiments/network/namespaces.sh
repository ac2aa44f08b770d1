#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a spec over several "hosts" on one machine, whose network has a given speed.
#
# A host is a network namespace with a name and an address of its own; a veth pair connects it to a
# switch (a bridge in one more namespace). tc limits what leaves and what enters each host, like a
# full-duplex card: tbf limits the bandwidth and, if the kernel has netem and --latency asks for it,
# netem delays what leaves. mpirun starts one rank on each host without ssh, and the ranks talk TCP
# over these links only: they use no shared memory and no loopback.
#
#   experiments/network/namespaces.sh --hosts 4 --bandwidths "2e6 2e7 2e8" \
#       --spec experiments/mpi_link.yaml --out results
#
# All bandwidths go into one run folder: the spec's link.bandwidth is set to the list, and after each
# change of the limit `qb run --only` runs the cases of that bandwidth. The same --run-id again runs
# the missing cases. Hosts share cores and memory: this limits a network, it does not add hosts.
#
# Exit codes: those of qb run; 2 usage; 3 no root, or a tool or kernel feature is missing.
set -euo pipefail
readonly me=namespaces.sh

# shellcheck disable=SC2016 # the inner shell expands it
readonly in_host='hostname "$1"; shift; exec "$@"'

usage() {
  cat <<'TEXT'
namespaces.sh --hosts W --bandwidths "B …" --spec FILE [options] [-- options of qb run]
  --hosts W          hosts, one rank each; the spec's `workers` may be at most that
  --bandwidths LIST  bytes/s of each host's link, in each direction: "2e6 2e7 1e9"
  --latency S        seconds that each message takes longer (needs netem in the kernel)
  --out DIR          where run folders go (results)
  --run-id ID        name of the run, to start or to go on with (from the time)
  --qb FILE          the binary (build/release/harness/cli/qb)
  --dry-run          says what would be done, changes nothing, needs no root
TEXT
}

say() { printf '%s: %s\n' "$me" "$*" >&2; }
fail() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
hosts='' bandwidths='' spec='' out=results latency='' dry_run=false
run_id=namespaces-$(date -u +%Y%m%d-%H%M%S)
qb=$root/build/release/harness/cli/qb
while (($#)); do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --dry-run) dry_run=true && shift && continue ;;
    --) shift && break ;;
    --hosts | --bandwidths | --latency | --spec | --out | --run-id | --qb) ;;
    *) fail 2 "unknown option '$1'; --help lists them" ;;
  esac
  (($# > 1)) || fail 2 "$1 needs a value"
  case $1 in
    --hosts) hosts=$2 ;;
    --bandwidths) bandwidths=$2 ;;
    --latency) latency=$2 ;;
    --spec) spec=$2 ;;
    --out) out=$2 ;;
    --run-id) run_id=$2 ;;
    --qb) qb=$2 ;;
  esac
  shift 2
done
extra=("$@")

[[ $hosts =~ ^[1-9][0-9]?$ ]] || fail 2 "--hosts: 1 to 99"
[[ -n $bandwidths && -n $spec ]] || fail 2 "--bandwidths and --spec are needed; --help says more"
[[ -r $spec ]] || fail 2 "cannot read $spec"
number='^[0-9]+(\.[0-9]*)?(e-?[0-9]+)?$'
is_within() { [[ $1 =~ $number ]] && awk "BEGIN { exit !($1 >= $2 && $1 <= $3) }"; }
read -ra limits <<<"$bandwidths"
for bandwidth in "${limits[@]}"; do
  is_within "$bandwidth" 1e4 1e11 ||
    fail 2 "--bandwidths: '$bandwidth' is not a number of bytes/s from 1e4 to 1e11"
done
[[ -z $latency ]] || is_within "$latency" 1e-6 10 ||
  fail 2 "--latency: '$latency' is not a number of seconds from 1e-6 to 10"

# A second copy of this script uses other names; the name of a link has at most 15 letters.
readonly prefix=qb$$
readonly switch=$prefix-switch
host() { echo "$prefix-host$1"; }
address() { echo "10.213.7.$((10 + $1))"; }

# Prints the command or runs it.
act() {
  if $dry_run; then echo "$*"; else "$@"; fi
}

# shellcheck disable=SC2317 # called by trap
clean() {
  trap - EXIT INT TERM HUP
  local namespace pids
  for namespace in $(ip netns list | awk -v p="^$prefix-" '$1 ~ p { print $1 }'); do
    pids=$(ip netns pids "$namespace")
    # shellcheck disable=SC2086
    [[ -z $pids ]] || kill -9 $pids 2>/dev/null || true
    ip netns del "$namespace" # its links and qdiscs go with it
  done
  rm -rf "$scratch"
}

plug_in() {
  local i=$1 name
  name=$(host "$i")
  act ip netns add "$name"
  act ip link add "v$i" netns "$switch" type veth peer name eth0 netns "$name"
  act ip -n "$switch" link set "v$i" master bridge up
  act ip -n "$name" addr add "$(address "$i")/24" dev eth0
  act ip -n "$name" link set eth0 up
  act ip -n "$name" link set lo up
  [[ -z $latency ]] ||
    act tc -n "$name" qdisc add dev eth0 root handle 1: netem delay "$(micros "$latency")us" \
      limit 1000000
}

micros() { awk "BEGIN { printf \"%d\", $1 * 1e6 + 0.5 }"; }

# limit NAMESPACE DEVICE WHERE BANDWIDTH. The burst, which passes without delay after a pause, is
# what arrives in 0.5 ms, the time that a busy core may take to serve the queue: with less, fast
# links do not reach their bandwidth. The queue is long enough that no packet is dropped.
limit() {
  local rate burst
  rate=$(awk "BEGIN { printf \"%.0f\", 8 * $4 }")
  burst=$(awk "BEGIN { b = $4 * 5e-4; printf \"%.0f\", b < 16384 ? 16384 : b }")
  # shellcheck disable=SC2086
  act tc -n "$1" qdisc replace dev "$2" $3 tbf rate "${rate}bit" burst "$burst" limit 67108864
}

# Sockets buffer what the link carries in 20 ms, so the kernel goes on sending while the rank waits
# for its core, like a card with an engine of its own; with more, Open MPI's answers to a peer would
# wait behind whole messages to it.
set_sockets() {
  local bytes
  bytes=$(awk "BEGIN { b = $2 * 0.02; n = 2^24; print (b < 65536 ? 65536 : (b > n ? n : int(b))) }")
  act ip netns exec "$1" sysctl -q -w "net.ipv4.tcp_wmem=4096 $bytes $bytes" \
    "net.ipv4.tcp_rmem=4096 16777216 67108864"
}

limit_all() {
  local i where=root
  [[ -z $latency ]] || where='parent 1:1 handle 10:'
  for ((i = 0; i < hosts; ++i)); do
    set_sockets "$(host "$i")" "$1"
    limit "$(host "$i")" eth0 "$where" "$1"
    limit "$switch" "v$i" root "$1"
  done
}

# Open MPI uses this in place of ssh: AGENT ADDRESS COMMAND…
write_agent() {
  cat >"$1" <<AGENT
#!/bin/sh
i=\$((\${1##*.} - 10))
shift
exec ip netns exec $prefix-host\$i unshare --uts sh -c "hostname host\$i; \$*"
AGENT
  chmod +x "$1"
}

# Runs on the first host, with a rank on each. The ranks share the cores. btl_tcp_flags leaves out
# `put`: with it a message is sent as one piece, and a rank's answer to its peer waits behind it, so
# that if both send, one waits for the other.
launch() {
  local list i
  for ((i = 0; i < hosts; ++i)); do list+="${list:+,}$(address "$i"):1"; done
  act env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    ip netns exec "$(host 0)" unshare --uts sh -c "$in_host" sh host0 \
    mpirun --mca plm_rsh_agent "$scratch/agent" --mca plm_rsh_no_tree_spawn 1 \
    --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include eth0 \
    --mca btl_tcp_flags 312 --mca btl_tcp_max_send_size 524288 \
    --mca oob_tcp_if_include eth0 --mca mpi_yield_when_idle 1 --bind-to none \
    -host "$list" -n "$hosts" "$@"
}

netem_works() {
  local name=$prefix-probe works=1
  ip netns add "$name"
  ip -n "$name" link set lo up
  tc -n "$name" qdisc add dev lo root netem delay 1ms 2>/dev/null && works=0
  ip netns del "$name"
  return $works
}

scratch=/tmp/$prefix
if ! $dry_run; then
  ((EUID == 0)) || fail 3 "network namespaces and tc need root: run it with sudo"
  for tool in ip tc sysctl unshare mpirun awk; do
    command -v "$tool" >/dev/null || fail 3 "'$tool' is missing (packages: iproute2, procps, util-linux," \
      "openmpi-bin)"
  done
  [[ -x $qb ]] || fail 3 "there is no $qb; build it, or name it with --qb"
  scratch=$(mktemp -d)
  trap clean EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  write_agent "$scratch/agent"
  if netem_works; then
    say "tbf limits the bandwidth${latency:+, netem adds $latency s}; this kernel has netem"
  elif [[ -n $latency ]]; then
    fail 3 "this kernel has no netem, so that no latency can be added: leave out --latency"
  else
    say "tbf limits the bandwidth; this kernel has no netem, no latency is added"
  fi
fi

act ip netns add "$switch"
act ip -n "$switch" link add bridge type bridge
act ip -n "$switch" link set bridge up
for ((i = 0; i < hosts; ++i)); do plug_in "$i"; done

words=(--set ranks=mpi --set "link.bandwidth=[$(IFS=, && echo "${limits[*]}")]")
[[ -z $latency ]] || words+=(--set "link.latency=$latency")
worst=0
for bandwidth in "${limits[@]}"; do
  say "$hosts hosts, $bandwidth bytes/s each way"
  limit_all "$bandwidth"
  code=0
  launch "$qb" run "$spec" "${words[@]}" --out "$out" --run-id "$run_id" \
    --only "link_bandwidth_byte_per_s=$bandwidth" "${extra[@]}" || code=$?
  ((code <= 1)) || exit "$code"
  ((code == 0)) || worst=$code
done
exit "$worst"
