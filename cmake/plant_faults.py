#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants single-line faults in our own sources, one at a time, and says which check catches each.

    cmake --preset release -DCMAKE_UNITY_BUILD=OFF && ./qb test
    cmake/plant_faults.py                 plants faults that the table does not have yet
    cmake/plant_faults.py --again         plants again those that nothing caught before

A fault is one edit of one line: a dropped term, a flipped comparison, an index or a number off by
one, a missing max, a lost statement. Lines are drawn with a seed, equally from every room and every
kind of fault. The edited file is compiled with the command of the build, and an edit that does not
compile, or that gives the same object, is not a fault and is replaced by another. The object is then
linked in front of the archive that holds the honest one, first into the tests of its own room, and
where these are content into qb, which runs and verifies a small spec, and into every other test
binary that contains the room. The sources and the build are never written to.

A test that fails is run once more and must fail again, and one that runs out of time gets three
times as long: the machine may have disturbed it. A test binary that crashes has caught the fault.

Exit codes: 0 done; 2 usage; 3 there is no finished build, or the honest program fails a check.
"""

import argparse
import collections
import csv
import dataclasses
import filecmp
import json
import os
import queue
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ("base", "harness/plan", "harness/execute", "harness/experiment", "plots")
# Only a GPU runs these.
NOT_RUN_HERE = re.compile(r"/(cuda_device|nccl_link)\.cpp$")
# Reserving memory changes no result, and the others are not code that runs.
LEFT_OUT = re.compile(r"\b(static_assert|template|using|operator|reserve)\b")
# It survived every test when this script was written, and is always among the faults.
KNOWN = "execution_.wall_s = meetings_s_[1] - meetings_s_[0];"
# These do not run the code of a room, or build and pack only.
BLIND_TESTS = re.compile(r"^(format|pages|kit|library/|flash_work|experiments/gpu_)")
COLUMNS = ("id", "room", "file", "line", "kind", "was", "became", "before", "after", "note")
NOTHING = "nothing"
GONE = "its line is gone"
MEMORY_KIB = 12 << 20  # a fault may allocate without end

# ---------------------------------------------------------------------------------------- faults


def code_of(text):
    """Returns `text` with comments, literals of text and preprocessor lines blanked out."""
    literal = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|'
        r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
    return literal.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


OPERAND = (r"(?:[A-Za-z_]\w*|\d[\w.]*)(?:(?:\.|->|::)\w+)*"
           r"(?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])*")
FLIPPED = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="),
           "==": ("!=",), "!=": ("==",)}
WRONG = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "&&": "||", "||": "&&"}


def closing(code, start):
    """Returns the place of the bracket that closes the one at `start`, and of its first comma."""
    depth, comma = 0, None
    for place in range(start, len(code)):
        if code[place] in "([{":
            depth += 1
        elif code[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place, comma
        elif code[place] == "," and depth == 1 and comma is None:
            comma = place
    return None, None


def edits(code, before):
    """Yields (kind, start, end, replacement) of one line; `before` is the code line above it."""
    for match in re.finditer(r"(?<= )(<=|>=|==|!=|<|>)(?= )", code):
        for other in FLIPPED[match[0]]:
            yield "flipped comparison", *match.span(), other
    for match in re.finditer(rf" [-+*/] {OPERAND}", code):
        yield "dropped term", *match.span(), ""
    for match in re.finditer(r"(?<= )(\+=?|-=?|\*|/|&&|\|\|)(?= )", code):
        yield "wrong operator", *match.span(), WRONG[match[0]]
    for match in re.finditer(r"(?<![\w.'\[<])\d+(?![\w.'\]>])", code):
        yield "off by one", *match.span(), str(int(match[0]) + 1)
    for match in re.finditer(r"(?<=[\w)\]])\[([A-Za-z_][\w.]*|\d+)\]", code):
        others = (int(match[1]) + 1, max(0, int(match[1]) - 1)) if match[1].isdigit() else (0,)
        for other in others:
            if str(other) != match[1]:
                yield "wrong index", *match.span(1), str(other)
    for match in re.finditer(r"std::(max|min)(?:<[\w:]+>)?\(", code):
        end, comma = closing(code, match.end() - 1)
        yield "missing max", *match.span(1), "min" if match[1] == "max" else "max"
        if end and comma:
            yield "missing max", match.start(), end + 1, f"({code[match.end():comma]})"
            yield "missing max", match.start(), end + 1, f"({code[comma + 1:end].strip()})"
    for match in re.finditer(r"\b(?:if|while) \(", code):
        end, _ = closing(code, match.end() - 1)
        condition = code[match.end():end] if end else ""
        if condition and ";" not in condition and not re.search(r"\w[*&]? \w+ = ", condition):
            yield "flipped condition", match.end(), end, f"!({condition})"
    for match in re.finditer(r"\b(true|false)\b", code):
        yield "flipped condition", *match.span(), "false" if match[0] == "true" else "true"
    whole = before.rstrip().endswith((";", "{", "}", ":", ")")) or not before.strip()
    statement = re.fullmatch(r"\s*((?!return|throw|using)[\w.:>\[\]-]+(?:\(.*\)| [-+*/|&]?= .*)|"
                             r"\+\+\w+|break|continue)(;)\s*", code)
    if statement and whole:
        yield "lost statement", *statement.span(1), ""


def faults_of(room, commands):
    """Returns {kind: [fault]} of a room's sources, a fault being a row of the table."""
    found = collections.defaultdict(list)
    for source in sorted(commands):
        if not source.startswith(room + "/") or NOT_RUN_HERE.search(source):
            continue
        with open(os.path.join(ROOT, source), encoding="utf-8") as file:
            text = file.read()
        lines, codes = text.split("\n"), code_of(text).split("\n")
        for number, code in enumerate(codes):
            if LEFT_OUT.search(code):
                continue
            for kind, start, end, other in edits(code, codes[number - 1]):
                line = lines[number]
                found[kind].append(dict(
                    room=room, file=source, line=number + 1, kind=kind, was=line.strip(),
                    became=(line[:start] + lines_literal(line, code, other) + line[end:]).strip()))
    return found


