# SPDX-License-Identifier: Apache-2.0
"""Colours of text: which can be read on what (the contrast of WCAG 2.2; text needs 4.5)."""
from matplotlib.colors import to_hex, to_rgb

DARK = "#222222"
GREY = "#666666"
STRIP = "#f0f0f0"
LEAST_CONTRAST = 4.5

def luminance(colour):
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055)**2.4 for c in to_rgb(colour)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)

def ink(colour, background="#ffffff"):
    """Darkens a colour by steps of 4 % until a text of it can be read."""
    while contrast(colour, background) < 4.6:
        colour = to_hex([0.96 * c for c in to_rgb(colour)])
    return to_hex(colour)

def text_on(fill):
    """Gives nearly black or white, whichever can be read better on a fill."""
    return max(("#111111", "#ffffff"), key=lambda colour: contrast(colour, fill))
