# SPDX-License-Identifier: Apache-2.0
"""Tests verdict.py on tables written here: python3 verdict_test.py QB"""

import contextlib
import csv
import io
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
import verdict_layer  # pylint: disable=wrong-import-position


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


class Verdict(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def write(self, run, rows, table="cases.csv"):
        os.makedirs(os.path.join(self.folder, run), exist_ok=True)
        path = os.path.join(self.folder, run, table)
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)

    def verdict(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = verdict.main([self.folder])
        return code, printed.getvalue().splitlines()

    @staticmethod
    def attention(kernel, tera_flops, **other):
        # The row takes one second at the given rate.
        return {"kernel": kernel, "pass": "forward", "status": "ok", "head_dim": "128", "mask": "full",
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

        self.assertEqual(cells("bert_layer") + cells("bert_layer_sparse"),
                         verdict_layer.LAYER_CELLS)
        self.assertEqual(cells("case_study_2"), verdict.STUDY_CELLS)
        self.assertEqual(cells("decode"), verdict.DECODE_CELLS)
        for workers, wanted in verdict.NCCL_CELLS.items():
            self.assertEqual(cells("nccl", "--filter", "workers=" + workers), wanted)

    def test_of_nothing_is_not_measured(self):
        code, lines = self.verdict()
        self.assertEqual(code, 0)
        self.assertTrue(all(line.endswith("not measured") for line in lines), lines)

    def write_peers(self, tera_flops=400):
        """Writes rows of FlashAttention and cuDNN in torch, in both types."""
        for backend in ("flash", "cudnn"):
            self.write("torch_" + backend, [self.attention("torch_" + backend, tera_flops, dtype=t)
                                            for t in ("bf16", "f16")])

    def test_of_a_mixed_run_counts_flash_as_ours_and_cudnn_as_a_peer(self):
        # cuDNN is the faster one, and its rows come first.
        self.write("attention", [self.attention("cudnn", 700), self.attention("flash", 610),
                                 self.attention("cudnn", 680, dtype="f16"),
                                 self.attention("flash", 605, dtype="f16"),
                                 self.attention("cudnn", 100, mask="causal"),
                                 self.attention("cudnn", 100, mask="causal", dtype="f16")])
        self.write_peers()
        code, lines = self.verdict()
        full = self.line(lines, "flash d=128 full")
        self.assertIn("605 TFLOP/s", full)
        self.assertTrue(full.endswith("met"))
        peers = self.line(lines, "flash over the best of cuDNN and torch, d=128 full")
        self.assertIn("0.871 x", peers)
        self.assertTrue(peers.endswith("missed"))
        for line in ("flash d=128 causal", "flash d=64 full", "flash over the best of cuDNN and "
                     "torch, d=128 causal", "flash by the A100's path"):
            self.assertTrue(self.line(lines, line).endswith("not measured"), lines)
        self.assertEqual(code, 4)

    def test_of_a_run_of_cudnn_alone_is_not_measured(self):
        self.write("attention", [self.attention("cudnn", 700, dtype=t) for t in ("bf16", "f16")])
        self.write_peers()
        code, lines = self.verdict()
        self.assertEqual(code, 0, lines)
        self.assertTrue(self.line(lines, "flash d=128 full").endswith("not measured"))
        self.assertTrue(self.line(lines, "flash over the best of cuDNN and torch, d=128 full")
                        .endswith("not measured"))

    def test_of_one_type_alone_is_not_measured(self):
        self.write("attention", [self.attention("flash", 650)])
        self.write_peers()
        lines = self.verdict()[1]
        self.assertTrue(self.line(lines, "flash d=128 full").endswith("not measured"))
        self.assertTrue(self.line(lines, "flash over the best of cuDNN and torch, d=128 full")
                        .endswith("not measured"))

    def test_takes_the_slower_type_and_the_best_peer_that_is_right(self):
        self.write("attention", [self.attention("flash", 650),
                                 self.attention("flash", 590, dtype="f16"),
                                 self.attention("flash", 10, n_tokens="4096")])
        self.write_peers()
        self.write("torch_efficient", [
            self.attention("torch_efficient", 660),
            self.attention("torch_efficient", 900, status="incorrect"),
            self.attention("torch_efficient", 300, dtype="f16")])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        self.assertIn("590 TFLOP/s", self.line(lines, "flash d=128 full"))
        self.assertTrue(self.line(lines, "flash d=128 full").endswith("missed"))
        peers = self.line(lines, "flash over the best of cuDNN and torch, d=128 full")
        self.assertIn("0.985 x", peers)
        self.assertTrue(peers.endswith("met"))

    def test_without_the_fastest_peers_there_is_no_best(self):
        self.write("attention", [self.attention("flash", 650, dtype=t) for t in ("bf16", "f16")])
        self.write("torch_efficient", [self.attention("torch_efficient", 100, dtype=t)
                                       for t in ("bf16", "f16")])
        lines = self.verdict()[1]
        self.assertTrue(self.line(lines, "flash over the best of cuDNN and torch, d=128 full")
                        .endswith("not measured"))

    def test_takes_no_microbenchmark_that_was_not_timed(self):
        rows = [self.attention("flash", 620, dtype=t) for t in ("bf16", "f16")]
        for status, verdict_is in (("crashed", "not measured"), ("incorrect", "missed")):
            rows[1]["status"] = status
            self.write(".", rows, "flash_rounds.csv")
            self.assertTrue(self.line(self.verdict()[1], "flash d=128 full").endswith(verdict_is))

    def test_of_a_cell_that_went_wrong_is_missed(self):
        self.write("attention", [self.attention("flash", 650),
                                 self.attention("flash", 650, dtype="f16", status="incorrect")])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        full = self.line(lines, "flash d=128 full")
        self.assertIn("incorrect", full)
        self.assertTrue(full.endswith("missed"))

    def test_takes_the_microbenchmark_where_the_run_has_no_cell(self):
        rates = {"flash": 620, "flash_sm80": 330, "cudnn": 600, "torch_flash": 400}
        self.write(".", [self.attention(kernel, rate, dtype=t) for kernel, rate in rates.items()
                         for t in ("bf16", "f16")], "flash_rounds.csv")
        code, lines = self.verdict()
        self.assertEqual(code, 0)
        self.assertIn("620 TFLOP/s (microbenchmark)", self.line(lines, "flash d=128 full"))
        self.assertIn("1.03 x (microbenchmark)", self.line(
            lines, "flash over the best of cuDNN and torch, d=128 full"))
        self.assertIn("330 TFLOP/s (microbenchmark)", self.line(lines, "flash by the A100's path"))
        self.write("attention", [self.attention("flash", 580, dtype=t) for t in ("bf16", "f16")])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        full = self.line(lines, "flash d=128 full")
        self.assertIn("580 TFLOP/s ", full)
        self.assertNotIn("microbenchmark", full)

    def test_of_the_backward_pass_is_a_rate_and_its_share_of_cudnn(self):
        def row(tera_flops, kernel="flash", **other):
            return self.attention(kernel, tera_flops, mask="causal", **other)

        self.write("attention_backward", [row(560, **{"pass": "backward"}),
                                          row(600, head_dim="64", **{"pass": "backward"}),
                                          row(480, dtype="f16", **{"pass": "both"})])
        code, lines = self.verdict()
        self.assertEqual(code, 0)
        backward = self.line(lines, "flash backward d=128 causal bf16")
        self.assertIn("560 TFLOP/s", backward)
        self.assertTrue(backward.endswith("met"))
        self.assertTrue(self.line(lines, "flash backward over cuDNN's").endswith("not measured"))
        self.assertIn("480 TFLOP/s", self.line(lines, "flash both passes d=128 causal"))
        self.assertTrue(self.line(lines, "flash both passes d=64 causal").endswith("not measured"))
        self.assertTrue(self.line(lines, "flash d=128 causal").endswith("not measured"))
        self.write("attention_backward", [row(549, **{"pass": "backward"}),
                                          row(600, "cudnn", **{"pass": "backward"})])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        self.assertTrue(self.line(lines, "flash backward d=128 causal bf16").endswith("missed"))
        self.assertIn("0.915 x", self.line(lines, "flash backward over cuDNN's"))
        self.assertTrue(self.line(lines, "flash backward over cuDNN's").endswith("met"))
        self.write("attention_backward", [
            row(560, **{"pass": "backward"}),
            row(1, "cudnn", status="unsupported", **{"pass": "backward"})])
        self.assertTrue(self.line(self.verdict()[1], "flash backward over cuDNN's")
                        .endswith("not measured"))
        os.remove(os.path.join(self.folder, "attention_backward", "cases.csv"))
        rates = {"flash": 500, "cudnn": 510, "torch_cudnn": 520, "torch_flash": 600}
        self.write(".", [row(rate, kernel, **{"pass": "backward"})
                         for kernel, rate in rates.items()], "flash_rounds.csv")
        lines = self.verdict()[1]
        self.assertIn("500 TFLOP/s (microbenchmark)",
                      self.line(lines, "flash backward d=128 causal bf16"))
        self.assertIn("0.962 x (microbenchmark)",
                      self.line(lines, "flash backward over cuDNN's"))
        self.assertTrue(self.line(lines, "flash d=128 causal").endswith("not measured"))

    def test_of_cqs_is_over_dense_in_the_same_launch(self):
        def row(algorithm, workers, launch, device_s):
            return {"kernel": "flash", "algorithm": algorithm, "workers": workers,
                    "launch": launch, "status": "ok", "n_tokens": "65536",
                    "device_time_median_s": device_s,
                    "wall_time_median_s": "9"}

        self.write("cqs", [row("dense", "1", "together", "1.0"),
                           row("dense", "1", "alone", "0.1"),
                           row("cqs", "7", "together", "1.05"),
                           row("cqs", "31", "together", "1.2")])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        self.assertTrue(self.line(lines, "CQS W=7 over dense, N=65536").endswith("met"))
        self.assertTrue(self.line(lines, "CQS W=31 over dense, N=65536").endswith("missed"))

    def test_of_decoding_is_a_share_of_the_measured_copy(self):
        def row(batch, kv_len, device_s):
            return {"kernel": "flash", "status": "ok", "batch": batch, "kv_heads": "8",
                    "kv_len": kv_len, "head_dim": "128", "device_time_median_s": device_s,
                    "wall_time_median_s": "1"}

        rows = [row("1", "65536", "1e-4"), row("8", "8192", "1e-4"), row("32", "4096", "1e-4")]
        self.write("decode", rows)
        self.assertTrue(self.line(self.verdict()[1], "decode").endswith("not measured"))
        with open(os.path.join(self.folder, "copy_bandwidth.json"), "w", encoding="utf-8") as file:
            file.write('{"copy_byte_per_s": 4e12}')
        # 268 MB of K and V in 0.1 ms are 2.68 TB/s.
        line = self.line(self.verdict()[1], "decode")
        self.assertIn("0.671", line)
        self.assertTrue(line.endswith("missed"))
        self.write("decode", rows[:2])
        self.assertTrue(self.line(self.verdict()[1], "decode").endswith("not measured"))

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
        self.assertTrue(self.line(lines, "bigbird over all pairs, N=65536")
                        .endswith("not measured"))

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
        self.assertTrue(self.line(lines, "sliding_window in three stages").endswith("not measured"))

    @staticmethod
    def layer(case, n_tokens, block, device_s, bytes_, **other):
        return {"case_id": case, "status": "ok", "n_tokens": n_tokens, "mask": "full",
                "layer_block_tokens": block, "device_time_median_s": device_s,
                "wall_time_median_s": "9", "longest_subsequence_median_s": "0.5",
                "device_peak_bytes": bytes_, "predicted_device_peak_bytes": bytes_,
                "active_memory_peak_bytes": bytes_, "predicted_active_peak_bytes": bytes_} | other

    def write_parts(self, run, case, seconds):
        path = os.path.join(self.folder, run, "parts.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["case_id", "repeat", "warmup", "part", "flop", "time_s"])
            for repeat, factor in enumerate((100, 1, 1, 7)):  # a warm-up, and one slow repeat
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
        self.assertEqual(code, 0)
        for what in ("output is right", "peak memory"):  # nine cells have not been run
            self.assertTrue(self.line(lines, f"layer, cells whose {what}").endswith("not measured"))
        self.assertIn("2 of 2", self.line(lines, "layer, cells whose peak memory"))
        self.assertIn("attention 0.5 at 2 TFLOP/s, products 0.4 at 10 TFLOP/s",
                      self.line(lines, "layer, shares of its time, N=8192"))
        self.assertIn("0.25 x memory (0.25 x predicted), 1.1 x time",
                      self.line(lines, "layer in blocks of 1024 over plain, N=8192"))
        for line in ("layer, shares of its time, N=512", "layer with bigbird",
                     "layer in blocks of 1024 over plain, N=32768"):
            self.assertTrue(self.line(lines, line).endswith("not measured"))

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
            return {"kernel": "flash", "algorithm": algorithm, "workers": workers,
                    "status": "ok", "n_tokens": "65536", "wall_time_median_s": wall_s,
                    "exposed_communication_median_s": "0.03"} | other

        self.write("nccl_1", [row("dense", "1", "1.0")])
        self.write("nccl_4", [row("ring", "4", "0.5"), row("zigzag", "4", "0.3"),
                              row("striped", "4", "0.1", status="incorrect")])
        code, lines = self.verdict()
        self.assertEqual(code, 4)
        right = self.line(lines, "nccl W=4, cells whose output is right")
        self.assertIn("2 of 3 run", right)
        self.assertTrue(right.endswith("missed"))
        self.assertTrue(self.line(lines, "nccl W=8, cells").endswith("not measured"))
        self.assertIn("zigzag: 1.2 x, exposed communication 0.1 of it",
                      self.line(lines, "nccl W=4, fastest scheme over one GPU's time / W, N=65536"))
        self.assertTrue(self.line(lines, "nccl W=4, fastest scheme over one GPU's time / W, N=163")
                        .endswith("not measured"))

    def test_of_the_study_counts_cells_and_shows_the_cliff(self):
        rows = [{"status": "oom" if n == 49000 else "ok", "algorithm": "dense", "clock": clock,
                 "n_tokens": str(n), "wall_time_median_s": str(n / 1000)}
                for clock in ("synchronized", "unsynchronized") for n in (40000, 45000, 49000)]
        self.write("case_study_2", rows)
        code, lines = self.verdict()
        self.assertEqual(code, 0)
        study = self.line(lines, "case study 2, cells of both clocks")
        self.assertIn("6 of 6 run", study)
        self.assertTrue(study.endswith("not measured"))
        rows[0]["status"] = "crashed"
        self.write("case_study_2", rows)
        self.assertEqual(self.verdict()[0], 4)
        self.assertIn("1.12 x", self.line(lines, "N = 45000 over 40000, W=1, synchronized"))


if __name__ == "__main__":
    QB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
