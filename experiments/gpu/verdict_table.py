# SPDX-License-Identifier: Apache-2.0
"""Reads rows of runs and holds the table of targets that verdict.py prints."""

import csv
import os

SIXTEEN_BITS = ("bf16", "f16")


def rows_of(folder, run, table="cases.csv"):
    path = os.path.join(folder, run, table)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def chosen(rows, **wanted):
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def is_right(row):
    """A row that is ok has been compared with float64."""
    return row["status"] == "ok"


def seconds(row):
    """The time by the GPU's own clock, if known: it does not count a launch of 10 us."""
    return float(row["device_time_median_s"] or row["wall_time_median_s"])


def rate(row):
    return float(row["unmasked_flop"]) / seconds(row)


class Failed(Exception):
    """A cell that a target needs was run and is not ok."""

    def __init__(self, row):
        super().__init__(row["status"])


def cell(rows, **wanted):
    """The one row of a target's cell, or None if it is missing. Raises Failed if it is not ok."""
    same = chosen(rows, **wanted)
    if not same:
        return None
    if same[0]["status"] != "ok":
        raise Failed(same[0])
    return same[0]


class Table:
    def __init__(self):
        self.lines, self.missed = [], False

    def add(self, what, target, measured, met):
        verdict = "not measured" if met is None else "met" if met else "missed"
        self.missed = self.missed or met is False
        self.lines.append((what, target, measured, verdict))

    def at_least(self, what, target, unit, measure):
        """measure() returns the number and its source, or None if cells are missing."""
        self.compare(what, f">= {target:g} {unit}", unit, measure, lambda value: value >= target)

    def at_most(self, what, target, unit, measure):
        self.compare(what, f"<= {target:g} {unit}", unit, measure, lambda value: value <= target)

    def compare(self, what, target, unit, measure, holds):
        try:
            found = measure()
        except Failed as failed:
            self.add(what, target, str(failed), False)
            return
        if found is None:
            self.add(what, target, "", None)
        else:
            value, source = found
            text = f"{value:.3g} {unit}".rstrip()
            self.add(what, target, f"{text} ({source})" if source else text, holds(value))

    def count(self, what, rows, wanted, good):
        """Counts the wanted cells that are good; cells that have not been run are not failures."""
        right = sum(1 for row in rows if good(row))
        verdict = None if right == len(rows) < wanted else right >= wanted
        self.add(what, str(wanted), f"{right} of {len(rows)} run" if rows else "", verdict)

    def fact(self, what, measured, target="(fact)"):
        """Adds a number to read, which is not a target."""
        self.lines.append((what, target, measured, "" if measured else "not measured"))

    def print(self):
        width = [max(len(line[i]) for line in self.lines) for i in range(4)]
        for line in self.lines:
            print("  ".join(text.ljust(size) for text, size in zip(line, width)).rstrip())
