# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of QuorumBench: NAME.json says what is shown, NAME.csv has the marks."""
