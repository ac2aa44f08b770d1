#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs README's two commands on a fresh, minimal Debian, as a new user would: in a clone of this
# checkout's HEAD, in a chroot to which only git and certificates were added.
#
# With --record it writes how it went as a row of docs/tried.csv, whose last row README and `qb env` name.
#
# The system is debootstrap's smallest (--variant=minbase); it is made once for each release and then
# copied for each run. The chroot has mount and process namespaces of its own: when they end, its
# processes and mounts end too, so that rm never meets a mount.
#
# Exit codes: that of the first command that failed; 1 the clone has changes that git sees; 2 usage;
# 3 no root, or a tool is missing.
set -euo pipefail

usage() {
  cat <<'TEXT'
fresh_debian.sh RELEASE [options] [COMMAND…]
  RELEASE        bookworm (12), trixie (13), or another that debootstrap knows
  COMMAND…       each one quoted word, run in the clone ('./qb reproduce' './qb test')
  --user         as an ordinary user who may use sudo without a password (as root)
  --no-sudo      as an ordinary user without sudo
  --no-sys       without /sys, as in some containers
  --ccache       with ccache, which CMAKE_CXX_COMPILER_LAUNCHER names
  --record       writes a row of docs/tried.csv, and its date and commit into README.md
  --mirror URL   where packages come from (where this machine's own do)
  --folder DIR   for the system, its copy and the logs (build/fresh_debian)
  --lines N      how many of each command's last lines are shown (12); the log has all
  --keep         leaves the copy of the system there
TEXT
}

say() { printf 'fresh_debian.sh: %s\n' "$*" >&2; }
fail() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

checkout=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
family='' who=root sys=/sys mirror='' folder=$checkout/build/fresh_debian lines=12 keep='' release=''
ccache='' record=''
commands=()

read_words() {
  while [ $# -gt 0 ]; do
    case $1 in
      --user) who=user ;;
      --no-sudo) who=no-sudo ;;
      --no-sys) sys='' ;;
      --keep) keep=yes ;;
      --ccache) ccache=ccache ;;
      --record) record=yes ;;
      --mirror | --folder | --lines)
        [ $# -gt 1 ] || fail 2 "$1 needs a value (see --help)"
        printf -v "${1#--}" '%s' "$2"
        shift
        ;;
      -h | --help)
        usage
        exit 0
        ;;
      -*) fail 2 "unknown option '$1' (see --help)" ;;
      *) if [ -z "$release" ]; then release=$1; else commands+=("$1"); fi ;;
    esac
    shift
  done
  [ -n "$release" ] || fail 2 "RELEASE is missing, such as trixie (see --help)"
  [[ $release =~ ^[a-z]+$ ]] || fail 2 "RELEASE is a word such as trixie, got '$release'"
  [[ $lines =~ ^[0-9]+$ ]] || fail 2 "--lines is a number, got '$lines'"
  [ ${#commands[@]} -gt 0 ] || commands=('./qb reproduce' './qb test')
}

check_machine() {
  local tool
  for tool in debootstrap unshare chroot git; do
    command -v "$tool" >/dev/null ||
      fail 3 "$tool is missing; install debootstrap, util-linux and git"
  done
  [ "$(id -u)" -eq 0 ] || fail 3 "only root can make a chroot; run it with sudo"
  if [ -n "$(git -C "$checkout" status --porcelain)" ]; then
    say "the checkout has changes that are not committed; the clone will not have them"
  fi
}

# Prints this machine's own source of Debian packages.
default_mirror() {
  local found
  # shellcheck disable=SC2016 # apt-get fills in REPO_URI
  found=$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' 2>/dev/null) || true
  found=${found%%$'\n'*}
  [ -n "$found" ] || fail 3 "no Debian source found; give --mirror URL"
  echo "$found"
}

# Copies this machine's settings of the network: names, the proxies of apt, and the certificates by
# which pip trusts its own.
copy_network_settings() {
  cp -L /etc/resolv.conf "$system/etc/resolv.conf"
  hostname >"$system/etc/hostname"
  printf '127.0.0.1 localhost %s\n' "$(hostname)" >"$system/etc/hosts"
  cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
  if [ -e /etc/pip.conf ]; then cp -L /etc/pip.conf "$system/etc/pip.conf"; fi
  if command -v apt-config >/dev/null; then
    apt-config dump | grep -Ei '^Acquire::https?::Proxy' \
      >"$system/etc/apt/apt.conf.d/90proxy" || true # there may be none
  fi
}

make_base() {
  base=$folder/$release.base
  [ -e "$base" ] && return
  [ -n "$mirror" ] || mirror=$(default_mirror)
  say "making a minimal $release from $mirror; log: $folder/$release.debootstrap.log"
  rm -rf --one-file-system "$base.part"
  debootstrap --variant=minbase --include=git,ca-certificates "$release" "$base.part" "$mirror" \
    >"$folder/$release.debootstrap.log" 2>&1 ||
    fail 3 "debootstrap failed; the log says why: $folder/$release.debootstrap.log"
  mv "$base.part" "$base"
}

# Runs its words in the system, which has /proc, /dev and, unless --no-sys, /sys, under a shell that
# is process 1 and ends when they do. They run in the background, so that a signal to this script
# need not wait.
# shellcheck disable=SC2016 # the inner shell expands it
in_system() {
  local code=0
  unshare --mount --propagation private --pid --fork --kill-child bash -c '
    set -e
    system=$1 sys=$2
    shift 2
    mount -t proc proc "$system/proc"
    [ -z "$sys" ] || mount --rbind "$sys" "$system/sys"
    mount --rbind /dev "$system/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$system/dev/shm"
    code=0
    chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" || code=$?
    exit "$code"' bash "$system" "$sys" "$@" </dev/null &
  family=$!
  wait "$family" || code=$?
  family=''
  return "$code"
}

# shellcheck disable=SC2317 # a trap calls it
clean_up() {
  if [ -n "$family" ]; then
    kill -KILL "$family" && sleep 1 # unshare ignores other signals; its processes end with it
  fi
  [ -n "$keep" ] || rm -rf --one-file-system "$system"
}

# Makes a copy of the base with the account and its clone.
make_system() {
  system=$(mktemp -d "$folder/$release.XXXXXX")
  trap clean_up EXIT
  trap 'exit 130' INT TERM HUP
  cp -a --reflink=auto "$base/." "$system"
  copy_network_settings
  account=root home=/root
  if [ "$who" != root ]; then
    account=tester home=/home/tester
    in_system useradd --create-home --shell /bin/bash "$account"
  fi
  local packages=()
  if [ "$who" = user ]; then packages+=(sudo); fi
  if [ -n "$ccache" ]; then packages+=(ccache); fi
  [ ${#packages[@]} -eq 0 ] ||
    in_system sh -c 'apt-get update && apt-get install -y --no-install-recommends "$@"' sh "${packages[@]}" \
      >"$folder/$release.packages.log" 2>&1 || fail 3 "no ${packages[*]}: $folder/$release.packages.log"
  if [ "$who" = user ]; then
    echo "$account ALL=(ALL) NOPASSWD: ALL" >"$system/etc/sudoers.d/$account"
  fi
  git clone --quiet --no-hardlinks "$checkout" "$system$home/quorumbench"
  in_system chown -R "$account:$account" "$home/quorumbench"
}

# Runs a command in the clone, as the account, with the environment of a login.
as_account() {
  in_system setpriv --reuid="$account" --regid="$account" --init-groups --inh-caps=-all \
    env -i HOME="$home" USER="$account" LOGNAME="$account" SHELL=/bin/bash TERM=dumb \
    ${ccache:+CMAKE_CXX_COMPILER_LAUNCHER=ccache} \
    bash --login -c "cd ~/quorumbench && $1"
}

# Runs one command and shows how it went.
run_command() {
  local started=$SECONDS code=0
  printf '\n%s@%s $ %s\n' "$account" "$release" "$1"
  printf '\n$ %s\n' "$1" >>"$log"
  as_account "$1" >"$log.last" 2>&1 || code=$?
  cat "$log.last" >>"$log"
  tail -n "$lines" "$log.last"
  rm "$log.last"
  took+=$((SECONDS - started))+
  printf 'exit code %s after %s s\n' "$code" $((SECONDS - started))
  [ "$result" -ne 0 ] || result=$code
}

read_words "$@"
check_machine
mkdir -p "$folder"
folder=$(readlink -f -- "$folder")
make_base
make_system
log=$folder/$release-$who${sys:+-sys}${ccache:+-ccache}.log
commit=$(git -C "$checkout" rev-parse --short HEAD)
: >"$log"
printf 'Debian %s (%s), %s, /sys %s, commit %s, %s cores\n' "$(cat "$system/etc/debian_version")" "$release" \
  "$who${ccache:+ with ccache}" "${sys:-missing}" "$commit" "$(nproc)"
result=0 took=''
for command in "${commands[@]}"; do run_command "$command"; done
changes=$(as_account 'git status --porcelain')
if [ -n "$changes" ]; then
  printf '\nthe clone has changes that git sees:\n%s\n' "$changes"
  [ "$result" -ne 0 ] || result=1
else
  printf '\ngit status --porcelain: nothing\n'
fi
printf 'exit code %s; the whole log: %s\n' "$result" "$log"
if [ -n "$record" ]; then
  today=$(date +%F)
  echo "$today,$commit,Debian $(cat "$system/etc/debian_version"),$who,${ccache:-none},$(nproc),$result,${took%+}" \
    >>"$checkout/docs/tried.csv"
  sed -i -E "s/tried on [0-9-]+ at [0-9a-f]+/tried on $today at $commit/" "$checkout/README.md"
fi
if [ -n "$keep" ]; then say "kept: $system"; fi
exit "$result"
