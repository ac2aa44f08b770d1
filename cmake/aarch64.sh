#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# aarch64.sh [WORDS…]: compiles the pure rooms and the kernels of CPUs for 64-bit Arm on an x86-64 Debian, and
# runs their tests under qemu's emulator; WORDS go to ctest, which prints each test and how it ended. It shows
# that NEON's answers are right; times under an emulator say nothing. CUDA, MPI and oneDNN are left out.
#
# It installs Debian packages that are missing, and unpacks libraries for Arm into build/aarch64/system (240 MB).
#
# Exit codes: 0 every test passed; 3 no root, or no Debian; else that of the first command that failed.
set -euo pipefail
cd "$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")"

fail() {
  printf 'aarch64.sh: %s\n' "$*" >&2
  exit 3
}

packages=(g++-aarch64-linux-gnu qemu-user-static debootstrap cmake ninja-build python3)
libraries=libfmt-dev,nlohmann-json3-dev,libcli11-dev,libyaml-cpp-dev,libhwy-dev,libbenchmark-dev,libgtest-dev,libgmock-dev
system=$PWD/build/aarch64/system

[ "$(id -u)" -eq 0 ] || fail "only root can run debootstrap; run it with sudo"
command -v apt-get >/dev/null || fail "it needs a Debian, with ${packages[*]}"
if ! dpkg-query -s "${packages[@]}" >/dev/null 2>&1; then
  echo "aarch64.sh: installing those of these packages that are missing: ${packages[*]}" >&2
  apt-get update
  apt-get install -y --no-install-recommends "${packages[@]}"
fi
if [ ! -e "$system" ]; then
  # shellcheck disable=SC2016 # apt-get fills in REPO_URI
  mirrors=$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian')
  rm -rf "$system.part"
  mkdir -p "$system.part"
  debootstrap --download-only --arch=arm64 --variant=minbase --include="$libraries" \
    "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$system.part" "${mirrors%%$'\n'*}"
  for package in "$system.part"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$system.part"; done
  mv "$system.part" "$system"
fi
cmake -S . --preset release -B build/aarch64 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_FIND_ROOT_PATH="$system" \
  -DCMAKE_FIND_ROOT_PATH_MODE_{PROGRAM=NEVER,LIBRARY=ONLY,INCLUDE=ONLY,PACKAGE=ONLY} \
  -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-aarch64-static;-cpu;max;-L;$system" -DQB_{CUDA,MPI,ONEDNN}=OFF \
  -DQB_TEST_TIMEOUT_S=1800
cmake --build build/aarch64 --target qb_{base,quorum,plan,kernels}_test
ctest --test-dir build/aarch64 -R '^(base|quorum|plan|kernels)/' -j "$(nproc)" --no-tests=error "$@"
