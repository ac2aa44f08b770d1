#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a GPU's copy bandwidth with PyTorch: python3 copy_bandwidth.py OUT.json

Writes the bytes read and written per second by a device-to-device copy of 2 GiB, the median of 20.
The exit code is 3 without PyTorch or a GPU.
"""

import json
import statistics
import sys

BYTES = 2 << 30


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        import torch  # pylint: disable=import-outside-toplevel
        source = torch.randint(0, 255, (BYTES,), dtype=torch.uint8, device="cuda")
    except (ImportError, RuntimeError, AssertionError) as problem:
        print(f"copy_bandwidth: {problem}", file=sys.stderr)
        return 3
    target = torch.empty_like(source)
    seconds = []
    for repeat in range(23):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        target.copy_(source)
        end.record()
        torch.cuda.synchronize()
        if repeat >= 3:
            seconds.append(begin.elapsed_time(end) * 1e-3)
    with open(argv[0], "w", encoding="utf-8") as file:
        json.dump({"gpu": torch.cuda.get_device_name(0), "bytes": BYTES,
                   "copy_byte_per_s": 2 * BYTES / statistics.median(seconds)}, file, indent=2)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
