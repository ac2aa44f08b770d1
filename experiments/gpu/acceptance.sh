#!/usr/bin/env bash
# Proves the GPU half of qb on the machine that it is started on; --help says how. It needs Python's
# standard library and what is in the kit.
python=$(command -v python3) || {  # by its path, which Python does not find without PATH
  echo "acceptance: there is no python3 here" >&2
  exit 3
}
export PYTHONDONTWRITEBYTECODE=1  # the kit stays as it was packed
exec "$python" "$(dirname -- "${BASH_SOURCE[0]}")/acceptance.py" "$@"
