#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests and measures qb on the GPU of this machine; --help says how. It needs only Python's standard
# library and the kit.
python=$(command -v python3) || {  # by its full path, since Python cannot find its own without PATH
  echo "acceptance: there is no python3 here" >&2
  exit 3
}
export PYTHONDONTWRITEBYTECODE=1  # so that the kit stays as it was packed
exec "$python" "$(dirname -- "${BASH_SOURCE[0]}")/acceptance.py" "$@"
