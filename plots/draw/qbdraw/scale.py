# SPDX-License-Identifier: Apache-2.0
"""Ranges of axes, and their tics: at most seven, at values that people say.

A linear axis steps by 1, 2, 2.5 or 5, a log one has 1, 2, 5 or whole decades, and powers of two are
written 64, 128 Ki, 4 Mi. The candidates go from many tics to few, and the first that fits is taken.
"""
import math
from itertools import chain

MOST_TICS = 7
THOUSANDS = ("", "M", "G", "T")
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

def axis_range(axis, values):
    """Chooses the ends of an axis, the low one first, for all values on it."""
    values = [v for v in values if math.isfinite(v) and (v > 0.0 or not axis.log)]
    low, high = (min(values), max(values)) if values else (1.0, 10.0) if axis.log else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        high = low  # values that differ in their last digits are one
    if axis.log:
        factor = max(1.05, (high / low)**0.05) if high > low else 2.0
        return (low, high) if axis.tight and high > low else (low / factor, high * factor)
    if axis.from_zero:
        return min(0.0, low), high * 1.06 if high > 0.0 else 1.0
    span = high - low or max(1.0, abs(high)) * 0.5
    margin = 0.0 if axis.tight and high > low else 0.05 * span
    margin = max(margin, (axis.least_span - (high - low)) / 2.0)
    return low - margin, high + margin

def plain(value, step):
    """Writes a value with the decimals that its step needs."""
    decimals = next(d for d in range(16) if abs(round(step, d) - step) <= 1e-6 * step)
    return f"{value:,.{0 if step >= 1.0 and value == round(value) else decimals}f}"

def superscript(exponent):
    return str(exponent).translate(SUPERSCRIPT)

def power(value):
    exponent = math.floor(math.log10(value) + 1e-9)
    mantissa = round(value / 10.0**exponent)
    return ("" if mantissa == 1 else f"{mantissa}×") + "10" + superscript(exponent)

def prefixed(value, base, prefixes):
    """Divides a long number by a power of `base`; gives the divisor and its prefix."""
    for i in range(len(prefixes), 0, -1):
        if value >= base**i and prefixes[i - 1]:
            return base**i, " " + prefixes[i - 1]
    return 1.0, ""

def binary(value):
    """Writes a power of two."""
    if value < 0.01:
        return "2" + superscript(round(math.log2(value)))
    unit, prefix = prefixed(value, 1024.0, ("Ki", "Mi", "Gi", "Ti"))
    return f"{value / unit:,g}{prefix}"

def linear_tics(low, high, step):
    """Makes tics at the multiples of a step. Long numbers get a prefix or a power, and then all
    numbers of the axis have it."""
    most = max(abs(low), abs(high))
    unit, suffix = prefixed(most, 1000.0, THOUSANDS)
    if 0.0 < most < 1e-3:
        unit = 10.0**math.floor(math.log10(most))
        suffix = "×" + power(unit)
    places = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(k * step, "0" if k == 0 else plain(k * step / unit, step / unit) + suffix)
            for k in places]

def linear_candidates(low, high, whole):
    exponent = math.floor(math.log10((high - low) / MOST_TICS))
    for i in range(exponent, exponent + 4):
        for factor in (1.0, 2.0, 2.5, 5.0):
            step = factor * 10.0**i
            if not whole or step == round(step):
                yield linear_tics(low, high, step)

def decade_candidates(low, high):
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    as_power = low < 1e-3 or (high >= 1e4 * low and high >= 1e5)

    def text(value):
        unit, prefix = prefixed(value, 1000.0, THOUSANDS)
        return power(value) if as_power else f"{value / unit:,.10g}{prefix}"

    for mantissas, stride in (((1, 2, 5), 1), ((1,), 1), ((1, 3), 1),
                              *(((1,), stride) for stride in range(2, 9))):
        values = [float(f"{m}e{e}") for e in range(first, last + 1) if e % stride == 0
                  for m in mantissas]
        tics = [(v, text(v)) for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
        if stride > 1 and len(tics) < 2:
            return
        if stride > 1 or len(tics) >= 3:
            yield tics

def binary_candidates(low, high):
    first, last = math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9)
    for stride in range(1, max(2, last - first)):
        yield [(2.0**e, binary(2.0**e)) for e in range(first, last + 1, stride)]

def choose_tics(axis, low, high, fits):
    """Gives the tics, [(value, text)], that the figure declares, unless the data are elsewhere, or
    the most that fit, or else the fewest."""
    if sum(low <= value <= high for value, _ in axis.tics) >= min(2, len(axis.tics)) > 0:
        return axis.tics
    in_twos = axis.scale == "log2" and high >= 4.0 * low
    lists = chain(binary_candidates(low, high) if in_twos else [],
                  decade_candidates(low, high) if axis.log else [],
                  linear_candidates(low, high, axis.whole))
    fewest = []
    for tics in lists:
        tics = [tic for tic in tics if not axis.whole or tic[0] == round(tic[0])]
        if 2 <= len(tics) <= MOST_TICS and fits(tics):
            return tics
        if len(tics) >= 2 and not 0 < len(fewest) <= len(tics):
            fewest = tics
    return fewest
