#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the assembler made of the sm_90a flash kernels: python3 sass_check.py OBJECT TOOLS_FOLDER

Reads the machine code of the kernels in OBJECT (an object file or a static library), six of the
forward pass and twelve of the backward pass, and checks what a compiler's silent decision could
lose. The first two rules are for the forward pass; of the backward pass the second one says only
that no product waits for each of its instructions, and the third one is for blocks that add to dQ.

  exponentials  In each step that multiplies P V while it takes the softmax of the next scores, all
                but 2 of the 66 MUFU.EX2 (64 probabilities, 2 factors for older sums; 40 and 2 for
                d = 256) stand between the wait for the scores and the wait for P V, so that they
                overlap with the product.
  products      A step issues its two products back to back, as one group each and without a wait
                in between; no product of the kernel waits for each of its instructions.
  additions     A step multiplies for dV, dQ and dK in this order, waits for dQ while dK is under
                way, and meanwhile adds it: two boxes by the copy engine, and where there are no
                boxes 16 pairs, eight of a row without a branch between them. The consumers meet at
                one barrier a step.
  local memory  There are no LDL and no STL, and no stack frame.
  registers     The producer gives registers away and consumers take them, once each; all together
                are at most those at entry, which are at most the 64 Ki of a multiprocessor; the
                code of each names none that it does not have.

cuobjdump is taken from the PATH, else from TOOLS_FOLDER, where pip puts it when it is missing.
Exit codes: 0 all is well, 1 a rule is broken, 2 usage, 77 skipped, because there is no cuobjdump.
"""

import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
PACKAGES = ("nvidia-cuda-cuobjdump==13.*", "nvidia-cuda-nvdisasm==13.*")
FACTORS = 2  # these may be computed after the wait, because they are needed only there
SM_REGISTERS = 65536
WARPGROUP = 128  # threads
TYPES = ("f16", "bf16")
KEYS = {64: (128,), 128: (128, 176), 256: (80,)}  # of a step of the forward pass, by d
KERNELS = {(dtype, dim, keys) for dtype in TYPES for dim in KEYS for keys in KEYS[dim]}
BACKWARD = {(dtype, dim, "backward") for dtype in TYPES for dim in (64, 128)}
FEWEST_PRODUCTS = 4  # of a product of the backward pass
PAIRS_OF_A_ROW = 8  # of dQ in a step, for each of a thread's two rows
BOXES = 2  # of dQ in a step, for each warp


class Kernel:
    """One kernel's code: `lines` are instructions in order, without their encodings."""

    def __init__(self, dtype, dim, keys):
        self.dtype, self.dim, self.lines, self.entry_registers = dtype, dim, [], 0
        self.is_forward = isinstance(keys, int)
        self.stack = 0
        self.consumers = 3 if dim == 64 and self.is_forward else 2
        self.keys = keys if self.is_forward else 0  # of a step
        self.probabilities = self.keys // 2  # of each thread and step: a quarter of 2 rows' keys

    def places(self, pattern, begin=0, end=None):
        """Returns which instructions match, under any predicate."""
        return [i for i in range(begin, len(self.lines) if end is None else end)
                if re.match(r"(?:@!?U?P\w+\s+)?(?:" + pattern + ")", self.lines[i])]


def kernel_of(name):
    """Returns (type, dimension, keys of a step) of a kernel of the forward pass, (type, dimension,
    "backward") of one of the backward pass; None for other kernels."""
    forward = re.search(r"flash_sm90_kernel.*Sm90ILb([01])ELi(\d+)ELi(\d+)E", name)
    found = forward or re.search(r"backward_sm90_kernel.*BackwardSm90ILb([01])ELi(\d+)EE", name)
    if not found:
        return None
    return TYPES[int(found[1])], int(found[2]), int(found[3]) if forward else "backward"


def kernels_of(sass, usage):
    """Returns the kernels in what `cuobjdump -sass` and `cuobjdump -res-usage` print."""
    kernels, current = {}, None
    for line in sass.splitlines():
        if "Function :" in line:
            key = kernel_of(line)
            current = kernels.setdefault(key, Kernel(*key)) if key else None
        elif current is not None:
            found = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+([^;]+?)\s*;", line)
            if found:
                current.lines.append(found[1])
    for name, registers, stack in re.findall(
            r"Function (\S+?):\s+REG:(\d+) STACK:(\d+)", usage):
        if kernel_of(name) in kernels:
            kernels[kernel_of(name)].entry_registers = int(registers)
            kernels[kernel_of(name)].stack = int(stack)
    return kernels


WAIT = r"WARPGROUP\.DEPBAR\.LE gsb0, 0x"


