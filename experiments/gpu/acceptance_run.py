# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of the acceptance: each within its budget; a failing step does not stop others."""

import collections
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

GRACE_S = 8.0         # between asking a step to end and killing it
LEAST_S = 5.0         # a step that would get less waits for the next call
ATTEMPTS = 3          # calls in which a step that overruns its budget is tried
INTERRUPTED = 130
MISSED = 4            # verdict.py ends with it if a target is missed; the step has not failed

# state: done, failed (its command said so), overran (its budget), cut off (by the end of the call),
# left out (something that it needs is missing), reported (it failed or overran, and fails nothing).
# code: the command's exit code, or None.
Outcome = collections.namedtuple("Outcome", "state code note")


class Interrupted(Exception):
    """The user wants to stop."""


def draws_figures():
    """Says whether qb finds a Python with matplotlib."""
    python = os.environ.get("QB_PYTHON", "/usr/bin/python3")
    try:
        return subprocess.run([python, "-c", "import matplotlib"], capture_output=True,
                              check=False).returncode == 0
    except OSError:
        return False


def say(text):
    print("acceptance: " + text, file=sys.stderr, flush=True)


def wait_for(children, deadline):
    """Returns whether all have ended by then."""
    try:
        for child in children:
            child.wait(timeout=max(deadline - time.monotonic(), 0.0))
    except subprocess.TimeoutExpired:
        return False
    return True


def stop(children):
    """Gives the children time to end by themselves, so that a run of qb keeps its rows."""
    for order, patience_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, 60.0)):
        for child in children:
            if child.poll() is None:
                os.killpg(child.pid, order)
        if wait_for(children, time.monotonic() + patience_s):
            return


def run_command(command, budget_s, log_paths):
    """Runs a command once for each log, as shards of gtest if there are several. Returns the exit
    codes, and whether the end of the budget stopped one."""
    children, deadline = [], time.monotonic() + budget_s
    try:
        for index, path in enumerate(log_paths):
            shard = {"GTEST_TOTAL_SHARDS": str(len(log_paths)), "GTEST_SHARD_INDEX": str(index)}
            with open(path, "wb") as log:
                try:
                    children.append(subprocess.Popen(  # pylint: disable=consider-using-with
                        command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                        start_new_session=True, env=os.environ | shard))
                except OSError as problem:
                    log.write(f"{problem}\n".encode())
                    return [127], False
        stopped = not wait_for(children, deadline)
    finally:
        stop(children)
    return [child.returncode for child in children], stopped


def count_cases(qb, words):
    """Counts a spec's cases by a dry run. Raises ValueError with qb's message for a wrong spec."""
    said = subprocess.run([qb, "run", "--dry-run", *words], capture_output=True, text=True,
                          check=False, timeout=120)
    found = re.search(r": (\d+) cases, nothing written", said.stdout)
    if said.returncode != 0 or not found:
        raise ValueError((said.stderr.strip() or f"qb run --dry-run ended with {said.returncode}")
                         .splitlines()[-1])
    return int(found.group(1))


def experiment_of(spec_path):
    with open(spec_path, encoding="utf-8") as file:
        return re.search(r"^experiment: *(\S+)", file.read(), re.MULTILINE).group(1)