def lines_literal(line, code, replacement):
    """Returns `replacement` with the literals that `code` has blanked out put in again."""
    body = re.sub(r"^!?\(|\)$", "", replacement)
    place = code.find(body) if body else -1
    return replacement.replace(body, line[place:place + len(body)]) if place >= 0 else replacement


def drawn(seed, commands):
    """Yields faults without end of the sources: every room in turn, and in it every kind in turn."""
    chance = random.Random(seed)
    rooms = []
    for room in ROOMS:
        kinds = faults_of(room, commands)
        for faults in kinds.values():
            chance.shuffle(faults)
            faults.sort(key=lambda fault: fault["became"] == KNOWN)
        rooms.append(collections.deque(kinds[kind] for kind in sorted(kinds)))
    while any(rooms):
        for kinds in rooms:
            while kinds and not kinds[0]:
                kinds.popleft()
            if kinds:
                yield kinds[0].pop()
                kinds.rotate(-1)


# ----------------------------------------------------------------------------------------- checks


@dataclasses.dataclass(frozen=True, eq=False)
class Check:
    """A test binary with all its cases, or another command that CTest runs."""

    name: str
    target: str  # what of the build it runs
    command: list
    folder: str
    environment: dict
    is_gtest: bool


class Build:
    """A finished build, and the commands that made it."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        try:
            with open(os.path.join(self.folder, "compile_commands.json"), encoding="utf-8") as file:
                entries = json.load(file)
        except OSError:
            refuse(f"there is no build in {folder}: run ./qb test first")
        self.compile, self.honest = {}, {}
        for entry in entries:
            command = shlex.split(entry["command"])
            made = command[command.index("-o") + 1] if "-o" in command else ""
            if re.match(rf"({'|'.join(ROOMS)})/CMakeFiles/qb_\w+(?<!_test)\.dir/.*\.cpp\.o$", made):
                # -w: a check is to catch a fault, not a warning.
                source = os.path.relpath(entry["file"], ROOT)
                self.compile[source] = command + ["-w"]
                self.honest[source] = os.path.join(self.folder, made)
        if not all(any(source.startswith(room + "/") for source in self.compile) for room in ROOMS):
            refuse(f"{folder} compiles sources in batches: configure it with -DCMAKE_UNITY_BUILD=OFF")
        self.archives = {room: f"{room}/libqb_{os.path.basename(room)}.a" for room in ROOMS}
        self.link = {}
        self.checks = self.read_checks()
        self.seconds = {}

    def ninja(self, *words):
        return subprocess.run(["ninja", "-C", self.folder, *words], capture_output=True, text=True,
                              check=True).stdout

    def link_command(self, target):
        if target not in self.link:
            command = self.ninja("-t", "commands", target).strip().split("\n")[-1]
            self.link[target] = command.removeprefix(": && ").removesuffix(" && :")
        return self.link[target]

    def read_checks(self):
        said = subprocess.run(["ctest", "--test-dir", self.folder, "--show-only=json-v1"],
                              capture_output=True, text=True, check=True).stdout
        checks, binaries = [], {}
        for test in json.loads(said)["tests"]:
            command = test.get("command", [])
            inside = [os.path.relpath(word, self.folder) for word in command
                      if word.startswith(self.folder + "/") and os.access(word, os.X_OK)
                      and os.path.isfile(word)]
            if not inside or BLIND_TESTS.search(test["name"]) or inside[0].startswith("kit/"):
                continue
            properties = {entry["name"]: entry["value"] for entry in test["properties"]}
            is_gtest = any("--gtest_filter" in word for word in command)
            name = test["name"].split("/")[0] if is_gtest else test["name"]
            if is_gtest and inside[0] in binaries:
                continue
            binaries[inside[0]] = name
            checks.append(Check(name, inside[0], command[:1] if is_gtest else command,
                                properties["WORKING_DIRECTORY"],
                                dict(entry.split("=", 1)
                                     for entry in properties.get("ENVIRONMENT", ())), is_gtest))
        return checks

    def checks_of(self, room):
        """The checks that contain `room`: its own first, those of test binaries before others."""
        own = os.path.basename(room)
        contained = [check for check in self.checks
                     if self.archives[room] in self.link_command(check.target)]
        return sorted(contained, key=lambda check: (check.name.split("/")[0] != own,
                                                    not check.is_gtest))


QB = "harness/cli/qb"
SMALL_SPEC = """\
experiment: small
q_heads: 2
head_dim: 16
mask: causal
sweep:
  ranks: [serial, threads]
  algorithm: [ring, zigzag, cqs_sharded, cqs, pass_q, all_gather_kv]
  workers: [1, 3]
  n_tokens: [257]
