#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the pages of two committed runs, that of a paper and the index of all figures in a headless
browser and checks what testing/browser_checks.js says.

    browser_test.py QB

Each page stands in a frame, at several widths, inside one test page, which writes its results into itself.
Exit codes: 0 all checks hold; 1 one does not; 77 a program is missing.
"""

import csv
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUN = ROOT / "data/measured/epyc-zen3-2-cores/schemes"
TENTH = ROOT / "data/measured/epyc-2-cores/case_study_2_tenth"
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def in_script(text):
    """A JavaScript string that may stand inside a <script> element."""
    return json.dumps(text).replace("</", "<\\/").replace("<!--", "<\\u0021--")


def expected_rows():
    """What the checks must find, counted in the run's own table."""
    with open(RUN / "cases.csv", newline="", encoding="utf-8") as file:
        cases = list(csv.DictReader(file))
    figures = len([svg for svg in (ROOT / "paper_figures").rglob("*.svg") if svg.with_suffix(".json").exists()])
    return {"all": len(cases), "ulysses": sum(case["algorithm"] == "ulysses" for case in cases),
            "figures": figures}


def test_page(pages):
    checks = (HERE / "testing/browser_checks.js").read_text(encoding="utf-8")
    data = ",\n".join(f"{in_script(name)}: {in_script(text)}" for name, text in pages.items())
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>checks</title></head>'
        '<body><pre id="result">no result</pre>\n<script>\n'
        f"const pages = {{{data}}};\nconst expected = {json.dumps(expected_rows())};\n{checks}\n"
        "</script></body></html>\n"
    )


def run_in_browser(browser, page, folder):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
               f"--user-data-dir={folder / 'profile'}", "--window-size=1600,1000",
               "--virtual-time-budget=60000", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    found = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.DOTALL)
    if not found:
        sys.exit(f"{browser} showed no result; exit code {done.returncode}\n{done.stderr[-2000:]}")
    return html.unescape(found[1])


def main():
    qb = sys.argv[1]
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        skip("there is no chromium (Debian: apt-get install chromium)")
    if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True, check=False).returncode:
        skip("there is no matplotlib, so that the page has no figures")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        pages = {}
        for kind, words in (("run", ["report", RUN]), ("tenth", ["report", TENTH]),
                            ("index", ["report", "--index", ROOT / "paper_figures"]),
                            ("paper", ["reproduce", "cqs_attention", "--from", ROOT / "data/measured"])):
            page = folder / f"{kind}.html"
            out = folder / kind if kind == "paper" else page
            subprocess.run([qb, *words, "--out", out], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
            page = out / "cqs_attention.html" if kind == "paper" else page
            pages[kind] = page.read_text(encoding="utf-8")
        checks = folder / "checks.html"
        checks.write_text(test_page(pages), encoding="utf-8")
        result = run_in_browser(browser, checks, folder)
    print(result)
    lines = result.splitlines()
    if "all checks ran" not in lines or any(line.startswith("FAILED") for line in lines):
        sys.exit(1)


if __name__ == "__main__":
    main()
