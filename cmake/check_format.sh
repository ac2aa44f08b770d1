#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_format.sh: checks every source file of the checkout against .clang-format, and that it begins with its
# licence. It needs the release of clang-format that formatted the sources, since each formats differently.
# Debian 12 has it; elsewhere `pip install clang-format==14.0.6` installs it.
#
# Exit codes: 0 all is well, 1 a file differs, 77 skipped, because the tool or git is missing.
set -euo pipefail
cd "$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")"

skip() {
  echo "format check skipped: $*"
  exit 77
}
tool=$(command -v clang-format-14 || command -v clang-format) || skip "there is no clang-format 14"
version=$("$tool" --version)
[[ $version == *"version 14."* ]] || skip "it needs clang-format 14, and this is $version"
git rev-parse 2>/dev/null || skip "this is no git checkout"
mapfile -t files < <(comm -23 <(git ls-files -co --exclude-standard -- '*.h' '*.cpp' '*.cu' '*.cuh' | sort -u) \
  <(git ls-files -d | sort))
"$tool" --dry-run -Werror "${files[@]}" || { echo "run $tool -i on the files above"; exit 1; }
for file in "${files[@]}"; do
  IFS= read -r head <"$file"
  [ "$head" = "// SPDX-License-Identifier: Apache-2.0" ] ||
    { echo "$file does not begin with // SPDX-License-Identifier: Apache-2.0"; exit 1; }
done