measure: {warmups: 1, repeats: 3, verify_rows: 32, timeout: 60s, memory_timeline: true}
figures: [wall_clock, speed_up, peak_memory, memory_timeline]
"""


class Bench:
    """A folder in which one fault at a time is compiled, linked and checked."""

    def __init__(self, build, name):
        self.build = build
        self.folder = os.path.join(build.folder, "faults", name)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def compiled(self, source, text):
        """Returns the object of `text` in place of `source`, None where it does not compile."""
        place = self.path(os.path.basename(source))
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)
        command = list(self.build.compile[source])
        command[command.index("-c") + 1] = place
        command[command.index("-o") + 1] = self.path("fault.o")
        command = [word for word in command if word not in ("-Werror", "-MD")]
        for option in ("-MT", "-MF"):
            if option in command:
                del command[command.index(option):command.index(option) + 2]
        done = subprocess.run(command, cwd=self.build.folder, capture_output=True, check=False)
        return self.path("fault.o") if done.returncode == 0 else None

    def object_of(self, fault):
        """Returns the object with the fault, None where the edit is not a fault."""
        with open(os.path.join(ROOT, fault["file"]), encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        number = line_of(lines, fault)
        if number is None:
            return None
        line = lines[number]
        lines[number] = line[:len(line) - len(line.lstrip())] + fault["became"]
        made = self.compiled(fault["file"], "\n".join(lines))
        if not made or filecmp.cmp(made, self.build.honest[fault["file"]], shallow=False):
            return None
        return made

    def linked(self, target, made):
        """Returns the executable of `target` with the object `made`, None if it does not link."""
        output = self.path(os.path.basename(target))
        command = self.build.link_command(target)
        command = command.replace(f"-o {target} ", f"{made or ''} -o {output} ", 1)
        done = subprocess.run(command, shell=True, cwd=self.build.folder, capture_output=True,
                              check=False)
        return output if done.returncode == 0 else None

    def run(self, command, limit_s, folder=None, environment=None):
        """Returns (exit code, output); the code of a command that ran too long is None."""
        shell = ["bash", "-c", f'ulimit -v {MEMORY_KIB} -c 0; exec "$@"', "bash", *command]
        with open(self.path("output"), "w+", encoding="utf-8", errors="replace") as output:
            process = subprocess.Popen(
                shell, cwd=folder or self.folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "QB_TESTED_BINARY": self.path("qb"), **(environment or {})})
            try:
                code = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                code = None
            try:
                os.killpg(process.pid, signal.SIGKILL)  # whatever the command has left behind
            except ProcessLookupError:
                pass
            process.wait()
            output.seek(0)
            return code, output.read()

    def complaint_of(self, check, binary, limit_s):
        """Returns what a check says against `binary`, None where it is content."""
        command = [binary if word == os.path.join(self.build.folder, check.target) else word
                   for word in check.command]
        words = ["--gtest_fail_fast", "--gtest_brief=1"] if check.is_gtest else []
        for _ in range(3):
            code, said = self.run(command + words, limit_s, check.folder, check.environment)
            if code == 0:
                return None
            if code is None:  # a busy machine, or a fault that never ends?
                code, _ = self.run(command + words, 3 * limit_s, check.folder, check.environment)
                if code is None:
                    return f"{check.name} (time limit)"
                continue
            failed = re.search(r"\[  FAILED  \] ([\w/.]+)", said) if check.is_gtest else None
            if check.is_gtest and not failed:
                return f"{check.name} (ended by {code})"
            again = [f"--gtest_filter={failed[1]}"] if failed else []
            code, _ = self.run(command + again, limit_s, check.folder, check.environment)
            if code != 0:
                return f"{check.name}/{failed[1]}" if failed else check.name
        return None  # a different test each time: that is the machine

    def small_run_complaint(self, limit_s):
        """Returns which of `qb run` and `qb verify` objects to a small spec, None if neither."""
        shutil.rmtree(self.path("results"), ignore_errors=True)
        with open(self.path("small.yaml"), "w", encoding="utf-8") as file:
            file.write(SMALL_SPEC)
        code, _ = self.run([self.path("qb"), "run", "small.yaml", "--quiet"], limit_s)
        if code != 0:
            return "qb run"
        code, _ = self.run([self.path("qb"), "verify", "results/small/latest"], limit_s)
        return "qb verify" if code != 0 else None

    def catcher_of(self, room, made):
        """Returns the first check that objects to the object `made`, NOTHING if none does, and None
        if it does not link: that is not a fault.
        """
        checks = self.build.checks_of(room)
        gtests = [check for check in checks if check.is_gtest]
        others = [check for check in checks if not check.is_gtest]
        if self.linked(QB, made) is None:  # cli's tests run it
            return None
        for check in gtests[:1] + [None] + gtests[1:] + others:
            started = time.monotonic()
            limit_s = 20 + 6 * self.build.seconds.get(check, 100)
            if check:
                binary = self.linked(check.target, made)
                if binary is None:
                    return None
                complaint = self.complaint_of(check, binary, limit_s)
            else:
                complaint = self.small_run_complaint(limit_s)
            if made is None:  # the honest program: how long each check takes
                self.build.seconds[check] = time.monotonic() - started
            if complaint:
                return complaint
        return NOTHING


def survives(row):
    """Returns whether nothing has caught the fault of a row so far."""
    return (row["after"] or row["before"]) in (NOTHING, GONE)


def line_of(lines, fault):
    """Returns where the line of a fault is now: the nearest one of the same text."""
    places = [number for number, line in enumerate(lines) if line.strip() == fault["was"]]
    return min(places, key=lambda number: abs(number + 1 - int(fault["line"])), default=None)


# ------------------------------------------------------------------------------------------ table


def refuse(sentence):
    print(f"plant_faults.py: {sentence}", file=sys.stderr)
    sys.exit(3)


class Table:
    """The faults and what caught them, and beside them summary.md; written anew after each."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        if os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as file:
                self.rows = list(csv.DictReader(file))

    def write(self):
        with open(self.path + ".new", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        os.replace(self.path + ".new", self.path)
        with open(os.path.join(os.path.dirname(self.path), "summary.md"), "w",
                  encoding="utf-8") as file:
            file.write(self.summary())

    def summary(self):
        """Returns the shares as a Markdown table, by room and by kind."""
        lines = ["| faults in | planted | caught before | caught after | of the others, explained |",
                 "|---|---|---|---|---|"]
        kinds = sorted({row["kind"] for row in self.rows})
        for group in (*ROOMS, *kinds, "all"):
            rows = [row for row in self.rows if group in (row["room"], row["kind"], "all")]
            before = sum(row["before"] != NOTHING for row in rows)
            after = sum(not survives(row) for row in rows)
            explained = sum(survives(row) and row["note"] != "" for row in rows)
            share = [f"{count} ({count / max(1, len(rows)):.0%})" for count in (before, after)]
            lines.append(f"| {group} | {len(rows)} | {share[0]} | {share[1]} | "
                         f"{explained} of {len(rows) - after} |")
        return "\n".join(lines) + "\n"


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    words.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    words.add_argument("--table", default=os.path.join(ROOT, "data", "faults", "faults.csv"))
    words.add_argument("--count", type=int, default=300, help="faults of a full table (300)")
    words.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    words.add_argument("--jobs", type=int, default=os.cpu_count() + 1,
                       help="faults at a time (one more than there are cores: tests also wait)")
    words.add_argument("--again", action="store_true",
                       help="plants those again that nothing caught")
    words.add_argument("--summary", action="store_true", help="only writes summary.md again")
    given = words.parse_args()
    os.makedirs(os.path.dirname(given.table), exist_ok=True)
    table = Table(given.table)
    if given.summary:
        table.write()
        print(table.summary(), end="")
        return
    build = Build(given.build)

    # base is in everything, so its checks are all checks.
    said = Bench(build, "honest").catcher_of("base", None)
    if said != NOTHING:
        refuse(f"the program without a fault fails {said}; mend it, or wait for a quiet machine")
    print(f"the honest program passes in {sum(build.seconds.values()):.0f} s", file=sys.stderr)

    lock = threading.Lock()
    if given.again:
        source = filter(survives, list(table.rows))
    else:
        known = {(row["file"], row["was"]) for row in table.rows}
        source = drawn(given.seed, build.compile)

    def next_fault():
        with lock:
            for fault in source:
                if given.again:
                    return fault
                if len(table.rows) + len(under_way) >= given.count:
                    return None
                if (fault["file"], fault["was"]) not in known:
                    known.add((fault["file"], fault["was"]))
                    under_way.append(fault)
                    return fault
        return None

    under_way = []
    problems = queue.Queue()

    def work(name):
        bench = Bench(build, name)
        while (fault := next_fault()) is not None:
            made = bench.object_of(fault)
            caught = bench.catcher_of(fault["room"], made) if made else None
            with lock:
                if not given.again:
                    under_way.remove(fault)
                    if caught is None:
                        continue
                    number = 1 + max((int(row["id"]) for row in table.rows), default=0)
                    table.rows.append(dict(fault, id=number, before=caught, after="", note=""))
                else:
                    fault["after"] = caught or GONE
                table.write()
                print(f"[{len(table.rows)}/{given.count}] {fault['file']}:{fault['line']} "
                      f"{fault['kind']}: {caught}", file=sys.stderr, flush=True)

    def guarded(name):
        try:
            work(name)
        except Exception as error:  # pylint: disable=broad-except
            problems.put(error)
            raise

    threads = [threading.Thread(target=guarded, args=(str(number),))
               for number in range(given.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(table.summary(), end="")
    if not problems.empty():
        sys.exit(1)


if __name__ == "__main__":
    main()