def rows_of_run(folder):
    try:
        with open(os.path.join(folder, "cases.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError:
        return []


class Player:
    """Steps must have ended at `deadline` (of time.monotonic)."""

    def __init__(self, place, out, results, deadline):
        self.place, self.out, self.results, self.deadline = place, out, results, deadline

    def left_s(self):
        return self.deadline - time.monotonic()

    def play(self, stage, step, spare_s=0.0):
        """Runs a step and notes it; raises Interrupted with the step noted as cut off. `spare_s` is
        what the steps before have left of their budgets."""
        budget_s = self.budget_s(step)
        allowed_s = min(budget_s + max(spare_s, 0.0), self.left_s())
        say(f"{step.name} (at most {allowed_s:.0f} s)")
        start = time.monotonic()
        try:
            outcome = self.run(step, allowed_s, cut=allowed_s < budget_s)
        except Interrupted:
            self.results.note(stage, step.name, state="cut off", code=INTERRUPTED,
                              note="interrupted", seconds=time.monotonic() - start)
            raise
        seconds = time.monotonic() - start
        self.results.note(stage, step.name, **outcome._asdict(), seconds=seconds)
        code = "" if outcome.code in (None, 0) else f" (code {outcome.code})"
        note = f": {outcome.note}" if outcome.note else ""
        say(f"{step.name} {outcome.state}{code} after {seconds:.1f} s{note}")
        return outcome

    def budget_s(self, step):
        """A step with cases gets the budget of one case times their number."""
        if not step.cases or step.name == "startup":
            return step.budget_s
        try:
            return step.budget_s * count_cases(self.place.program("qb"), step.cases)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return step.budget_s  # the step itself will say what is wrong

    def run(self, step, allowed_s, cut):
        if step.tool and not shutil.which(step.tool):
            return Outcome("left out", None, f"there is no {os.path.basename(step.tool)} here")
        if step.run:
            self.link_run(step)
        logs = self.log_paths(step)
        codes, stopped = run_command(step.command, allowed_s, logs)
        if step.save:
            shutil.copyfile(logs[0], os.path.join(self.out, step.save))
        outcome = self.judge(step, next(filter(None, codes), 0), logs)
        if stopped:
            outcome = outcome._replace(state="cut off" if cut else "overran")
        if outcome.state in ("failed", "overran"):
            show_logs([log for log, code in zip(logs, codes) if code or len(logs) == 1])
            if step.reports:
                outcome = outcome._replace(state="reported")
        return outcome

    def judge(self, step, code, logs):
        if step.shards:
            ran, skipped, note = test_counts(logs)
            # If our tests find no GPU, those of a suite that need none still run.
            return Outcome("failed" if code or ran <= skipped else "done", code, note)
        if step.run and code == 3 and not draws_figures() and self.is_whole(step):
            return Outcome("done", 0, "its figures are to be drawn at home: no matplotlib here")
        missed = step.name == "verdict" and code == MISSED
        return Outcome("failed" if code and not missed else "done", code, "")

    def is_whole(self, step):
        try:
            with open(os.path.join(self.out, step.run, "manifest.json"), encoding="utf-8") as file:
                return bool(json.load(file)["finished_at"])
        except (OSError, ValueError, KeyError):
            return False

    def link_run(self, step):
        """Links qb's run folder OUT/.runs/EXPERIMENT/RUN to OUT/RUN, so that its rows count."""
        folder = os.path.join(self.out, step.run)
        link = os.path.join(self.out, ".runs", experiment_of(step.cases[0]), step.run)
        os.makedirs(folder, exist_ok=True)
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.islink(link):
            os.symlink(folder, link)

    def log_paths(self, step):
        folder = os.path.join(self.out, "logs")
        os.makedirs(folder, exist_ok=True)
        if step.shards <= 1:
            return [os.path.join(folder, step.name + ".log")]
        return [os.path.join(folder, f"{step.name}.{shard}.log") for shard in range(step.shards)]


def lines_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.rstrip() for line in file]


def show_logs(paths):
    """Shows the ends of a few logs."""
    for path in paths[:3]:
        for line in lines_of(path)[-15:]:
            print("  " + line, file=sys.stderr)


def test_counts(logs):
    """Counts the tests that ran to their end and those that were skipped, by gtest's lines, which it
    writes as they come; and says it in a sentence."""
    ended, begun = {"OK": [], "FAILED": [], "SKIPPED": []}, []
    for line in (line for log in logs for line in lines_of(log)):
        found = re.match(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] (\w[\w/]*\.\w[\w/]*)(.* ms\))?", line)
        if found and found[1] == "RUN":
            begun.append(found[2])
        elif found and found[3]:  # without a time it is of gtest's summary
            ended[found[1]].append(found[2])
    failed, skipped = ended["FAILED"], len(ended["SKIPPED"])
    ran = len(ended["OK"]) + len(failed)
    note = f"{ran} tests ran, {skipped} skipped, {len(failed)} failed"
    unfinished = [name for name in begun if not any(name in names for names in ended.values())]
    for names, words in ((failed, ": "), (unfinished, "; stopped in ")):
        if names:
            note += words + " ".join(names[:5])
    return ran, skipped, note


def list_tests(program, pattern="*"):
    """The names of a binary's tests that match the pattern, by that binary itself."""
    said = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=" + pattern],
                          capture_output=True, text=True, check=True, timeout=60)
    suite, names = "", []
    for line in said.stdout.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + word)
        elif re.fullmatch(r"[\w/]+\.", word):
            suite = word
    return names
