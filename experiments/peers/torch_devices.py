# SPDX-License-Identifier: Apache-2.0
"""Does for torch_sdpa.py what differs between the CPU and a GPU. Only the process of a case asks
torch about a GPU."""

import contextlib
import math
import statistics
import time

from run_folder import number_text

# names in torch.nn.attention.SDPBackend by the word on the command line
BACKENDS = {"flash": "FLASH_ATTENTION", "cudnn": "CUDNN_ATTENTION",
            "efficient": "EFFICIENT_ATTENTION", "math": "MATH"}

# (queries from which on, rows of a block of the CPU's backward pass).
QUERY_BLOCKS = (768, 256), (192, 64), (0, 32)


class Cpu:
    """The CPU needs no special treatment."""

    def __init__(self, torch, _case):
        self.torch = torch

    def isa(self):
        return self.torch.backends.cpu.get_cpu_capability().lower()

    def place(self, tensor):
        return tensor

    def chosen_backend(self):
        return contextlib.nullcontext()

    def sum_roundings(self, problem):
        """Returns how often a sum of dK or dV is rounded to the type of the inputs on its way.

        On a CPU PyTorch keeps gradients in that type while it adds to them, query head by query
        head and block by block (aten/src/ATen/native/cpu/FlashAttentionKernel.cpp).
        """
        block = next(size for least, size in QUERY_BLOCKS if problem.q_len >= least)
        return problem.q_heads // problem.kv_heads * math.ceil(problem.q_len / block)

    def clear_cache(self):
        pass

    def timed(self, call, argument):
        """Returns what the call returns, its seconds, and the device's own seconds or None.

        The result lives on, so that freeing it is not in the time.
        """
        start = time.perf_counter()
        result = call(argument)
        return result, time.perf_counter() - start, None

    def state(self, _seconds):
        """Returns the values of Sample.device after a repeat whose passes took it so long."""
        return "", "", ""

    def columns(self, _samples):
        return {}


class Gpu:
    """The host's clock waits for the GPU; CUDA events measure the GPU's own time too."""

    def __init__(self, torch, case, backend):
        self.torch, self.backend = torch, backend
        self.gpu = torch.cuda.get_device_name(0)
        if case["gpu"] and case["gpu"] != self.gpu:
            raise RuntimeError(f"the run was measured on {case['gpu']}, this is {self.gpu}; "
                               "measure both on one GPU")
        if case["memory_budget_bytes"]:
            total = torch.cuda.get_device_properties(0).total_memory
            share = min(1.0, int(case["memory_budget_bytes"]) / total)
            torch.cuda.set_per_process_memory_fraction(share)
        self.flush = None
        if case["l2_cache"] == "flushed":
            size = 2 * torch.cuda.get_device_properties(0).L2_cache_size
            self.flush = torch.empty(size, dtype=torch.uint8, device="cuda")

    def isa(self):
        return "torch " + self.backend

    def place(self, tensor):
        return tensor.to("cuda")

    def chosen_backend(self):
        attention = self.torch.nn.attention
        return attention.sdpa_kernel(getattr(attention.SDPBackend, BACKENDS[self.backend]))

    def sum_roundings(self, _problem):
        return 1  # sums are float32

    def clear_cache(self):
        if self.flush is not None:
            self.flush.zero_()

    def timed(self, call, argument):
        cuda = self.torch.cuda
        begin, end = (cuda.Event(enable_timing=True) for _ in range(2))
        cuda.synchronize()
        start = time.perf_counter()
        begin.record()
        result = call(argument)
        end.record()
        cuda.synchronize()
        seconds = time.perf_counter() - start
        return result, seconds, begin.elapsed_time(end) * 1e-3

    def state(self, seconds):
        clock = ""  # in Hz from the driver; empty without the driver's Python module
        with contextlib.suppress(Exception):
            clock = number_text(self.torch.cuda.clock_rate() * 1e6)
        return number_text(sum(seconds)), clock, ""

    def columns(self, samples):
        """Returns the name of the GPU, and the medians of its values in the samples."""
        repeats = [sample for sample in samples if not sample.warmup]
        columns = {"gpu": self.gpu}
        for at, column in enumerate(("device_time_median_s", "sm_clock_median_hz")):
            values = [float(s.device[at]) for s in repeats if s.device[at]]
            if values:
                columns[column] = number_text(statistics.median(values))
        return columns
