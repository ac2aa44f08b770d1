# SPDX-License-Identifier: Apache-2.0
"""sass_check.py on small listings in cuobjdump's form: python3 sass_check_test.py"""

import contextlib
import io
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_check  # pylint: disable=wrong-import-position

NAME = ("_ZN2qb4cuda46_GLOBAL__N__060a8679_13_flash_sm90_cu_f46b600217flash_sm90_kernelINS0_4Sm90"
        "ILb{bf16}ELi{dim}ELi{keys}EEEEEvNS0_15FlashParametersENS0_10TensorMapsE")
BACKWARD_NAME = ("_ZN2qb4cuda48_GLOBAL__N__060a8679_16_backward_sm90_cu_f46b600220backward_sm90_"
                 "kernelINS0_12BackwardSm90ILb{bf16}ELi{dim}EEEEEvNS0_18"
                 "BackwardParametersENS0_12BackwardMapsE")


def name_of(key):
    if key[2] == "backward":
        return BACKWARD_NAME.format(bf16=key[0], dim=key[1])
    return NAME.format(bf16=key[0], dim=key[1], keys=key[2])


def product(count, columns, between=None):
    """Returns `count` instructions of one group, which the last one ends."""
    one = f"HGMMA.64x{columns}x16.F32.BF16 R24, gdesc[UR8], R24"
    return [one, *([between] if between else [])] * (count - 1) + [one + ", gsb0"]