def groups_of(kernel):
    """Returns products as (first, last) instruction: each group ends with the one with gsb0."""
    groups, first = [], None
    for i in kernel.places("HGMMA"):
        first = i if first is None else first
        if kernel.lines[i].endswith("gsb0"):
            groups.append((first, i))
            first = None
    return groups


def overlapped_steps(kernel):
    """Returns pairs of groups without a wait between them: scores, and P V of the step before."""
    groups = groups_of(kernel)
    return [(scores, values) for scores, values in zip(groups, groups[1:])
            if not kernel.places(WAIT, scores[1], values[0]) and
            kernel.places(WAIT + "1$", values[1])[:1] == kernel.places(WAIT, values[1])[:1]]


def check_products(kernel):
    groups = groups_of(kernel)
    for first, last in groups:
        count = len(kernel.places("HGMMA", first, last + 1))
        if count < 2:
            yield f"the product at instruction {first} waits for each of its instructions"
        if kernel.places(WAIT, first, last):
            yield f"there is a wait inside the product at instruction {first}"
    for scores, values in overlapped_steps(kernel):
        counts = [len(kernel.places("HGMMA", first, last + 1)) for first, last in (scores, values)]
        wanted = [kernel.dim // 16, kernel.keys // 16]
        if counts != wanted:
            yield (f"a step issues {counts[0]} + {counts[1]} products, not {wanted[0]} + "
                   f"{wanted[1]}")
    if len(overlapped_steps(kernel)) != 2:
        yield (f"{len(overlapped_steps(kernel))} steps issue both products before they wait; full "
               "and masked steps should")


def exponentials_of(kernel):
    """Returns each overlapped step's exponentials before the wait for P V, and after it."""
    counts = []
    for _, values in overlapped_steps(kernel):
        begin = kernel.places(WAIT + "1$", values[1])[0]
        wait = (kernel.places(WAIT + "0$", begin) or [len(kernel.lines)])[0]
        end = (kernel.places("HGMMA", wait) or [len(kernel.lines)])[0]
        counts.append(tuple(len(kernel.places(r"MUFU\.EX2", *between))
                            for between in ((begin, wait), (wait, end))))
    return counts


def check_exponentials(kernel):
    for front, behind in exponentials_of(kernel):
        if front < kernel.probabilities or behind > FACTORS:
            yield (f"{front} exponentials of a step stand in front of the wait for P V and "
                   f"{behind} behind it; at least {kernel.probabilities} must be in front")


def check_local_memory(kernel):
    count = len(kernel.places(r"LDL|STL"))
    if count or kernel.stack:
        yield f"{count} instructions use local memory, and the stack frame has {kernel.stack} bytes"


def budget_of(kernel):
    """Returns a consumer's and the producer's registers a thread, None where never moved."""
    sizes = []
    for pattern in (r"USETMAXREG\.TRY_ALLOC", r"USETMAXREG\.DEALLOC"):
        places = kernel.places(pattern)
        sizes.append(int(kernel.lines[places[0]].split()[-1], 16) if len(places) == 1 else None)
    return sizes


def largest_register(kernel, begin=0, end=None):
    numbers = [int(number) for line in kernel.lines[begin:end]
               for number in re.findall(r"\bR(\d+)\b", line)]
    return max(numbers, default=-1)


def check_registers(kernel):
    consumer, producer = budget_of(kernel)
    if consumer is None or producer is None:
        yield "registers do not move once from the producer to the consumers"
        return
    entry = kernel.entry_registers * (kernel.consumers + 1)
    if not 0 < entry * WARPGROUP <= SM_REGISTERS:
        yield (f"a thread of each warpgroup together have {entry} registers at entry, and there are "
               f"{SM_REGISTERS // WARPGROUP}")
    taken = consumer * kernel.consumers + producer
    if taken > entry:
        yield (f"a thread of each warpgroup together take {taken} registers, and the launch has "
               f"{entry}: the consumers would wait for ever")
    if largest_register(kernel) >= consumer:
        yield f"register {largest_register(kernel)} is used where a consumer has {consumer}"
    begin = kernel.places(r"USETMAXREG\.DEALLOC")[0]
    # Its code ends at the exit without a predicate; all threads but one leave by one with it.
    largest = largest_register(kernel, begin, kernel.lines.index("EXIT", begin))
    if largest >= producer:
        yield f"register {largest} is used where the producer has {producer}"


def check_backward_products(kernel):
    counts = [len(kernel.places("HGMMA", first, last + 1)) for first, last in groups_of(kernel)]
    if not counts:
        yield "no product is computed by a warpgroup"
    for count in counts:
        if count < FEWEST_PRODUCTS:
            yield f"a product of {count} instructions ends with a wait of its own"


def is_sum(kernel, group):
    """Returns whether a product is a sum of the backward pass, with one operand in registers."""
    return re.search(r"HGMMA\S+ R\d+, R\d+, gdesc", kernel.lines[group[0]])


def check_additions(kernel):
    groups = groups_of(kernel)
    i = next((i for i, (first, _) in enumerate(groups) if ".tnspA" in kernel.lines[first]), 0)
    if not 0 < i < len(groups) - 1 or not all(is_sum(kernel, groups[i + side]) for side in (-1, 1)):
        yield "a step does not multiply for dV, dQ and dK in this order"
        return
    d_q, d_k = groups[i:i + 2]
    wait, end = ((kernel.places(WAIT + count, d_k[1]) or [len(kernel.lines)])[0]
                 for count in ("1$", "0$"))
    if kernel.places(WAIT, d_q[0], d_k[0]) or wait > end:
        yield "dQ is not waited for while dK is under way"
    pairs = kernel.places(r"REDG\S*F32x2", wait, end)
    rows = [pairs[i:i + PAIRS_OF_A_ROW] for i in range(0, len(pairs), PAIRS_OF_A_ROW)]
    if len(pairs) != 2 * PAIRS_OF_A_ROW or any(kernel.places("BRA", row[0], row[-1])
                                               for row in rows):
        yield (f"{len(pairs)} pairs are added to dQ while dK is under way; "
               f"{2 * PAIRS_OF_A_ROW} should be, those of a row without a branch")
    boxes = len(kernel.places("UTMAREDG", wait, end))
    if boxes != BOXES:
        yield f"{boxes} boxes are added to dQ while dK is under way; {BOXES} should be"
    meetings = len(kernel.places(r"BAR\.SYNC\S* 0x[1-9a-f]"))
    if meetings != 1:
        yield f"the consumers meet at {meetings} barriers a step"


CHECKS = (check_exponentials, check_products, check_local_memory, check_registers)
BACKWARD_CHECKS = (check_backward_products, check_additions, check_local_memory, check_registers)


def name_of(key):
    what = f", {key[2]} keys a step" if isinstance(key[2], int) else " backward"
    return f"{key[0]} d={key[1]}{what}"


def report(kernels, wanted):
    """Prints one line for each kernel and each broken rule; returns how many are broken."""
    broken = 0
    for key in sorted(wanted - kernels.keys(), key=str):
        print(f"{name_of(key)}: the kernel is not in the object")
        broken += 1
    for key in sorted(kernels, key=str):
        kernel = kernels[key]
        consumer, producer = budget_of(kernel)
        steps = ""
        if kernel.is_forward:
            counts = ", ".join(f"{front} | {behind}" for front, behind in exponentials_of(kernel))
            steps = f"exponentials before | behind the wait {counts}; "
        print(f"{name_of(key)}: {steps}registers {kernel.entry_registers} at entry, {consumer} in "
              f"consumers, {producer} in the producer")
        checks = CHECKS if kernel.is_forward else BACKWARD_CHECKS
        for complaint in (text for check in checks for text in check(kernel)):
            print(f"  BROKEN: {complaint}")
            broken += 1
    return broken


def find_tools(folder):
    """Puts cuobjdump on the PATH; returns a sentence if it cannot be found."""
    def found():
        return shutil.which("cuobjdump") and shutil.which("nvdisasm")

    for place in (folder, os.path.join(folder, "nvidia", "cu13", "bin")):
        os.environ["PATH"] += os.pathsep + place
    if found():
        return ""
    pip = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                          "--disable-pip-version-check", "--timeout", "10", "--retries", "1",
                          "--target", folder, *PACKAGES],
                         capture_output=True, text=True, check=False)
    if found():
        return ""
    last = (pip.stderr.strip().splitlines() or ["it said nothing"])[-1]
    return f"skipped: there is no cuobjdump here, and pip could not fetch one: {last}"


def main(words):
    if len(words) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    library, folder = words
    reason = find_tools(folder)
    if reason:
        print(reason)
        return SKIPPED
    texts = []
    for what in ("-sass", "-res-usage"):
        result = subprocess.run(["cuobjdump", "-arch", "sm_90a", what, library],
                                capture_output=True, text=True, check=False)
        if result.returncode != 0:
            print(f"cuobjdump {what} failed: {result.stderr.strip()}")
            return 1
        texts.append(result.stdout + result.stderr)
    return 1 if report(kernels_of(*texts), KERNELS | BACKWARD) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
