#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the pages of the repository: every relative link of a Markdown file leads to a file, its
anchor to a heading there, README.md fits its limit, no page or message has a word of the theatre, docs/commands.md names every verb, the dry run
of docs/sitting.md has the cases that the program shows, docs/questions.md, docs/landscape.md and docs/hybrid.md
have what their commands print, the commands of all pages run, README says when its own were last tried, and beneath every
committed figure stand what it says and what its marks mean.

    pages_test.py [QB [--write]]   QB: the program; without it nothing is compared with what it says
                                   --write: writes into those pages what their commands print
"""

import csv
import difflib
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_LINES = 130
# Neither pages nor messages say these where the field has words: run, worker group, reported.
OTHER_WORDS = re.compile(r"\b(crews?|players?|plays|played|likeness|stands? so|told from)\b", re.I)
LITERAL = re.compile(r'R"\((.*?)\)"|"((?:[^"\\\n]|\\.)*)"', re.S)
# Why a test does not run a command.
LEFT_OUT = re.compile(r"\((minutes|timing|installs|clones|builds|a GPU|hosts|your files)\)")
ANSWERED = ("docs/questions.md", "docs/landscape.md", "docs/hybrid.md")
FENCES = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.S | re.M)


def anchors(text):
    """Returns the anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.+?) *$", FENCES.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^()\s]+)\)", FENCES.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"{page.relative_to(ROOT)}: {target}: there is no such file"
        elif anchor and file.suffix == ".md" and anchor not in anchors(
                file.read_text(encoding="utf-8")):
            yield f"{page.relative_to(ROOT)}: {target}: there is no such heading"


def unnamed_verbs(program):
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  ([a-z]+) {2,}", said[said.index("\nSub"):], re.M)
    commands = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    if not verbs:
        yield "no verb was found in qb --help"
    for verb in verbs:
        if not re.search(rf"qb {verb}\b", commands):
            yield f"docs/commands.md: it does not name qb {verb}"


