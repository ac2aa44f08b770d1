# SPDX-License-Identifier: Apache-2.0
"""Random runs for figures: rows of modelled cases, some turned into measured, disturbed or failed ones."""
import csv
import json
import random
import subprocess
from pathlib import Path

# Each pool is one modelled sweep; a random run takes rows of one of them.
COMMON = """
ranks: model
dtype: bf16
q_heads: 16
kv_heads: 8
head_dim: 64
model.device: data/devices/a100.csv
link.bandwidth: 1.25e+10
link.latency: 5.0e-6
"""
POOLS = {
    "prefill": COMMON + """
sweep:
  algorithm: [dense, cqs, cqs_sharded, ring, striped, zigzag, ulysses, all_gather_kv, grid, usp]
  workers: [1, 2, 4, 7, 8, 16]
  n_tokens: [4096, 8192, 65536]
  mask: [full, causal]
  pass: [forward, both]
""",
    "decode": COMMON + """
n_tokens: 1
mask: causal
sweep:
  algorithm: [dense, decode, flash_decoding, tree_decode]
  workers: [1, 2, 4, 8]
  kv_len: [8192, 65536]
  batch: [1, 4]
""",
    "pass": COMMON + """
kv_len: 65536
mask: causal
sweep:
  algorithm: [pass_q, pass_kv]
  workers: [2, 4, 8]
  n_tokens: [512, 4096, 32768]
""",
}
TIMES = ("wall_time", "critical_path", "longest_subsequence", "worker_sum", "forward_time", "backward_time")


def pools_of(qb, folder):
    """Runs each sweep once; returns, by its name, its folder, its columns and its rows."""
    pools = {}
    for name, spec in POOLS.items():
        path = Path(folder) / f"{name}.yaml"
        path.write_text(f"experiment: {name}\n{spec}", encoding="utf-8")
        subprocess.run([qb, "run", path, "--out", folder, "--quiet", "--yes"], check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)  # 1: some cases are unsupported
        run = Path(folder) / name / "latest"
        with open(run / "cases.csv", encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = [row for row in reader if row["status"] == "ok"]
            pools[name] = run, list(reader.fieldnames), rows
    return pools


def measured(row, chance):
    """Turns a modelled row into a measured one: its times are noisy and have intervals, its memory is counted."""
    samples = chance.choice([1, 5, 20])
    row |= {"ranks": chance.choice(["serial", "threads"]), "provenance": "measured", "model_device": "",
            "n_samples": str(samples), "interval_coverage": "0.9375", "modelled_wall_time_s": "",
            "disturbed_samples": "0", "disturbed_by": "", "link_bandwidth_byte_per_s": "", "link_latency_s": "",
            "active_memory_peak_bytes": row["predicted_active_peak_bytes"],
            "device_peak_bytes": row["predicted_device_peak_bytes"],
            "root_peak_bytes": row["predicted_root_peak_bytes"]}
    for name in TIMES:
        if not row[f"{name}_median_s"]:
            continue
        middle = float(row[f"{name}_median_s"]) * chance.lognormvariate(0.0, 0.3)
        below, above = (abs(chance.gauss(0.0, 0.1)) if samples > 1 else 0.0 for _ in "lh")
        row[f"{name}_median_s"] = repr(middle)
        row[f"{name}_low95_s"] = repr(middle / (1.0 + below))
        row[f"{name}_high95_s"] = repr(middle * (1.0 + above))
    return row


def failed(row, chance):
    """Takes the results of a row away."""
    row |= {"status": chance.choice(["oom", "timeout", "error", "unsupported"]), "message": "it failed"}
    for column in row:
        if column.endswith(("_s", "_samples", "_peak_bytes")) and not column.startswith(("link", "predicted")):
            row[column] = ""
    return row


def random_rows(pool, chance):
    """Some schemes, counts of workers, lengths, masks and passes; measured, modelled or both; some or all disturbed or failed."""
    some = {}
    for column in ("algorithm", "workers", "n_tokens", "kv_len", "batch", "mask", "pass"):
        values = sorted({row[column] for row in pool})
        few = column in ("mask", "pass") or chance.random() < 0.25
        some[column] = set(chance.sample(values, 1 if few else chance.randint(1, len(values))))
    if chance.random() < 0.7:
        some["algorithm"] |= {"dense"}
        some["workers"] |= {"1"}
    how = chance.choice(["measured", "measured", "modelled", "both"])
    disturbed = chance.choice([0.0, 0.0, 0.1, 0.5, 1.0])
    failing = chance.choice([0.0, 0.0, 0.1, 0.5, 1.0])
    rows = []
    for row in pool:
        if any(row[column] not in values for column, values in some.items()):
            continue
        row = dict(row)
        if how == "measured" or (how == "both" and chance.random() < 0.5):
            row = measured(row, chance)
            if chance.random() < disturbed:
                row |= {"disturbed_by": "stolen", "disturbed_samples": row["n_samples"]}
        if chance.random() < failing:
            row = failed(row, chance)
        rows.append(row)
    return rows


def write_run(folder, pool_run, columns, rows, cores):
    """Writes a run folder of these rows, measured on so many cores."""
    folder.mkdir(parents=True)
    with open(folder / "cases.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    manifest = json.loads((pool_run / "manifest.json").read_text(encoding="utf-8"))
    manifest["environment"]["cpu"]["usable_processors"] = list(range(cores))
    manifest["n_cases"] = len(rows)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "spec.resolved.yaml").write_text((pool_run / "spec.resolved.yaml").read_text(encoding="utf-8"), encoding="utf-8")


def random_runs(qb, folder, count, seed):
    """Yields so many run folders and their rows."""
    pools = pools_of(qb, folder)
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        run, columns, pool = pools[chance.choice(["prefill", "prefill", "prefill", "decode", "pass"])]
        if rows := random_rows(pool, chance):
            path = Path(folder) / f"random_{number}"
            write_run(path, run, columns, rows, chance.choice([2, 8, 64]))
            yield path, rows
