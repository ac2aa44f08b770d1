# SPDX-License-Identifier: Apache-2.0
"""Finds the programs of the acceptance: in a kit, or in a checkout that has been built."""

import json
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
# the folder of each program in build/release of a checkout; in a kit all are in bin/
PROGRAMS = {"qb": "harness/cli", "flash_bench": "kernels/cuda",
            "qb_flash_work_test": "kernels/cuda", "qb_kernels_test": "kernels",
            "qb_execute_test": "harness/execute", "qb_workload_test": "harness/workload",
            "qb_experiment_test": "harness/experiment"}


class Refusal(Exception):
    """The acceptance cannot run; `code` is the exit code."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


def folders_above(folder):
    while folder != os.path.dirname(folder):
        yield folder
        folder = os.path.dirname(folder)


class Place:
    """If `bin_folder` is given, all programs are there, wherever this file is."""

    def __init__(self, bin_folder=None):
        kits = [folder for folder in folders_above(HERE)
                if os.path.isfile(os.path.join(folder, "manifest.json"))]
        self.is_kit = bool(kits)
        self.root = kits[0] if kits else os.path.dirname(os.path.dirname(HERE))
        self.bin_folder = bin_folder or (os.path.join(self.root, "bin") if kits else None)
        self.commit = self.commit_of_kit() if kits else self.commit_of_checkout()

    def commit_of_kit(self):
        try:
            with open(os.path.join(self.root, "manifest.json"), encoding="utf-8") as file:
                manifest = json.load(file)
            return manifest["commit"] + ("-modified" if manifest.get("modified") else "")
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise Refusal(2, f"{self.root}/manifest.json is not a manifest of a kit: "
                             f"{problem!r}") from problem

    def commit_of_checkout(self):
        if not shutil.which("git"):
            return ""
        git = ["git", "-C", self.root]
        said = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True,
                              check=False)
        changed = subprocess.run([*git, "diff-index", "--quiet", "HEAD", "--"], check=False,
                                 stderr=subprocess.DEVNULL)
        return said.stdout.strip() + ("-modified" if changed.returncode == 1 else "")

    def program(self, name):
        if self.bin_folder:
            return os.path.join(self.bin_folder, name)
        return os.path.join(self.root, "build", "release", PROGRAMS[name], name)

    def file(self, *names):
        """The path of a file of experiments/."""
        return os.path.normpath(os.path.join(HERE, "..", *names))

    def describe(self):
        if self.is_kit:
            return f"kit {self.root}, commit {self.commit or 'unknown'}"
        where = self.bin_folder or os.path.join(self.root, "build", "release")
        return f"no kit (no manifest.json above {HERE}): the programs are those of {where}"


def gpu_names():
    """The names of the GPUs, from nvidia-smi. Raises Refusal if there is no GPU."""
    if not shutil.which("nvidia-smi"):
        raise Refusal(3, "no GPU: there is no nvidia-smi")
    said = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                          capture_output=True, text=True, check=False, timeout=60)
    names = [line.strip() for line in said.stdout.splitlines() if line.strip()]
    if said.returncode != 0 or not names:
        raise Refusal(3, "no GPU: nvidia-smi names none")
    return names


def gpu_folder(name):
    """`NVIDIA H200` becomes h200, `NVIDIA A100-SXM4-80GB` a100-sxm4-80gb."""
    return re.sub("[^a-z0-9]+", "-", name.lower().removeprefix("nvidia ")).strip("-")


def find_tool(name):
    """The path of a tool in PATH or in CUDA's toolkit; None if it is in neither."""
    return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")
