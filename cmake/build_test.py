#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""build_test.py BUILD: what a build records of its sources, the flags that it compiles them with, and
the names that meet in its batches."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
BUILD = sys.argv.pop(1)  # a folder in which everything was built
SOURCES = (".h", ".cpp", ".cu", ".cuh", ".cmake", "CMakeLists.txt", "CMakePresets.json")
TEXTS = ("README.md", "experiments/smoke.yaml", "docs/sitting.sh", "data/papers/coverage.csv")


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True,
                          text=True).stdout


def commands(*options):
    """The commands of a configuration in a folder of its own, by what they make, without that folder."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--preset", "release", "-B", folder, *options], cwd=SOURCE, check=True,
                       capture_output=True)
        text = (Path(folder) / "compile_commands.json").read_text().replace(folder, "BUILD")
        of_each = [entry["command"] for entry in json.loads(text)]
        return {re.search(" -o ([^ ]+)", command)[1]: command for command in of_each}


class Flags(unittest.TestCase):
    """Of a user's configuration, a developer's, and one with a compiler cache."""

    @classmethod
    def setUpClass(cls):
        cls.user = commands()

    def test_no_warning_stops_a_build_of_a_user(self):
        self.assertGreater(len(self.user), 100)
        for made, command in self.user.items():
            self.assertNotIn("-Werror", command, made)

    def test_every_warning_stops_a_build_of_a_developer(self):
        strict = commands("-DQB_WERROR=ON")
        self.assertEqual(strict.keys(), self.user.keys())
        for made, command in strict.items():
            self.assertIn("-Werror", command, made)
            others = [word.replace(",-Werror", "") for word in command.split(" ")
                      if not word.startswith("-Werror")]
            self.assertEqual(" ".join(others), self.user[made])

    def test_a_compiler_cache_changes_nothing_else(self):
        cached = commands("-DCMAKE_CXX_COMPILER_LAUNCHER=/usr/bin/env")
        self.assertEqual({made: command.removeprefix("/usr/bin/env ") for made, command in cached.items()},
                         self.user)


class Batches(unittest.TestCase):
    def test_no_name_of_an_unnamed_namespace_hides_another(self):
        """In a batch, a function of an unnamed namespace would be called in place of one of a header that
        takes the same arguments. Tests are compiled without inlining, so that objects have all of theirs."""
        objects = subprocess.run(["find", BUILD, "-name", "*.o"], check=True, capture_output=True,
                                 text=True).stdout.split()
        self.assertGreater(len(objects), 20)
        hidden, global_names, unnamed = {}, set(), "(anonymous namespace)::"
        said = subprocess.run(["nm", "-C", "--defined-only", *objects], check=True, capture_output=True,
                              text=True).stdout.replace("[abi:cxx11]", "")
        for kind, name in re.findall(r"^[0-9a-f]+ (\w) (qb::.*\))$", said, re.M):
            if kind in "TW":
                global_names.add(name)
            elif name.count(unnamed) == 1 and name.startswith(f"qb::{unnamed}"):
                hidden[name.replace(unnamed, "")] = name
        self.assertGreater(len(hidden), 100)
        self.assertEqual([hidden[name] for name in hidden if name in global_names], [])


class BuildState(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.clone = Path(scratch.name) / "clone"
        git(SOURCE, "clone", "--quiet", "--shared", SOURCE, self.clone)

    def is_modified(self):
        made = self.clone.parent / "build_state.inc"
        subprocess.run([SOURCE / "cmake/build_state.sh", self.clone, made], check=True)
        commit, modified, tried = made.read_text().split(", ")
        self.assertEqual(commit, '"' + git(self.clone, "rev-parse", "HEAD").strip() + '"')
        self.tried = tried.strip()
        return {"true": True, "false": False}[modified]

    def is_modified_by(self, name):
        with open(self.clone / name, "a", encoding="utf-8") as file:
            file.write("\n")
        modified = self.is_modified()
        git(self.clone, "checkout", "--quiet", "--", name)
        return modified

    def test_names_every_folder_with_sources(self):
        sources = [name for name in git(self.clone, "ls-files").split() if name.endswith(SOURCES)]
        first = {name.split("/")[0]: name for name in sources}
        self.assertGreaterEqual(set(first), {"base", "harness", "kernels", "plots", "cmake", "kit"})
        self.assertFalse(self.is_modified())
        for name in [*first.values(), "data/devices/a100.csv"]:
            self.assertTrue(self.is_modified_by(name), name)

    def test_counts_no_text(self):
        for name in TEXTS:
            self.assertFalse(self.is_modified_by(name), name)

    def test_counts_new_sources_and_no_other_new_file(self):
        (self.clone / "mine.yaml").write_text("experiment: mine\n")
        (self.clone / "figure.pdf").write_text("")
        self.assertFalse(self.is_modified())
        (self.clone / "base/new.cpp").write_text("")
        self.assertTrue(self.is_modified())

    def test_says_when_sources_changed_since_they_were_tried(self):
        tried = self.clone / "docs/tried.csv"
        head = git(self.clone, "rev-parse", "--short", "HEAD").strip()
        tried.write_text(f"date,commit\n2026-01-02,{head}\n")
        self.is_modified()
        self.assertEqual(self.tried, '""')
        with open(self.clone / "base/files.cpp", "a", encoding="utf-8") as file:
            file.write("\n")
        self.is_modified()
        self.assertEqual(self.tried, f'"2026-01-02 at {head}"')
        tried.write_text("date,commit\n2026-01-02,0123456\n")  # a commit that this clone has not
        self.is_modified()
        self.assertEqual(self.tried, '""')


if __name__ == "__main__":
    if not (SOURCE / ".git").exists():
        print("skipped: no git checkout")
        sys.exit(77)
    unittest.main()
