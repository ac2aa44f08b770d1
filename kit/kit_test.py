# SPDX-License-Identifier: Apache-2.0
"""Tests the kit on a machine that has nothing: python3 kit_test.py KIT_SH BUILD_FOLDER

It unpacks the archive of this build under another name and runs it with an empty environment, and,
as root, in a root folder that holds only glibc's files.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

KIT_SH = BUILD = ""
GLIBC_FILES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
               "ld-linux-x86-64.so.2", "linux-vdso.so.1"}
NEWEST_GLIBC = (2, 36)  # the one of Debian 12
SPEC = """experiment: in_a_kit
kernel: {kernel}
mask: causal
head_dim: 64
sweep: {{n_tokens: [256, 384], algorithm: [dense]}}
measure: {{warmups: 0, repeats: 1}}
"""


def said(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def kit_sh(*words, **environment):
    return said(KIT_SH, *words, env=dict(os.environ, **environment))


def bare(*words, **options):
    """Runs a command with no variable set."""
    return said(*words, env={}, **options)


def files_in(folder):
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            yield os.path.relpath(path, folder), path


class Kit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.archive = os.path.join(cls.scratch, "kit.tar.xz")
        made = kit_sh("--build", BUILD, "--out", cls.archive)
        if made.returncode != 0:
            raise AssertionError(made.stderr)
        with tarfile.open(cls.archive) as tar:  # as on a machine that lacks tar or xz
            tar.extractall(cls.scratch)
        os.rename(os.path.join(cls.scratch, "quorumbench-kit"),
                  os.path.join(cls.scratch, "of another name"))
        cls.kit = os.path.join(cls.scratch, "of another name")
        cls.qb = os.path.join(cls.kit, "bin", "qb")
        cls.programs = sorted(name for name, _ in files_in(os.path.join(cls.kit, "bin")))

    def spec(self, kernel):
        path = os.path.join(self.scratch, kernel + ".yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SPEC.format(kernel=kernel))
        return path

    def rows_of(self, kernel, *runner):
        out = os.path.join(self.scratch, "results")
        run = (runner or (self.qb,)) + ("run", self.spec(kernel), "--out", out, "--run-id", kernel)
        result = bare(*run)
        with open(os.path.join(out, "in_a_kit", kernel, "cases.csv"), encoding="utf-8") as file:
            header, *rows = file.read().splitlines()
        columns = header.split(",")
        return result, [dict(zip(columns, row.split(","))) for row in rows], "\n".join(rows)

    def test_is_small_and_names_every_file_in_its_manifest(self):
        self.assertLessEqual(os.path.getsize(self.archive), 25 * 1024 * 1024)
        with open(os.path.join(self.kit, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertRegex(manifest["commit"], "^[0-9a-f]{40}$")
        self.assertRegex(manifest["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertIn(manifest["modified"], (True, False))
        self.assertIn("sm_90a", manifest["architectures"])
        self.assertRegex(manifest["cuda"], r"^\d+\.\d+")
        found = {}
        for name, path in files_in(self.kit):
            with open(path, "rb") as file:
                found[name] = hashlib.sha256(file.read()).hexdigest()
        del found["manifest.json"]
        self.assertEqual(found, manifest["files"])
        for name in ("bin/qb", "experiments/gpu/acceptance.sh", "LICENSE",
                     "experiments/peers/torch_sdpa.py", "plots/draw/qbdraw/__main__.py",
                     "data/devices/a100.csv"):
            self.assertIn(name, found)

    def test_is_the_same_when_it_is_made_again(self):
        archives = []
        for name in ("once.tar.zst", "again.tar.zst"):  # packed in less time than .tar.xz
            path = os.path.join(self.scratch, name)
            self.assertEqual(kit_sh("--build", BUILD, "--out", path).returncode, 0)
            with open(path, "rb") as file:
                archives.append(file.read())
        self.assertEqual(*archives)

    def test_its_target_has_the_programs_whose_waits_trap(self):
        def made_of(target):
            return said("ninja", "-C", BUILD, "-t", "query", target).stdout.split()

        program = "kit/bin/debug/qb_flash_work_test"
        self.assertIn(program, made_of("kit/kit"))
        for kernel in ("backward/backward_sm90.cu.o", "flash_sm90.cu.o"):
            self.assertIn("kernels/cuda/CMakeFiles/qb_flash_debug.dir/flash/" + kernel,
                          made_of(program))

    def test_its_programs_need_glibc_of_debian_12_and_nothing_else(self):
        self.assertGreaterEqual(len(self.programs), 6)
        built_with = tuple(int(x) for x in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))
        for program in self.programs:
            path = os.path.join(self.kit, "bin", program)
            needed = re.findall(r"^\s*(\S+)", said("ldd", path).stdout, re.M)
            self.assertTrue(needed)
            self.assertLessEqual({os.path.basename(x) for x in needed}, GLIBC_FILES, program)
            dynamic = said("readelf", "-dV", path).stdout
            self.assertNotRegex(dynamic, "RPATH|RUNPATH")
            versions = {tuple(int(x) for x in v.split("."))
                        for v in re.findall(r"GLIBC_(2\.\d+)", dynamic)}
            self.assertLessEqual(max(versions), max(NEWEST_GLIBC, built_with))

    def test_no_path_of_the_build_is_in_any_file(self):
        with open(os.path.join(BUILD, "kit", "facts"), encoding="utf-8") as file:
            facts = dict(line.rstrip("\n").split("=", 1) for line in file)
        for name, path in files_in(self.kit):
            with open(path, "rb") as file:
                content = file.read()
            for word in ("source", "build"):
                self.assertNotIn(facts[word].encode() + b"/", content, name)

    def test_env_and_plan_work_with_an_empty_environment(self):
        env = bare(self.qb, "env", "--json")
        self.assertEqual(env.returncode, 0, env.stderr)
        facts = json.loads(env.stdout)
        here = json.loads(said(os.path.join(BUILD, "harness/cli/qb"), "env", "--json").stdout)
        self.assertEqual(facts["build"]["commit"], here["build"]["commit"])
        self.assertEqual(facts["cpu"]["flash_kernel_runs_with"],
                         here["cpu"]["flash_kernel_runs_with"])
        self.assertNotIn("oneDNN", facts["build"]["libraries"])
        self.assertEqual(set(facts["cuda"]["libraries"]),
                         {"cublas", "cupti", "nccl", "nvml"})
        plan = bare(self.qb, "plan", "--algorithm", "cqs", "--n-tokens", "10", "--workers", "7")
        self.assertEqual(plan.returncode, 0, plan.stderr)

    def test_a_run_on_the_cpu_is_verified(self):
        result, rows, _ = self.rows_of("flash")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([row["status"] for row in rows], ["ok", "ok"])
        verified = bare(self.qb, "verify", os.path.join(self.scratch, "results/in_a_kit/flash"))
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    def test_what_needs_onednn_is_unsupported_and_says_so(self):
        for kernel in ("materialized", "staged"):
            _, rows, text = self.rows_of(kernel)
            self.assertEqual({row["status"] for row in rows}, {"unsupported"})
            self.assertIn(f"kernel {kernel} on the CPU needs oneDNN", text)
        layer = bare(self.qb, "run", os.path.join(self.kit, "experiments/bert_layer.yaml"),
                     "--out", os.path.join(self.scratch, "layers"), "--filter", "n_tokens=128")
        self.assertIn("a transformer layer on the CPU needs oneDNN", layer.stderr)

    def test_the_acceptance_script_shows_what_it_would_run(self):
        script = os.path.join(self.kit, "experiments/gpu/acceptance.sh")
        result = bare("bash", script, "--dry-run")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_programs_of_the_gpu_start(self):
        for program in self.programs:
            path = os.path.join(self.kit, "bin", program)
            words = ("--gtest_filter=*Cuda*:*Gpu*",) if program.endswith("_test") else ("--help",)
            result = bare(path, *words, cwd=self.scratch)
            self.assertIn(result.returncode, (0, 2, 3), program + result.stdout + result.stderr)
            if program.endswith("_test"):
                self.assertEqual(result.returncode, 0, program + result.stdout)

    @unittest.skipUnless(os.geteuid() == 0, "only root may change its root folder")
    def test_runs_where_there_is_glibc_alone(self):
        root = os.path.join(self.scratch, "root")
        shutil.copytree(self.kit, os.path.join(root, "kit"))
        os.makedirs(os.path.join(root, "proc"))
        os.makedirs(os.path.join(root, "tmp"))
        shutil.copy(self.spec("flash"), root)
        for path in re.findall(r"(/\S*)", said("ldd", self.qb).stdout):
            os.makedirs(root + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, root + path)

        def inside(*words):
            return said("unshare", "--mount", "sh", "-c", 'mount --bind /proc "$0/proc" && '
                        'exec env -i /usr/sbin/chroot "$0" "$@"', root, *words)
        if inside("/kit/bin/qb", "--version").returncode != 0:
            self.skipTest("this machine does not let root mount or change its root folder")
        for words in (("env",), ("plan", "--n-tokens", "64", "--workers", "7"),
                      ("run", "/flash.yaml", "--out", "/tmp/results")):
            result = inside("/kit/bin/qb", *words)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_file_that_holds_a_path_of_the_build_is_refused(self):
        build = os.path.join(self.scratch, "build")
        os.makedirs(os.path.join(build, "kit/bin"))
        with open(os.path.join(build, "kit/facts"), "w", encoding="utf-8") as file:
            file.write("source=/home/somebody/clone\nbuild=/nowhere\n")
        with open(os.path.join(build, "kit/bin/qb"), "w", encoding="utf-8") as file:
            file.write("\0/home/somebody/clone/kernels/flash.cu\0")
        result = kit_sh("--build", build, "--out", os.path.join(self.scratch, "none.tar.xz"))
        self.assertEqual(result.returncode, 3)
        self.assertIn("hold the path /home/somebody/clone of this machine", result.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.scratch, "none.tar.xz")))


class Unpack(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.measured = os.path.join(self.scratch, "measured")
        self.qb = os.path.join(self.scratch, "qb")
        self.write("qb", '#!/bin/sh\necho "$1 of $(basename $2)"\ngrep -q right $2/cases.csv\n')
        os.chmod(self.qb, 0o755)

    def write(self, name, text):
        path = os.path.join(self.scratch, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def results(self, cases="right", top="packed/h200"):
        self.write(f"{top}/verdict.txt", "NVIDIA H200")
        self.write(f"{top}/attention/cases.csv", cases)
        self.write(f"{top}/attention/spec.resolved.yaml", "experiment: attention")
        self.write(f"{top}/torch_flash/cases.csv", "another program's")

    def pack(self, *words):
        archive = os.path.join(self.scratch, "results.tar.zst")
        subprocess.run(["tar", "--zstd", "-cPf", archive, *words], check=True,
                       cwd=os.path.join(self.scratch, "packed"))
        return archive

    def unpack(self, archive, *words):
        return kit_sh("--unpack", archive, "--into", self.measured, *words, QB=self.qb)

    def measured_cases(self):
        with open(os.path.join(self.measured, "h200/attention/cases.csv"), encoding="utf-8") as file:
            return file.read()

    def test_runs_come_home_and_those_with_a_plan_are_verified(self):
        self.results()
        result = self.unpack(self.pack("h200"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "verify of attention\n")
        self.assertEqual(self.measured_cases(), "right")
        self.assertTrue(os.path.exists(os.path.join(self.measured, "h200/verdict.txt")))
        self.assertEqual(self.unpack(self.pack("h200")).returncode, 0)  # the same again

    def test_an_archive_of_a_machine_without_zstd_is_taken_too(self):
        self.results()
        archive = os.path.join(self.scratch, "results.tar.gz")
        subprocess.run(["tar", "-czf", archive, "h200/verdict.txt", "h200/attention/cases.csv"],
                       check=True, cwd=os.path.join(self.scratch, "packed"))
        self.assertEqual(self.unpack(archive).returncode, 0)
        self.assertEqual(self.measured_cases(), "right")

    def test_a_run_that_does_not_verify_is_told(self):
        self.results("wrong")
        result = self.unpack(self.pack("h200"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("some runs do not pass qb verify", result.stderr)

    def test_a_run_of_other_content_is_replaced_only_by_force(self):
        self.results()
        self.assertEqual(self.unpack(self.pack("h200")).returncode, 0)
        self.results("right, and other")
        archive = self.pack("h200")
        result = self.unpack(archive)
        self.assertEqual(result.returncode, 2)
        self.assertIn("h200/attention is there with other content; --force", result.stderr)
        self.assertEqual(self.measured_cases(), "right")
        self.assertEqual(self.unpack(archive, "--force").returncode, 0)
        self.assertEqual(self.measured_cases(), "right, and other")

    def refused(self, archive, sentence):
        result = self.unpack(archive)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(sentence, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertFalse(os.path.exists(self.measured))

    def test_what_would_be_written_elsewhere_is_refused(self):
        self.results()
        self.write("packed/outside", "")
        self.refused(self.pack("h200", os.path.join(self.scratch, "packed/outside")),
                     "holds the absolute path")
        self.refused(self.pack("h200", "h200/../outside"), "which leads out of its folder")
        self.refused(self.pack("h200", "--transform=s,outside,other/file,", "outside"),
                     "more than one folder: h200 other")
        self.refused(self.pack("--transform=s,h200,NVIDIA,", "h200"), "holds the name NVIDIA")
        os.symlink("/etc", os.path.join(self.scratch, "packed/h200/link"))
        self.refused(self.pack("h200"), "something other than files and folders")

    def test_an_archive_of_anything_else_is_refused(self):
        self.results()
        os.remove(os.path.join(self.scratch, "packed/h200/verdict.txt"))
        self.refused(self.pack("h200"), "has no h200/verdict.txt")
        self.refused(self.qb, "is not a tar archive, or the program that unpacks")
        self.refused("/nowhere", "cannot read /nowhere")

    def test_a_mistake_is_a_sentence(self):
        for words, sentence in ((("--unpack",), "--unpack needs a value"),
                                (("--out", "kit.zip"), "is to end in .tar.xz or .tar.zst"),
                                (("--pack",), "unknown word --pack; try ./qb kit --help")):
            result = kit_sh(*words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(sentence, result.stderr)
        self.assertIn("./qb kit --unpack FILE", kit_sh("--help").stdout)


if __name__ == "__main__":
    KIT_SH, BUILD = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
