#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bare_test.sh OUT VENV FOLDER: tries what wheel.sh put into OUT in a bare system, a chroot into FOLDER that has
# nothing but what this script copies: first glibc and a shell, where the program of the archive runs a sweep; then
# also the Python of VENV with pip and NumPy, where the wheel is installed and used. No compiler, no network.
#
# Exit codes: 0; 77 skipped, since this account can make no chroot.
set -euo pipefail
out=$(readlink -f -- "$1") venv=$(readlink -f -- "$2") system=$3
isolated=(unshare --map-root-user --mount --pid --fork --net)
"${isolated[@]}" true 2>/dev/null || {
  echo "skipped: this account can make no namespaces"
  exit 77
}
rm -rf "$system"
mkdir -p "$system"/{proc,dev,tmp,bin,root,lib64}
touch "$system/dev/null"

# add_libraries FILE…: copies the shared libraries that these files need, at their places.
add_libraries() {
  local library
  { ldd "$@" 2>/dev/null || true; } | grep -o '/[^ ]*' | grep -v ':$' | sort -u | while read -r library; do
    [ -e "$system$library" ] || cp -L --parents "$library" "$system"
  done
}

# runs COMMAND…: runs it in the system.
runs() {
  # shellcheck disable=SC2016 # the inner shell expands it
  "${isolated[@]}" env -i PATH="$PATH" bash -ec '
    mount -t proc proc "$1/proc"
    mount --bind /dev/null "$1/dev/null"
    exec chroot "$@"' bash "$system" \
    /bin/sh -c 'cd /root; export HOME=/root PYTHONPATH=/site; exec "$@"' sh "$@"
}

cp /bin/dash "$system/bin/sh"
add_libraries /bin/dash
cp -L --parents /lib/x86_64-linux-gnu/lib{m,pthread,dl,rt}.so.* "$system" # the rest of glibc
tar -C "$system/root" -xf "$out"/quorumbench-*.tar.xz
[ -z "$(find "$system" -name 'libstdc++*' -not -path '*quorumbench*')" ]
folder=$(cd "$system/root" && echo quorumbench-*)
runs "$folder/qb" --version
runs "$folder/qb" run "$folder/quorumbench/root/experiments/smoke.yaml" --quiet || [ $? -eq 3 ] # all but figures, which need Python
[ "$(tail -n +2 "$system/root/results/smoke/latest/cases.csv" | grep -c ,ok,)" -eq 12 ]

interpreter=$(readlink -f "$venv/bin/python")
read -r library site < <("$venv/bin/python" -c 'import sysconfig as s; print(s.get_path("stdlib"), s.get_path("purelib"))')
cp -L --parents "$interpreter" "$system"
cp -r --parents "$library" "$system"
mkdir "$system/site"
cp -r "$site"/{pip,numpy,numpy.libs} "$system/site"
add_libraries "$interpreter" "$library"/lib-dynload/*.so "$site"/numpy/_core/*.so
cp "$out"/*.whl "$system/root"
runs "$interpreter" -m pip install --quiet --no-index --no-deps --target /site "/root/$(basename "$out"/*.whl)"
cat >"$system/root/use.py" <<'PYTHON'
import importlib.util
import numpy as np
import quorumbench as qb

assert not any(importlib.util.find_spec(name) for name in ("pandas", "polars", "matplotlib", "torch"))
q, k, v, do = np.random.default_rng(1).standard_normal((4, 1, 2, 200, 32), np.float32)
r = qb.attend(q, k, v, do=do, algorithm="zigzag", workers=4, mask="causal", ranks="threads")
assert 0.0 < r.error < 1e-5, r.errors
assert qb.plan("cqs", n_tokens=4096, workers=7).check().device_sent_bytes > 0
run = qb.sweep(algorithm="ring", workers=[1, 2], n_tokens=256, measure={"repeats": 3}).run()
assert list(run.cases["status"]) == ["ok", "ok"], run.cases["message"]
print(qb.table(run, cols="workers", values="device_sent_bytes"))
print(run.verify())
PYTHON
runs "$interpreter" use.py
