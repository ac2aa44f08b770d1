#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A change in any folder that binaries are made of is recorded; one of a text or a figure is not."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
SOURCES = (".h", ".cpp", ".cu", ".cuh", ".cmake", "CMakeLists.txt", "CMakePresets.json")
TEXTS = ("README.md", "experiments/smoke.yaml", "docs/sitting.sh", "data/papers/coverage.csv")


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True,
                          text=True).stdout


class BuildInfo(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.clone = Path(scratch.name) / "clone"
        git(SOURCE, "clone", "--quiet", "--shared", SOURCE, self.clone)

    def is_modified(self):
        made = self.clone.parent / "build_info.cpp"
        subprocess.run(["cmake", "-D", f"OUTPUT={made}", "-D", f"SOURCE={self.clone}",
                        "-P", SOURCE / "cmake/BuildInfo.cmake"], check=True)
        return ", true, R" in made.read_text()

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


if __name__ == "__main__":
    if not (SOURCE / ".git").exists():
        print("skipped: no git checkout")
        sys.exit(77)
    unittest.main()
