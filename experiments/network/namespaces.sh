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
# A network of two rates: with --ranks-per-host each rank has a namespace of its own. Ranks of a host
# meet at a switch, over a link of the rate --inside, and reach other hosts by the NICs of theirs: a
# NIC is a switch for an even part of the host's ranks, whose link to the switch between hosts has
# one of --bandwidths. The spec's cluster, cluster.inside, cluster.between and cluster.nics are set.
#
#   experiments/network/namespaces.sh --hosts 2 --ranks-per-host 2 --inside 2e8 --nics 1 \
#       --bandwidths "2e6 2e7" --spec experiments/two_level.yaml --out results
#
# Exit codes: those of qb run; 2 usage; 3 no root, or a tool or kernel feature is missing.
set -euo pipefail
readonly me=namespaces.sh

# shellcheck disable=SC2016 # the inner shell expands it
readonly in_host='hostname "$1"; shift; exec "$@"'

usage() {
  cat <<'TEXT'
namespaces.sh --hosts H --bandwidths "B …" --spec FILE [options] [-- options of qb run]
  --hosts H          hosts, one rank each; the spec's `workers` may be at most the number of ranks
  --bandwidths LIST  bytes/s of each host's link, in each direction: "2e6 2e7 1e9"
  --ranks-per-host P ranks of a host (1); with more, LIST is of each NIC
  --inside B         bytes/s of each rank's link inside of its host, in each direction
  --nics N           NICs of a host, shared evenly by its ranks (one a rank)
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
hosts='' bandwidths='' spec='' out=results latency='' dry_run=false per_host=1 inside='' nics=''
run_id=namespaces-$(date -u +%Y%m%d-%H%M%S)
qb=$root/build/release/harness/cli/qb
while (($#)); do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --dry-run) dry_run=true && shift && continue ;;
    --) shift && break ;;
    --hosts | --bandwidths | --latency | --spec | --out | --run-id | --qb) ;;
    --ranks-per-host | --inside | --nics) ;;
    *) fail 2 "unknown option '$1'; --help lists them" ;;
  esac
  (($# > 1)) || fail 2 "$1 needs a value"
  case $1 in
    --hosts) hosts=$2 ;;
    --bandwidths) bandwidths=$2 ;;
    --latency) latency=$2 ;;
    --ranks-per-host) per_host=$2 ;;
    --inside) inside=$2 ;;
    --nics) nics=$2 ;;
    --spec) spec=$2 ;;
    --out) out=$2 ;;
    --run-id) run_id=$2 ;;
    --qb) qb=$2 ;;
  esac
  shift 2
done
extra=("$@")

[[ $hosts =~ ^[1-9][0-9]?$ ]] || fail 2 "--hosts: 1 to 99"
[[ $per_host =~ ^[1-9][0-9]?$ ]] || fail 2 "--ranks-per-host: 1 to 99"
((hosts * per_host <= 99)) || fail 2 "at most 99 ranks"
nics=${nics:-$per_host}
if ! [[ $nics =~ ^[1-9][0-9]?$ ]] || ((nics > per_host)); then fail 2 "--nics: 1 to $per_host"; fi
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
if ((per_host > 1)); then
  is_within "${inside:-none}" 1e4 1e11 ||
    fail 2 "--inside: '$inside' is not a number of bytes/s from 1e4 to 1e11"
elif [[ -n $inside ]]; then
  fail 2 "--inside needs --ranks-per-host of 2 or more"
fi
readonly ranks=$((hosts * per_host))

# A second copy of this script uses other names; the name of a link has at most 15 letters.
readonly prefix=qb$$
readonly switch=$prefix-switch
host() { echo "$prefix-host$1"; } # the namespace of a rank
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

add_bridge() {
  act ip -n "$switch" link add "$1" type bridge
  act ip -n "$switch" link set "$1" up
}

