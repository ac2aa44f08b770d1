#!/usr/bin/env bash
# Proves the GPU half of qb on the machine that it is started on; --help says how. It needs Python's
# standard library and what is in the kit.
command -v python3 >/dev/null || {
  echo "acceptance: there is no python3 here" >&2
  exit 3
}
export PYTHONDONTWRITEBYTECODE=1  # the kit stays as it was packed
exec python3 "$(dirname -- "${BASH_SOURCE[0]}")/acceptance.py" "$@"
