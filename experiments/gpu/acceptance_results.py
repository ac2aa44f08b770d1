# SPDX-License-Identifier: Apache-2.0
"""Writes results.json, which says what has been done, and packs everything into one archive."""

import gzip
import json
import os
import shutil
import subprocess
import tarfile
import time

from acceptance_place import Refusal

ARCHIVE_LIMIT_BYTES = 16 * 1000 * 1000  # under 16 MiB with room for a sender's frame
# parts of paths, in the order in which they are left out of an archive that is too large
DISPENSABLE = ("logs", "traces", "figures", "memory_timeline.csv", "samples.csv")


class Results:
    """The results of one GPU and one commit; they are written after every step."""

    def __init__(self, out, gpu, commit):
        self.path = os.path.join(out, "results.json")
        self.facts = {"gpu": gpu, "commit": commit, "date": "", "stages": [],
                      "case_startup_s": None, "steps": []}
        if not os.path.exists(self.path):
            return
        try:
            with open(self.path, encoding="utf-8") as file:
                known = json.load(file)
            if [known[key] for key in ("gpu", "commit")] == [gpu, commit]:
                self.facts |= known
                return
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise Refusal(2, f"{self.path} is not readable ({problem}); remove it, or give another "
                             "--out") from problem
        raise Refusal(2, f"{out} holds results of commit {known['commit'] or 'unknown'} on "
                         f"{known['gpu']}, this is {commit or 'unknown'} on {gpu}; give another "
                         "--out")

    def step(self, stage, name):
        for step in self.facts["steps"]:
            if (step["stage"], step["name"]) == (stage, name):
                return step
        return None

    def note(self, stage, name, **what):
        """Stores state, code, seconds and note; a resumed step adds up seconds and attempts."""
        step = self.step(stage, name)
        if step is None:
            step = {"stage": stage, "name": name, "state": "", "code": None, "seconds": 0.0,
                    "attempts": 0, "note": ""}
            self.facts["steps"].append(step)
        step["seconds"] = round(step["seconds"] + what.pop("seconds"), 3)
        step["attempts"] += 1
        step |= what
        self.write()

    def forget(self, stage, name):
        self.facts["steps"] = [step for step in self.facts["steps"]
                               if (step["stage"], step["name"]) != (stage, name)]

    def finish(self, stage, whole):
        stages = [known for known in self.facts["stages"] if known != stage]
        self.facts["stages"] = stages + [stage] if whole else stages
        self.write()

    def write(self):
        self.facts["date"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.facts, file, indent=2)
            file.write("\n")
        os.replace(self.path + ".new", self.path)


def files_of(folder):
    """The paths of the files in a folder, without names that begin with a dot."""
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield os.path.relpath(os.path.join(path, name), folder)


def compress(tar_path, stem, zstd, xz):
    """Returns the archive's path, and a sentence if the format is another than .tar.zst."""
    if zstd:
        path = stem + ".tar.zst"
        subprocess.run([zstd, "-q", "-f", "-10", "-T0", tar_path, "-o", path], check=True)
        return path, ""
    reason = "there is no zstd program here, so that the results are "
    path = stem + (".tar.xz" if xz else ".tar.gz")
    with open(tar_path, "rb") as source, (xz.open if xz else gzip.open)(path, "wb") as target:
        shutil.copyfileobj(source, target)
    return path, reason + os.path.basename(path)


def import_xz():
    try:
        import lzma  # pylint: disable=import-outside-toplevel
        return lzma
    except ImportError:  # this Python was built without it
        return None


def pack(out, limit_bytes=ARCHIVE_LIMIT_BYTES):
    """Packs the folder into one archive beside it; returns its path and remarks to print."""
    remarks, left_out = [], []
    for unwanted in (None, *DISPENSABLE):
        if unwanted:
            left_out.append(unwanted)
        tar_path = out + ".tar"
        with tarfile.open(tar_path, "w") as tar:
            for name in files_of(out):
                if not set(name.split(os.sep)) & set(left_out):
                    tar.add(os.path.join(out, name), os.path.join(os.path.basename(out), name))
        for ending in (".tar.zst", ".tar.xz", ".tar.gz"):
            if os.path.exists(out + ending):
                os.remove(out + ending)
        path, remark = compress(tar_path, out, shutil.which("zstd"), import_xz())
        os.remove(tar_path)
        if os.path.getsize(path) <= limit_bytes:
            break
    if remark:
        remarks.append(remark)
    if left_out:
        remarks.append(f"{os.path.basename(path)} is without {', '.join(left_out)}, which would "
                       f"make it larger than {limit_bytes} bytes; they stay in {out}")
    if os.path.getsize(path) > limit_bytes:
        remarks.append(f"{os.path.basename(path)} is larger than {limit_bytes} bytes all the same")
    return path, remarks
