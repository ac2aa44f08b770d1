# SPDX-License-Identifier: Apache-2.0
"""The steps of both stages of the acceptance, in the order in which they run."""

import collections
import os
import shutil
import sys

from acceptance_place import find_tool

# What a case of each spec may take after its start-up: inputs, verification, warm-ups, max_time.
CASE_WORK_S = {"attention": 4, "attention_backward": 8, "sm_80": 4, "cqs": 12, "decode": 30,
               "bert_layer": 6, "bert_layer_sparse": 6, "nccl": 12, "case_study_2": 6,
               "sparse": 10, "sparse_stages": 5, "memory_timeline": 12}
TORCH_CASE_WORK_S = 10
DEFAULT_STARTUP_S = 4.0  # used until the quick stage has measured it
SLACK = 1.5              # some cases take longer to start than those measured

# GPU tests of each binary, and the seconds that they may take. Suites whose name contains OnGpu or
# Cuda need a GPU; the others are about the host's side.
GPU_TESTS = {"flash_work": ("*OnGpu*", 20), "kernels": ("*Cuda*", 6), "execute": ("Cuda*", 12),
             "workload": ("*OnGpu*", 16), "experiment": ("Gpu*", 6)}
MOST_SHARDS = 16  # processes that share the tests of flash_work, which compute long references
STARTUP_RUN = "startup"  # removed when it has been read
# These tests call no product of cuBLAS, whose kernels take a checker minutes.
TINY_TESTS = "CudaTiny*"

# run: the run folder that it writes and resumes. cases: words for `qb run` that say which cases it
# runs, for the dry run and the budget. shards: how many processes share its tests; 0 if it runs
# none. tool: a program without which the step is left out. save: the file that its output is kept
# in. reports: what it finds is said and fails nothing.
Step = collections.namedtuple("Step", "name command budget_s run cases shards tool save reports",
                              defaults=[None, None, 0, None, None, False])


def quick_steps(place, out):
    """What would end the sitting comes first: whether our kernels are right, then how fast they are
    beside the peers', then the executor over them."""
    yield Step("device", [place.program("qb"), "env", "--all"], 6, save="environment.txt")
    yield tests_step(place, "flash_work", min(MOST_SHARDS, os.cpu_count() or 1))
    yield Step("flash", [sys.executable, place.file("gpu", "flash_rounds.py"),
                         place.program("flash_bench"), os.path.join(out, "flash_rounds.csv")], 54,
               save="flash_rounds.txt")
    for name in ("execute", "kernels", "workload", "experiment"):
        yield tests_step(place, name)
    yield startup_step(place, out)
    yield Step("driver", ["nvidia-smi", "-q"], 4, tool="nvidia-smi", save="nvidia-smi.txt")
    for tool, budget_s in (("memcheck", 15), ("racecheck", 10)):
        checker = find_tool("compute-sanitizer") or "compute-sanitizer"
        yield Step(tool, [checker, "--tool", tool, "--error-exitcode", "9",
                          place.program("qb_execute_test"), "--gtest_filter=" + TINY_TESTS],
                   budget_s, shards=1, tool=checker, reports=tool == "racecheck")


def tests_step(place, name, shards=1):
    pattern, budget_s = GPU_TESTS[name]
    return Step("tests." + name, [place.program(f"qb_{name}_test"), "--gtest_filter=" + pattern],
                budget_s, shards=shards)


def startup_step(place, out):
    """A step that measures by two small cases what starting a case costs. The second of them once
    gave no answer (data/measured/gpu_untested.md)."""
    words = ["--filter", "kernel=flash", "--filter", "n_tokens=512", "--filter", "head_dim=128",
             "--filter", "dtype=f16"]
    step = spec_step(place, out, "startup", "attention", STARTUP_RUN, 0, words)
    return step._replace(budget_s=12)


def spec_step(place, out, name, spec, run, startup_s, words=()):
    """A step that runs cases of a spec; its budget is for one case until they are counted."""
    path = place.file("gpu", spec + ".yaml")
    command = [place.program("qb"), "run", path, "--out", os.path.join(out, ".runs"), "--run-id",
               run, *words]
    return Step(name, command, case_budget_s(spec, startup_s), run=run, cases=[path, *words])


def case_budget_s(spec, startup_s):
    return SLACK * startup_s + CASE_WORK_S[spec]


def peer_step(place, out, name, backend, startup_s):
    command = [sys.executable, place.file("peers", "torch_sdpa.py"),
               os.path.join(out, "attention"), "--out", os.path.join(out, "torch_" + backend),
               "--device", "cuda", "--backend", backend, "--repeats", "10", "--warmups", "3",
               "--resume"]
    return Step(name, command, SLACK * startup_s + TORCH_CASE_WORK_S,
                cases=[place.file("gpu", "attention.yaml"), "--filter", "kernel=flash"])


def long_steps(place, out, startup_s, n_gpus):
    """Cells of targets come first, cells of facts and figures last; the peers' cells are later than
    ours, since the microbenchmark has measured them already."""
    def spec(name, spec_name=None, run=None, words=()):
        spec_name = spec_name or name
        return spec_step(place, out, name, spec_name, run or spec_name, startup_s, words)

    def only(*words):
        return [word for pair in words for word in ("--only", pair)]

    def peers(suffix):
        return [peer_step(place, out, f"peers.{backend}{suffix}", backend, startup_s)
                for backend in ("flash", "cudnn", "efficient")]

    return [spec("attention.flash", "attention", words=only("kernel=flash", "n_tokens=16384")),
            spec("attention.cudnn", "attention", words=only("kernel=cudnn", "n_tokens=16384")),
            spec("attention_backward.target", "attention_backward",
                 words=only("pass=backward", "n_tokens=16384")),
            spec("sm_80.target", "sm_80", words=only("head_dim=128", "mask=full")),
            spec("cqs.together", "cqs", words=only("launch=together")),
            Step("copy_bandwidth", [sys.executable, place.file("gpu", "copy_bandwidth.py"),
                                    os.path.join(out, "copy_bandwidth.json")], 40),
            spec("decode"), spec("bert_layer"), spec("bert_layer_sparse"), *peers(""),
            *nccl_steps(place, spec, n_gpus),
            spec("case_study_2"),
            spec("attention.rest", "attention"), *peers(".rest"),
            spec("attention_backward.rest", "attention_backward"), spec("sm_80.rest", "sm_80"),
            spec("cqs.rest", "cqs"), spec("sparse"), spec("sparse_stages"),
            spec("memory_timeline")]


def nccl_steps(place, spec, n_gpus):
    """One rank runs in any case; several run if there are several GPUs and the build has MPI."""
    yield spec("nccl_1", "nccl", "nccl_1", ["--filter", "workers=1"])
    if place.is_kit or not shutil.which("mpirun"):
        return
    for ranks in (8, 4, 2):
        if ranks > n_gpus:
            continue
        step = spec(f"nccl_{ranks}", "nccl", f"nccl_{ranks}", ["--filter", f"workers={ranks}"])
        launcher = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun",
                    "-n", str(ranks)]
        yield step._replace(command=launcher + step.command)


def verdict_step(place, out):
    return Step("verdict", [sys.executable, place.file("gpu", "verdict.py"), out], 5,
                save="verdict.txt")