def stale_trial():
    """Compares when README says that its commands were tried with the last row of docs/tried.csv."""
    with open(ROOT / "docs/tried.csv", encoding="utf-8", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    said = f"[tried on {last['date']} at {last['commit']}](docs/tried.csv)"
    if said not in (ROOT / "README.md").read_text(encoding="utf-8"):
        yield "README.md: it names another date or commit than the last row of docs/tried.csv"


def cases_of_dry_run(text):
    """Returns the lines between those that count the cases; the others depend on the machine."""
    return re.search(r"^mine: \d+ cases.*?cases will run", text, re.S | re.M).group()


def stale_dry_run(program):
    page = (ROOT / "docs/sitting.md").read_text(encoding="utf-8")
    spec = re.search(r"```yaml\n(.*?)```", page, re.S).group(1)
    with tempfile.TemporaryDirectory() as desk:
        (pathlib.Path(desk) / "mine.yaml").write_text(spec, encoding="utf-8")
        said = subprocess.run([program, "run", "mine.yaml", "--dry-run"], cwd=desk, check=True,
                              capture_output=True, text=True).stdout
    said = "\n".join(line.rstrip() for line in said.splitlines())
    if cases_of_dry_run(said) != cases_of_dry_run(page):
        yield "docs/sitting.md: qb run --dry-run says something else now; run docs/sitting.sh"


def failing_commands(program, page):
    """Runs a page's blocks of commands, those without a language, one after another in a folder like the clone's, and puts
    its yaml blocks that begin with `# NAME` there. Left out are lines with a reason in brackets, which holds for a whole block
    where it stands in its first line. Python's blocks have a test of their own."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        desk = pathlib.Path(folder)
        (desk / "qb").symlink_to(program)
        for name in ("data", "docs", "experiments", "interest_sets", "paper_figures"):
            (desk / name).symlink_to(ROOT / name)
        for kind, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S):
            first = body.splitlines()[0]
            if kind == "yaml" and re.fullmatch(r"# [\w.]+\.yaml", first):
                (desk / first[2:]).write_text(body, encoding="utf-8")
            elif not kind and not (first.startswith("#") and LEFT_OUT.search(first)):
                body = "".join(line for line in re.findall(r"(?:.*\\\n)*.*\n", body)
                               if not LEFT_OUT.search(line))
                done = subprocess.run(["bash", "-e", "-c", body], cwd=desk, check=False, text=True,
                                      capture_output=True, stdin=subprocess.DEVNULL,
                                      env={**os.environ, "PATH": f"{desk}:{os.environ['PATH']}"})
                if done.returncode != 0:
                    yield (f"{page.relative_to(ROOT)}: exit code {done.returncode} of\n{body}"
                           f"{done.stderr}")


def answered(program, text):
    """Returns the page with what its commands print: a console block has them after `$ `, all of
    its desk, where data/ and paper_figures/ are the repository's; a yaml block begins with
    `# NAME`, the file that it is."""
    with tempfile.TemporaryDirectory() as desk:
        (pathlib.Path(desk) / "qb").symlink_to(program)
        for folder in ("data", "paper_figures"):
            (pathlib.Path(desk) / folder).symlink_to(ROOT / folder)

        def fresh(block):
            kind, body = block.groups()
            if kind == "yaml":
                name = body.splitlines()[0].removeprefix("# ")
                (pathlib.Path(desk) / name).write_text(body, encoding="utf-8")
                return block.group()
            out = ""
            for command in re.findall(r"^\$ ((?:.*\\\n)*.*\n)", body, re.M):
                said = subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=desk,
                                      stdout=subprocess.PIPE, text=True, check=True).stdout
                out += "$ " + command + "".join(f"{line.rstrip()}\n" for line in said.splitlines())
            return f"```{kind}\n{out}```"

        return re.sub(r"^```(console|yaml)\n(.*?)^```", fresh, text, flags=re.M | re.S)


def stale_answers(program, write):
    for name in ANSWERED:
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        fresh = answered(program, text)
        if write:
            page.write_text(fresh, encoding="utf-8")
        elif fresh != text:
            differ = [line for line in difflib.ndiff(text.splitlines(), fresh.splitlines())
                      if line[0] in "+-"]
            yield f"{name}: its commands print something else (--write):\n" + "\n".join(differ)


def figures_without_words():
    """Looks for what each figure says, and what its marks mean, beneath it on both pages."""
    for picture in sorted((ROOT / "paper_figures").rglob("*.svg")):
        said = json.loads(picture.with_suffix(".json").read_text(encoding="utf-8"))
        for page in (ROOT / "paper_figures" / name for name in ("README.md", "index.html")):
            parts = re.split(r"\n### |\n<li data-topic=", page.read_text(encoding="utf-8"))
            path = str(picture.relative_to(page.parent))
            part = html.unescape(next((part for part in parts if path in part), ""))
            for text in (said["title"], said.get("finding", said["title"]), *said.get("notes", []),
                         said.get("provenance", "")):
                if text not in part:
                    yield f"{page.relative_to(ROOT)}: {picture.stem} stands without {text!r}"


def other_words(pages):
    """Looks for words that the field does not use in pages (outside of code), help and messages."""
    texts = {page: re.sub(r"`[^`]*`", "", FENCES.sub("", page.read_text(encoding="utf-8")))
             for page in pages}
    for folder in ("base", "harness", "interest_sets", "kernels", "plots", "python"):
        for source in (ROOT / folder).rglob("*.*"):
            if source.suffix in (".h", ".cpp", ".cu", ".py") and "test" not in str(
                    source.relative_to(ROOT)):
                code = re.sub(r"^ *(#include|//).*$", "", source.read_text(encoding="utf-8"),
                              flags=re.M)
                texts[source] = "\n".join(map("".join, LITERAL.findall(code)))
    for page, text in texts.items():
        for word in OTHER_WORDS.finditer(text):
            near = " ".join(text[max(0, word.start() - 30):word.end() + 30].split())
            yield f"{page.relative_to(ROOT)}: {word.group()!r} in '{near}'"


def main():
    pages = [page for page in ROOT.rglob("*.md")
             if page.relative_to(ROOT).parts[0] not in ("build", "results")]
    wrong = [fault for page in pages for fault in broken_links(page)]
    wrong += [*figures_without_words(), *stale_trial(), *other_words(pages)]
    lines = len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > README_LINES:
        wrong.append(f"README.md: {lines} lines; it must have at most {README_LINES}")
    if len(sys.argv) > 1:
        program = str(pathlib.Path(sys.argv[1]).resolve())
        wrong += [*unnamed_verbs(program), *stale_dry_run(program),
                  *(fault for page in pages for fault in failing_commands(program, page)),
                  *stale_answers(program, "--write" in sys.argv[2:])]
    print("\n".join(wrong) if wrong else f"{len(pages)} pages are sound")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