def step(dim, front=None, behind=0, scores=None, between=(), keys=None):
    keys = keys or (80 if dim == 256 else 128)
    front = front or keys // 2 + 2
    return [*(scores or product(dim // 16, 128)),
            "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R6+UR4+0x28030], R3", *between,
            *product(keys // 16, dim, between="R2UR UR10, R14"), "BAR.ARV R4, 0x100",
            "WARPGROUP.DEPBAR.LE gsb0, 0x1", *["MUFU.EX2 R25, R25"] * front,
            "@!P3 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R8+UR4+0x28020], RZ",
            "WARPGROUP.DEPBAR.LE gsb0, 0x0", *["@P2 MUFU.EX2 R3, R14"] * behind, "@!P0 BRA 0xb6d0"]


def code(dim, steps=None, consumer=None, producer=(24,), extra=()):
    """Returns a kernel of two steps, with the changes that a test wants."""
    wanted = (0xa0, 0x20) if dim == 64 else (0xe8, 0x28)
    lines = [f"USETMAXREG.TRY_ALLOC.CTAPOOL UP0, {consumer or wanted[0]:#x}", "@P0 EXIT",
             *product(dim // 16, 128), "WARPGROUP.DEPBAR.LE gsb0, 0x0",
             *["MUFU.EX2 R30, R30"] * 66]
    for each in steps or (step(dim), step(dim)):
        lines += each
    lines += [*product(8, dim), "WARPGROUP.DEPBAR.LE gsb0, 0x0", *extra, "EXIT",
              f"USETMAXREG.DEALLOC.CTAPOOL {wanted[1]:#x}", "@P1 EXIT",
              *[f"VIADD R{number}, R{number}, 0x1" for number in producer],
              "UTMALDG.5D [UR8], [UR4]", "EXIT", "BRA 0x11f70"]
    return lines


def products_of(groups):
    """Returns one product of each of these sizes, each with a wait of its own."""
    return [line for count in groups
            for line in (*product(count, 64), "WARPGROUP.DEPBAR.LE gsb0, 0x0")]


def added(operands, between=("BAR.SYNC.DEFER_BLOCKING 0x1, 0x100",), wait="0x1",
          rows=(["REDG.E.ADD.F32x2.FTZ.RN.STRONG.GPU desc[UR32][R6.64], R152"] * 8,) * 2,
          boxes=2):
    """Returns the end of a step: products with these operands, and additions to dQ."""
    lines = []
    for i, operand in enumerate(operands):
        one = f"HGMMA.64x64x16.F32.BF16 R24, {operand}, R24"
        lines += [*(between if i == 1 else ()), *[one] * 3, one + ", gsb0"]
    lines.append(f"WARPGROUP.DEPBAR.LE gsb0, {wait}")
    for row in rows:
        lines += ["@P0 BRA 0x6430", *row]
    lines += ["UTMAREDG.5D.ADD [UR8], [UR18]"] * boxes
    return [*lines, "WARPGROUP.DEPBAR.LE gsb0, 0x0"]


SUM = "R200, gdesc[UR12].tnspB"
SHARED = "gdesc[UR12].tnspA.tnspB"


def backward_code(steps, extra=()):
    """Returns a kernel of the backward pass."""
    return ["USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8", "@P0 EXIT", *steps, *extra, "EXIT",
            "USETMAXREG.DEALLOC.CTAPOOL 0x28", "@P1 EXIT",
            "VIADD R24, R24, 0x1", "UTMALDG.5D [UR8], [UR4]", "EXIT", "BRA 0x11f70"]


def listing(kernels):
    text = "Fatbin elf code:\n================\narch = sm_90a\n\n\tcode for sm_90a\n"
    text += "\t\tFunction : _ZN2qb4cuda12other_kernelEv\n        /*0000*/      STL [R1], R0 ; \n"
    for key, lines in kernels.items():
        text += f"\t\tFunction : {name_of(key)}\n"
        for i, line in enumerate(lines):
            text += (f"        /*{16 * i:04x}*/                   {line} ;        "
                     f"/* 0x00000a00ff017b82 */\n{' ' * 80}/* 0x000fe20000000800 */\n")
    return text


def usage(kernels, registers=None, stack=0):
    def of_key(key):
        return registers or (128 if key[1:] == (64, 128) else 168)
    return "".join(f" Function {name_of(key)}:\n"
                   f"  REG:{of_key(key)} STACK:{stack} SHARED:1024\n" for key in kernels)


def checked(usage_of=usage, **changes):
    """What is said of kernels that are right but for the one of bf16 and d = 128."""
    kernels = {(bf16, dim, keys): code(dim, steps=(step(dim, keys=keys),) * 2)
               for bf16 in (0, 1) for dim in sass_check.KEYS for keys in sass_check.KEYS[dim]}
    kernels[(1, 128, 128)] = code(128, **changes)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        broken = sass_check.report(sass_check.kernels_of(listing(kernels), usage_of(kernels)),
                                   sass_check.KERNELS)
    return broken, out.getvalue()


class SassCheck(unittest.TestCase):
    def broken(self, words, **changes):
        count, said = checked(**changes)
        self.assertGreaterEqual(count, 1, said)
        self.assertIn(words, said)

    def test_right_kernels_pass_and_are_described(self):
        count, said = checked()
        self.assertEqual(count, 0, said)
        self.assertEqual(said.count("\n"), 8)
        self.assertIn("bf16 d=128, 128 keys a step: exponentials before | behind the wait 66 | 0, "
                      "66 | 0; registers 168 at entry, 232 in consumers, 40 in the producer", said)
        self.assertIn("bf16 d=128, 176 keys a step: exponentials before | behind the wait 90 | 0,",
                      said)
        self.assertIn("bf16 d=256, 80 keys a step: exponentials before | behind the wait 42 | 0,",
                      said)

    def test_exponentials_behind_the_wait_are_a_fault_but_for_the_two_factors(self):
        self.assertEqual(checked(steps=(step(128, 64, 2), step(128)))[0], 0)
        self.broken("10 exponentials of a step stand in front",
                    steps=(step(128), step(128, 10, 56)))
        self.broken("63 exponentials of a step stand in front", steps=(step(128, 63, 3), step(128)))

    def test_products_that_wait_in_between_are_a_fault(self):
        wait = ("WARPGROUP.DEPBAR.LE gsb0, 0x0",)
        self.broken("1 steps issue both products", steps=(step(128, between=wait), step(128)))
        alone = [line for _ in range(8) for line in (*product(1, 128), *wait)]
        self.broken("waits for each of its instructions",
                    steps=(step(128, scores=alone), step(128)))
        self.broken("there is a wait inside",
                    steps=(step(128, scores=product(8, 128, between=wait[0])), step(128)))
        self.broken("issues 6 + 8 products, not 8 + 8",
                    steps=(step(128, scores=product(6, 128)), step(128)))

    def test_local_memory_is_a_fault(self):
        self.broken("1 instructions use local memory", extra=("LDL.LU R7, [R1+0x4]",))
        self.broken("1 instructions use local memory", extra=("@P0 STL [R1+0x4], R7",))
        self.broken("the stack frame has 16 bytes",
                    usage_of=lambda kernels: usage(kernels, stack=16))

    def test_registers_beyond_the_budget_are_a_fault(self):
        self.broken("together take 520 registers, and the launch has 504", consumer=0xf0)
        self.broken("register 232 is used where a consumer has 232", extra=("VIADD R232, R4, 1",))
        self.broken("register 40 is used where the producer has 40", producer=(39, 40))
        self.broken("together have 528 registers at entry",
                    usage_of=lambda kernels: usage(kernels, registers=176))
        self.broken("registers do not move once", extra=("USETMAXREG.DEALLOC.CTAPOOL 0x28",))

    def test_a_kernel_that_is_missing_is_a_fault(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            kernels = {(0, 64, 128): code(64)}
            broken = sass_check.report(sass_check.kernels_of(listing(kernels), usage(kernels)),
                                       sass_check.KERNELS)
        self.assertEqual(broken, 7)
        self.assertIn("bf16 d=128, 176 keys a step: the kernel is not in the object",
                      out.getvalue())

    def said_of_backward(self, code_of):
        kernels = {(1, 128, "backward"): code_of}
        with contextlib.redirect_stdout(io.StringIO()) as out:
            broken = sass_check.report(sass_check.kernels_of(listing(kernels), usage(kernels)),
                                       {("bf16", 128, "backward")})
        return broken, out.getvalue()

    def test_kernels_of_the_backward_pass_have_rules_of_their_own(self):
        def said_of(groups=(8, 8, 8), extra=()):
            return self.said_of_backward(backward_code(products_of(groups), extra))

        said = said_of(groups=(8, 1, 8))[1]
        self.assertIn("a product of 1 instructions ends with a wait of its own", said)
        count, said = said_of(groups=())
        self.assertIn("no product is computed by a warpgroup", said)
        count, said = said_of(extra=("LDL R7, [R1+0x4]",))
        self.assertIn("1 instructions use local memory", said)

    def test_what_is_added_to_the_gradient_of_queries_is_added_beside_a_product(self):
        def said_of(operands=(SUM, SHARED, SUM), **changes):
            return self.said_of_backward(backward_code(added(operands, **changes)))

        count, said = said_of()
        self.assertEqual(count, 0, said)
        self.assertIn("bf16 d=128 backward: registers 168 at entry", said)
        for operands in ((SUM, SUM, SHARED), (SHARED, SUM, SUM), (SUM, SUM)):
            self.assertIn("does not multiply for dV, dQ and dK in this order",
                          said_of(operands)[1])
        self.assertIn("dQ is not waited for while dK is under way", said_of(wait="0x0")[1])
        red = "REDG.E.ADD.F32x2.FTZ.RN.STRONG.GPU desc[UR32][R6.64], R152"
        self.assertIn("8 pairs are added", said_of(rows=([red] * 8,))[1])
        self.assertIn("1 boxes are added", said_of(boxes=1)[1])
        branchy = [red] * 7 + ["@P0 BRA 0x5c10", red]
        self.assertIn("should be, those of a row without a branch",
                      said_of(rows=([red] * 8, branchy))[1])
        barrier = "BAR.SYNC.DEFER_BLOCKING 0x1, 0x100"
        self.assertIn("meet at 2 barriers a step", said_of(between=(barrier, barrier))[1])

    def test_where_no_cuobjdump_can_be_had_it_skips_with_a_sentence(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            path, python = os.environ["PATH"], sys.executable
            os.environ["PATH"], sys.executable = "", "/bin/false"
            try:
                self.assertEqual(sass_check.main(["an object", "/nowhere"]), sass_check.SKIPPED)
            finally:
                os.environ["PATH"], sys.executable = path, python
        self.assertIn("skipped: there is no cuobjdump here", out.getvalue())


if __name__ == "__main__":
    unittest.main()
