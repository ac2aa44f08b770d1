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
# left out (something that it needs is missing). code: the command's exit code, or None.
Outcome = collections.namedtuple("Outcome", "state code note")


class Interrupted(Exception):
    """The user wants to stop."""


def say(text):
    print("acceptance: " + text, file=sys.stderr, flush=True)


def stop(child):
    """Gives the child time to end by itself, so that a run of qb keeps its rows."""
    for order, patience_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, None)):
        try:
            os.killpg(child.pid, order)
        except ProcessLookupError:
            pass
        try:
            return child.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            continue
    return None


def run_command(command, budget_s, log_path):
    """Returns the exit code, and whether the end of the budget stopped it."""
    with open(log_path, "wb") as log:
        try:
            child = subprocess.Popen(  # pylint: disable=consider-using-with
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                process_group=0)
        except OSError as problem:
            log.write(f"{problem}\n".encode())
            return 127, False
    try:
        return child.wait(timeout=budget_s), False
    except subprocess.TimeoutExpired:
        return stop(child), True
    except BaseException:
        stop(child)
        raise


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
        if outcome.state in ("failed", "overran"):
            self.show_log(step)
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
        if step.tests and os.path.exists(step.tests):
            os.remove(step.tests)
        log = self.log_path(step)
        words = ["--gtest_output=json:" + step.tests] if step.tests else []
        if step.run:
            self.link_run(step)
        code, stopped = run_command([*step.command, *words], allowed_s, log)
        if step.save:
            shutil.copyfile(log, os.path.join(self.out, step.save))
        if stopped:
            return Outcome("cut off" if cut else "overran", code, "")
        return self.judge(step, code)

    def judge(self, step, code):
        if step.tests:
            ran, note = test_counts(step.tests)
            return Outcome("failed" if code or not ran else "done", code, note)
        if step.run and code == 3 and not shutil.which("gnuplot") and self.is_whole(step):
            return Outcome("done", 0, "its figures are to be drawn at home: no gnuplot here")
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

    def log_path(self, step):
        folder = os.path.join(self.out, "logs")
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, step.name + ".log")

    def show_log(self, step):
        with open(self.log_path(step), encoding="utf-8", errors="replace") as file:
            for line in file.readlines()[-15:]:
                print("  " + line.rstrip(), file=sys.stderr)


def test_counts(path):
    """Counts the tests that ran to their end in gtest's report, and says it in a sentence."""
    try:
        with open(path, encoding="utf-8") as file:
            tests = [test for suite in json.load(file)["testsuites"] for test in suite["testsuite"]]
    except (OSError, ValueError, KeyError) as problem:
        return 0, f"no report of its tests: {problem}"
    skipped = [test for test in tests if test.get("result") == "SKIPPED"]
    ran = [test for test in tests if test.get("result") == "COMPLETED"]
    failed = [f"{test['classname']}.{test['name']}" for test in ran if test.get("failures")]
    note = f"{len(ran)} tests ran, {len(skipped)} skipped, {len(failed)} failed"
    if failed:
        note += ": " + " ".join(failed[:5])
    return len(ran), note