# connect RANK PORT DEVICE BRIDGE: joins the device of a rank to a bridge.
connect() {
  act ip link add "$2" netns "$switch" type veth peer name "$3" netns "$(host "$1")"
  act ip -n "$switch" link set "$2" master "$4" up
}

# The switch inside of a host, and its NICs with their links to the switch between hosts.
add_host() {
  local k
  add_bridge "in$1"
  for ((k = $1 * nics; k < ($1 + 1) * nics; ++k)); do
    add_bridge "nic$k"
    act ip -n "$switch" link add "up$k" type veth peer name "down$k"
    act ip -n "$switch" link set "up$k" master "nic$k" up
    act ip -n "$switch" link set "down$k" master bridge up
  done
}

# A rank with one address. With ranks on its own host it has eth1 to the others, whose addresses
# are found there too, since a rank answers for its address on each of its devices.
plug_in() {
  local i=$1 name j h=$(($1 / per_host))
  name=$(host "$i")
  act ip netns add "$name"
  connect "$i" "v$i" eth0 "$( ((per_host > 1)) && echo "in$h" || echo bridge)"
  act ip -n "$name" addr add "$(address "$i")/24" dev eth0
  act ip -n "$name" link set eth0 up
  act ip -n "$name" link set lo up
  if ((per_host > 1)); then
    connect "$i" "n$i" eth1 "nic$((h * nics + i % per_host * nics / per_host))"
    act ip -n "$name" link set eth1 up
    for ((j = 0; j < ranks; ++j)); do
      ((j / per_host == h)) || act ip -n "$name" route add "$(address "$j")/32" dev eth1
    done
  fi
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
  for ((i = 0; i < ranks; ++i)); do
    set_sockets "$(host "$i")" "$1"
    limit "$(host "$i")" eth0 "$where" "${inside:-$1}"
    limit "$switch" "v$i" root "${inside:-$1}"
  done
  ((per_host > 1)) || return 0
  for ((i = 0; i < hosts * nics; ++i)); do
    limit "$switch" "up$i" root "$1"
    limit "$switch" "down$i" root "$1"
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
  for ((i = 0; i < ranks; ++i)); do list+="${list:+,}$(address "$i"):1"; done
  act env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    ip netns exec "$(host 0)" unshare --uts sh -c "$in_host" sh host0 \
    mpirun --mca plm_rsh_agent "$scratch/agent" --mca plm_rsh_no_tree_spawn 1 \
    --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include eth0 \
    --mca btl_tcp_flags 312 --mca btl_tcp_max_send_size 524288 \
    --mca oob_tcp_if_include eth0 --mca mpi_yield_when_idle 1 --bind-to none \
    -host "$list" -n "$ranks" "$@"
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
add_bridge bridge
if ((per_host > 1)); then
  for ((i = 0; i < hosts; ++i)); do add_host "$i"; done
fi
for ((i = 0; i < ranks; ++i)); do plug_in "$i"; done

list=[$(IFS=, && echo "${limits[*]}")]
words=(--set ranks=mpi)
if ((per_host > 1)); then
  swept=cluster_between
  words+=(--set "cluster=${hosts}x$per_host" --set "cluster.inside=$inside" --set "cluster.nics=$nics"
    --set "cluster.between=$list")
else
  swept=link_bandwidth_byte_per_s
  words+=(--set "link.bandwidth=$list")
  [[ -z $latency ]] || words+=(--set "link.latency=$latency")
fi
worst=0
for bandwidth in "${limits[@]}"; do
  say "$hosts hosts of $per_host, $bandwidth bytes/s each way${inside:+, $inside inside}"
  limit_all "$bandwidth"
  code=0
  launch "$qb" run "$spec" "${words[@]}" --out "$out" --run-id "$run_id" \
    --only "$swept=$bandwidth" "${extra[@]}" || code=$?
  ((code <= 1)) || exit "$code"
  ((code == 0)) || worst=$code
done
exit "$worst"
