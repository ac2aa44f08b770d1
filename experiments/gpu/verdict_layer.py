# SPDX-License-Identifier: Apache-2.0
"""Judges an encoder layer for verdict.py: right outputs, predicted memory, shares of its time."""

import statistics

from verdict_table import chosen, is_right, rows_of, seconds

LAYER_CELLS = 11  # cells of both specs
PRODUCTS = ("qkv", "attention_output", "feed_forward_in", "feed_forward_out")


def part_times(folder, run):
    """Returns {case: {part: (median seconds of its timed repeats, FLOP)}}."""
    times, flop = {}, {}
    for row in rows_of(folder, run, "parts.csv"):
        if row["warmup"] == "0":
            key = row["case_id"], row["part"]
            times.setdefault(key, []).append(float(row["time_s"]))
            flop[key] = float(row["flop"])
    cases = {}
    for (case, part), values in times.items():
        cases.setdefault(case, {})[part] = (statistics.median(values), flop[case, part])
    return cases


def shares(parts):
    total = sum(time for time, _ in parts.values())
    texts = []
    for name, of in (("attention", ("attention",)), ("products", PRODUCTS)):
        time = sum(parts[part][0] for part in of)
        rate_of = sum(parts[part][1] for part in of) / time / 1e12
        texts.append(f"{name} {time / total:.3g} at {rate_of:.3g} TFLOP/s")
    return ", ".join(texts)


def add_layer(table, folder):
    rows = rows_of(folder, "bert_layer")
    sparse = rows_of(folder, "bert_layer_sparse")
    table.count("layer, cells whose output is right", rows + sparse, LAYER_CELLS, is_right)
    table.count("layer, cells whose peak memory was predicted to the byte",
                chosen(rows + sparse, status="ok"), LAYER_CELLS,
                lambda row: row["predicted_active_peak_bytes"] == row["active_memory_peak_bytes"])
    parts = part_times(folder, "bert_layer")
    for n_tokens in ("512", "8192", "32768"):
        same = chosen(rows, status="ok", n_tokens=n_tokens)
        plain = chosen(same, layer_block_tokens="")
        known = parts.get(plain[0]["case_id"]) if plain else None
        table.fact(f"layer, shares of its time, N={n_tokens}", shares(known) if known else "")
    for n_tokens in ("8192", "32768"):
        same = chosen(rows, status="ok", n_tokens=n_tokens)
        plain = chosen(same, layer_block_tokens="")
        blocks = chosen(same, layer_block_tokens="1024")
        measured = ""
        if plain and blocks:
            def over(column):
                return float(blocks[0][column]) / float(plain[0][column])
            measured = (f"{over('device_peak_bytes'):.3g} x memory "
                        f"({over('predicted_device_peak_bytes'):.3g} x predicted), "
                        f"{seconds(blocks[0]) / seconds(plain[0]):.3g} x time")
        table.fact(f"layer in blocks of 1024 over plain, N={n_tokens}", measured)
    dense = chosen(sparse, status="ok", mask="full")
    for name in ("sliding_window", "bigbird"):
        some = [row for row in chosen(sparse, status="ok") if name in row["mask"]]
        measured = ""
        if dense and some:
            def attention_s(row):
                return float(row["longest_subsequence_median_s"])
            measured = (f"{seconds(some[0]) / seconds(dense[0]):.3g} x time, attention "
                        f"{attention_s(some[0]) / attention_s(dense[0]):.3g} x")
        table.fact(f"layer with {name} over all pairs, N=16384", measured)
