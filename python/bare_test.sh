#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bare_test.sh WHEEL FOLDER: installs the wheel, which `pip wheel --no-deps .` makes with this machine's
# python3, into the smallest system of this machine's Debian, with Python and NumPy only, and imports,
# plans, computes and runs there. FOLDER gets the system, unless it is there. It needs root and
# debootstrap.
set -eu
wheel=$1 system=$2/system
if [ ! -d "$system" ]; then
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase --include=python3-numpy,python3-pip "$release" "$system.part"
  mv "$system.part" "$system"
fi
cp "$wheel" "$system/root"
unshare --mount --propagation private sh -eu -c '
  mount -t proc proc "$1/proc"
  exec chroot "$1" env -i PATH=/usr/bin:/bin HOME=/root sh -eu' sh "$system" <<E2
pip install --quiet --no-index --no-deps --force-reinstall --break-system-packages --root-user-action ignore \
  "/root/$(basename "$wheel")"
cd /root && python3 - <<'PYTHON'
import importlib.util
import numpy as np
import quorumbench as qb

assert not any(importlib.util.find_spec(name) for name in ("pandas", "polars", "matplotlib", "torch"))
q, k, v, do = np.random.default_rng(1).standard_normal((4, 1, 2, 200, 32), np.float32)
r = qb.attend(q, k, v, do=do, algorithm="zigzag", workers=4, mask="causal", ranks="threads")
assert 0.0 < r.error < 1e-5, r.errors
assert qb.plan("cqs", n_tokens=4096, workers=7).check().bytes > 0
run = qb.sweep(algorithm="ring", workers=[1, 2], n_tokens=256, measure={"repeats": 3}).run()
assert list(run.cases["status"]) == ["ok", "ok"], run.cases["message"]
print(qb.table(run, cols="workers", values="device_sent_bytes"))
print(run.verify())
PYTHON
E2
