"""acceptance.sh and verdict.py without a GPU: python3 acceptance_test.py QB"""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
QB = ""
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import verdict  # pylint: disable=wrong-import-position


def said(*words, **environment):
    return subprocess.run(words, capture_output=True, text=True, check=False,
                          env=dict(os.environ, **environment))


def acceptance(*words, **environment):
    return said("bash", os.path.join(HERE, "acceptance.sh"), *words, **environment)


class Acceptance(unittest.TestCase):
    def test_a_dry_run_names_every_command_and_checks_every_spec(self):
        result = acceptance("--dry-run", "--qb", QB)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("is not checked", result.stderr)
        for spec in os.listdir(HERE):
            if spec.endswith(".yaml"):
                self.assertIn(f"/gpu/{spec} ", result.stderr)
        for word in ("compute-sanitizer --tool memcheck", "--backend cudnn", "mpirun -n 8",
                     "--run-id nccl_1 --quiet --filter workers=1", "verdict.py"):
            self.assertIn(word, result.stderr)
        self.assertIn("0 parts failed", result.stderr)

    def test_a_spec_that_is_wrong_fails_the_dry_run(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "qb")
            with open(broken, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nexit 2\n")
            os.chmod(broken, 0o755)
            result = acceptance("--dry-run", "--qb", broken, "--only", "cqs,decode")
        self.assertEqual(result.returncode, 1)
        self.assertIn("2 parts failed: cqs decode", result.stderr)

    def test_the_parts_together_take_less_than_eight_minutes(self):
        result = acceptance("--dry-run", "--qb", QB)
        seconds = [int(x) for x in re.findall(r"\(at most (\d+) s\)", result.stderr)]
        self.assertEqual(len(seconds), 11)
        self.assertLess(sum(seconds), 8 * 60)

    def test_the_tests_that_need_a_gpu_are_among_those_it_runs(self):
        result = acceptance("--dry-run", "--only", "tests")
        pattern = re.search(r"-R (\S+)", result.stderr).group(1)
        for test in ("flash_work/FlashOnGpu.DecodingSplitsKeys", "execute/CudaSmall.PlansOf",
                     "layer/LayerOnGpu.IsThatOf",
                     "kernels/CudaMemoryActivity.Without", "experiment/GpuCase.ALostDevice"):
            self.assertRegex(test, pattern)

    def test_without_a_binary_every_part_says_so_and_the_others_go_on(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = os.path.join(folder, "nvidia-smi")
            with open(fake, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho NVIDIA H200\n")
            os.chmod(fake, 0o755)
            result = acceptance("--only", "cqs,decode,verdict", "--qb", "/nowhere/qb", "--out",
                                os.path.join(folder, "out"),
                                PATH=folder + os.pathsep + os.environ["PATH"])
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("cqs: there is no /nowhere/qb; did the build fail?", result.stderr)
        self.assertIn("2 parts failed: cqs decode", result.stderr)
        self.assertIn("not run", result.stdout)

    def test_only_runs_the_parts_that_are_named(self):
        result = acceptance("--dry-run", "--qb", QB, "--only", "decode")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("decode.yaml", result.stderr)
        self.assertNotIn("cqs.yaml", result.stderr)

    def test_a_mistake_is_a_sentence(self):
        for words, sentence in ((("--only", "decod"), "there is no part decod; known: build tests"),
                                (("--only",), "--only needs a value"),
                                (("--dry",), "unknown word --dry; try --help")):
            result = acceptance(*words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(sentence, result.stderr)
        self.assertIn("--only PART", acceptance("--help").stdout)

    def test_without_a_gpu_it_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            for tool in ("bash", "dirname", "tr", "sed", "mkdir"):
                path = said("which", tool).stdout.strip()
                os.symlink(path, os.path.join(folder, tool))
            result = acceptance("--only", "decode", PATH=folder)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("no GPU: there is no nvidia-smi", result.stderr)


class Verdict(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def write(self, run, rows):
        os.mkdir(os.path.join(self.folder, run))
        path = os.path.join(self.folder, run, "cases.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)

    def verdict(self):
        result = said(sys.executable, os.path.join(HERE, "verdict.py"), self.folder)
        return result.returncode, result.stdout.splitlines()

    @staticmethod
    def attention(kernel, tera_flops, **other):
        # One second of work at the given rate.
        return {"kernel": kernel, "status": "ok", "head_dim": "128", "mask": "full",
                "dtype": "bf16", "n_tokens": "16384", "unmasked_flop": str(tera_flops * 1e12),
                "device_time_median_s": "1", "wall_time_median_s": "2"} | other

    def line(self, lines, start):
        found = [line for line in lines if line.startswith(start)]
        self.assertEqual(len(found), 1, lines)
        return found[0]

    def test_wants_as_many_cells_as_the_specs_have(self):
        def cells(spec, *words):
            dry = said(QB, "run", os.path.join(HERE, spec + ".yaml"), "--dry-run", *words)
            return int(re.search(r": (\d+) cases", dry.stdout).group(1))

        self.assertEqual(cells("bert_layer") + cells("bert_layer_sparse"), verdict.LAYER_CELLS)
        for workers, wanted in verdict.NCCL_CELLS.items():
            self.assertEqual(cells("nccl", "--filter", "workers=" + workers), wanted)

    def test_of_nothing_is_not_run(self):
        code, lines = self.verdict()
        self.assertEqual(code, 0)
        self.assertTrue(all(line.endswith("not run") for line in lines), lines)

    def test_takes_the_slower_type_and_the_best_peer(self):
        self.write("attention", [self.attention("flash", 650),
                                 self.attention("flash", 590, dtype="f16"),
                                 self.attention("flash", 10, n_tokens="4096")])
        self.write("torch_flash", [self.attention("torch_flash", 500)])
        self.write("torch_cudnn", [self.attention("torch_cudnn", 660),
                                   self.attention("torch_cudnn", 900, status="incorrect")])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        self.assertIn("590 TFLOP/s", self.line(lines, "flash d=128 full"))
        self.assertTrue(self.line(lines, "flash d=128 full").endswith("missed"))
        peers = self.line(lines, "flash over the best of cuDNN and torch, d=128 full")
        self.assertIn("0.985 x", peers)
        self.assertTrue(peers.endswith("met"))

    def test_of_cqs_is_over_dense_in_the_same_launch(self):
        def row(algorithm, workers, launch, device_s):
            return {"algorithm": algorithm, "workers": workers, "launch": launch, "status": "ok",
                    "n_tokens": "65536", "device_time_median_s": device_s,
                    "wall_time_median_s": "9"}

        self.write("cqs", [row("dense", "1", "together", "1.0"), row("dense", "1", "alone", "0.1"),
                           row("cqs", "7", "together", "1.05"), row("cqs", "31", "together", "1.2")])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        self.assertTrue(self.line(lines, "CQS W=7 over dense, N=65536").endswith("met"))
        self.assertTrue(self.line(lines, "CQS W=31 over dense, N=65536").endswith("missed"))

    def test_of_decoding_is_a_share_of_the_measured_copy(self):
        self.write("decode", [{"status": "ok", "batch": "1", "kv_heads": "8", "kv_len": "65536",
                               "head_dim": "128", "device_time_median_s": "1e-4",
                               "wall_time_median_s": "1"}])
        self.assertTrue(self.line(self.verdict()[1], "decode").endswith("not run"))
        with open(os.path.join(self.folder, "copy_bandwidth.json"), "w", encoding="utf-8") as file:
            file.write('{"copy_byte_per_s": 4e12}')
        # 268 MB of K and V in 0.1 ms are 2.68 TB/s.
        line = self.line(self.verdict()[1], "decode")
        self.assertIn("0.671", line)
        self.assertTrue(line.endswith("missed"))

    def test_of_sparse_masks_stands_beside_their_pairs(self):
        def row(mask, device_s, pairs):
            return {"status": "ok", "n_tokens": "65536", "mask": mask, "unmasked_pairs": pairs,
                    "device_time_median_s": device_s, "wall_time_median_s": "9"}

        self.write("sparse", [row("full", "1.0", "1000"),
                              row("{sliding_window: {left: 128, right: 127}}", "0.02", "4")])
        code, lines = self.verdict()
        self.assertEqual(code, 0)
        self.assertIn("0.02 x time, 0.004 x pairs",
                      self.line(lines, "sliding_window over all pairs, N=65536"))
        self.assertTrue(self.line(lines, "bigbird over all pairs, N=65536").endswith("not run"))

    def test_of_the_stages_adds_them_up_over_the_fused_kernel(self):
        def row(kernel, device_s, scores="", softmax="", product=""):
            return {"status": "ok", "n_tokens": "16384", "kernel": kernel, "mask": "{bigbird: {}}",
                    "device_time_median_s": device_s, "wall_time_median_s": "9",
                    "stage_scores_median_s": scores, "stage_softmax_median_s": softmax,
                    "stage_product_median_s": product}

        self.write("sparse_stages", [row("flash", "0.01"),
                                     row("staged", "0.5", "0.01", "0.02", "0.01")])
        code, lines = self.verdict()
        self.assertEqual(code, 0)
        self.assertIn("4 x time; stages 25 %, 50 %, 25 %",
                      self.line(lines, "bigbird in three stages over flash"))
        self.assertTrue(self.line(lines, "sliding_window in three stages").endswith("not run"))

    @staticmethod
    def layer(case, n_tokens, block, device_s, bytes_, **other):
        return {"case_id": case, "status": "ok", "n_tokens": n_tokens, "mask": "full",
                "layer_block_tokens": block, "device_time_median_s": device_s,
                "wall_time_median_s": "9", "longest_subsequence_median_s": "0.5",
                "worker_active_peak_bytes": bytes_, "predicted_worker_active_peak_bytes": bytes_,
                "active_memory_peak_bytes": bytes_, "predicted_active_peak_bytes": bytes_} | other

    def write_parts(self, run, case, seconds):
        path = os.path.join(self.folder, run, "parts.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["case_id", "repeat", "warmup", "part", "flop", "time_s"])
            for repeat, factor in enumerate((100, 1, 1, 7)):  # a warm-up, and one that is late
                for part, time in seconds.items():
                    writer.writerow([case, repeat, int(repeat == 0), part, "1e12",
                                     time * factor])

    def test_of_the_layer_has_shares_blocks_and_predictions(self):
        self.write("bert_layer", [self.layer("a", "8192", "", "1.0", "4000"),
                                  self.layer("b", "8192", "1024", "1.1", "1000")])
        self.write_parts("bert_layer", "a", {
            "qkv": 0.1, "attention": 0.5, "attention_output": 0.1, "attention_norm": 0.05,
            "feed_forward_in": 0.1, "gelu": 0.05, "feed_forward_out": 0.1, "output_norm": 0.0})
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        self.assertTrue(self.line(lines, "layer, cells whose output is right").endswith("missed"))
        self.assertTrue(self.line(lines, "layer, cells whose peak memory").endswith("met"))
        self.assertIn("2 of 2", self.line(lines, "layer, cells whose peak memory"))
        self.assertIn("attention 0.5 at 2 TFLOP/s, products 0.4 at 10 TFLOP/s",
                      self.line(lines, "layer, shares of its time, N=8192"))
        self.assertIn("0.25 x memory (0.25 x predicted), 1.1 x time",
                      self.line(lines, "layer in blocks of 1024 over plain, N=8192"))
        for line in ("layer, shares of its time, N=512", "layer with bigbird",
                     "layer in blocks of 1024 over plain, N=32768"):
            self.assertTrue(self.line(lines, line).endswith("not run"))

    def test_of_a_layer_whose_memory_was_foretold_wrongly_is_missed(self):
        self.write("bert_layer_sparse", [
            self.layer("a", "16384", "", "1.0", "4000"),
            self.layer("b", "16384", "", "0.6", "4000", active_memory_peak_bytes="4001",
                       longest_subsequence_median_s="0.05",
                       mask="{sliding_window: {left: 128, right: 127}}")])
        lines = self.verdict()[1]
        line = self.line(lines, "layer, cells whose peak memory")
        self.assertIn("1 of 2", line)
        self.assertTrue(line.endswith("missed"))
        self.assertIn("0.6 x time, attention 0.1 x",
                      self.line(lines, "layer with sliding_window over all pairs, N=16384"))

    def test_of_nccl_is_over_one_gpus_time_shared_out(self):
        def row(algorithm, workers, wall_s, **other):
            return {"algorithm": algorithm, "workers": workers, "status": "ok",
                    "n_tokens": "65536", "wall_time_median_s": wall_s,
                    "exposed_communication_median_s": "0.03"} | other

        self.write("nccl_1", [row("dense", "1", "1.0")])
        self.write("nccl_4", [row("ring", "4", "0.5"), row("zigzag", "4", "0.3"),
                              row("striped", "4", "0.1", status="incorrect")])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        right = self.line(lines, "nccl W=4, cells whose output is right")
        self.assertIn("  2  ", right)
        self.assertTrue(right.endswith("missed"))
        self.assertTrue(self.line(lines, "nccl W=8, cells").endswith("not run"))
        self.assertIn("zigzag: 1.2 x, exposed communication 0.1 of it",
                      self.line(lines, "nccl W=4, fastest scheme over one GPU's time / W, N=65536"))
        self.assertTrue(self.line(lines, "nccl W=4, fastest scheme over one GPU's time / W, N=163")
                        .endswith("not run"))

    def test_of_the_study_counts_cells_and_shows_the_cliff(self):
        rows = [{"status": "oom" if n == 49000 else "ok", "algorithm": "dense", "clock": clock,
                 "n_tokens": str(n), "wall_time_median_s": str(n / 1000)}
                for clock in ("synchronized", "unsynchronized") for n in (40000, 45000, 49000)]
        self.write("case_study_2", rows)
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        self.assertIn("  6  ", self.line(lines, "case study 2, cells of both clocks"))
        self.assertIn("1.12 x", self.line(lines, "N = 45000 over 40000, W=1, synchronized"))


if __name__ == "__main__":
    QB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
