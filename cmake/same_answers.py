#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_answers.py A B: compares what `./qb reproduce` left in two folders results/, such as those of
two releases of Debian, but for times.

Every cell of the cases of each latest run and of papers/**/*.csv (where `qb papers NAME --format csv`
may be kept, too) is compared as text, except what follows from a clock (peaks of
memory too where workers are threads) and errors, which are the rounding of two releases' libraries.
It prints the differences, then how much was compared.

Exit codes: 0 the same; 1 different, or nothing was compared; 2 usage.
"""
import csv
import re
import sys
from pathlib import Path

# Names of columns that hold times, rates, counters, errors and what is derived from them.
TIMED = re.compile(
    r"_s$|_hz$|_flop_per_s|time_|speed_up|\(ms\)|^our S|^ours/|interval|repeats|samples|disturbed|"
    r"error|tolerance|instructions|cycles|peak_fraction|residual|resident|started_at|message|case_id|isa$")
TIMED_ROWS = ("speed-up", "disputed", "wall_clock", "speed_up", "memory_timeline")


def files(folder):
    found = [*folder.glob("papers/**/*.csv"), *folder.glob("*/latest/cases.csv")]
    return {str(path.relative_to(folder)): path for path in found}


def rows(path):
    """The rows of a CSV without what is timed, sorted, since cases run in the order that they took."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *body = csv.reader(file)
    kept = [i for i, name in enumerate(header) if not TIMED.search(name)]
    unthreaded = [i for i in kept if not header[i].endswith("memory_peak_bytes")]
    threads = header.index("ranks") if "ranks" in header else None
    return sorted([f"{header[i]}={row[i]}"
                   for i in (unthreaded if threads and row[threads] == "threads" else kept)]
                  for row in body if not row[0].startswith(TIMED_ROWS))


def main(words):
    if len(words) != 2 or not all(Path(word).is_dir() for word in words):
        print(__doc__, file=sys.stderr)
        return 2
    a, b = (files(Path(word)) for word in words)
    differences = [f"only in one of the two: {name}" for name in sorted(a.keys() ^ b.keys())]
    cells = 0
    for name in sorted(a.keys() & b.keys()):
        ours, theirs = rows(a[name]), rows(b[name])
        cells += sum(len(row) for row in ours)
        if len(ours) != len(theirs):
            differences.append(f"{name}: {len(ours)} and {len(theirs)} rows")
        differences += [f"{name}: {x} and {y}" for one, other in zip(ours, theirs)
                        for x, y in zip(one, other) if x != y]
    print(*differences[:40], sep="\n", end="\n" if differences else "")
    print(f"{cells} cells of {len(a.keys() & b.keys())} files compared, "
          f"{len(differences)} differences")
    return 1 if differences or cells == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
