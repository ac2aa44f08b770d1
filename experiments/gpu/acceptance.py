#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs everything that needs a GPU, from a kit, without network, in two stages:

    acceptance.sh [--stage quick|long] [--minutes M] [--only STEP,…] [--out FOLDER] [--bin FOLDER]
                  [--dry-run]

  quick   under 3 minutes: what the machine is, every GPU test, the flash kernels of both passes in
          turn with cuDNN's and PyTorch's, what starting a case costs, memcheck and racecheck on
          tiny kernels; what racecheck finds is reported and fails nothing
  long    all specs of this folder and PyTorch's backends; cells that a target needs come first. It
          ends after --minutes (9); the same command goes on where it stopped

Both end with the table of targets and with one archive of all results beside their folder, which
`./qb kit --unpack ARCHIVE` puts into data/measured/. A step that fails or overruns its budget is
named and does not stop the others. In a kit (manifest.json in a folder above) the programs are
those of its bin/, in a checkout those of build/release; --bin names another folder. Results go to
results/GPU/ in the kit or checkout, or to --out. --only runs again the steps whose names begin
with one of these words. --dry-run prints each step with its command, its budget and the names of
its tests, and checks the specs; it needs no GPU.

Exit codes: 0 all ran and every target that was measured is met, 1 something failed or is left to be
run, 2 usage, 3 no GPU or no tools, 4 a target is missed, 130 interrupted.
"""

import argparse
import os
import shlex
import shutil
import signal
import sys
import time

from acceptance_place import Place, Refusal, gpu_folder, gpu_names
from acceptance_results import Results, pack
from acceptance_run import (ATTEMPTS, INTERRUPTED, LEAST_S, MISSED, Interrupted, Player,
                            count_cases, draws_figures, list_tests, rows_of_run, say)
from acceptance_steps import (DEFAULT_STARTUP_S, STARTUP_RUN, long_steps, quick_steps,
                              verdict_step)

MINUTES = {"quick": 3.0, "long": 9.0}
RESERVE_S = {"quick": 16.0, "long": 30.0}  # for the verdict, the archive and the end of a step


def parse_words(argv):
    parser = argparse.ArgumentParser(prog="acceptance.sh", description=__doc__, add_help=False,
                                     allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--stage", choices=tuple(MINUTES), default="quick")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--out")
    parser.add_argument("--bin")
    parser.add_argument("--dry-run", action="store_true")
    words = parser.parse_args(argv)
    words.minutes = words.minutes or MINUTES[words.stage]
    if not words.minutes * 60 > RESERVE_S[words.stage] + LEAST_S:
        parser.error(f"--minutes {words.minutes:g} leaves no time for any step")
    words.only = [name for name in words.only.split(",") if name]
    return words


def steps_of(stage, place, out, startup_s, n_gpus):
    if stage == "quick":
        return list(quick_steps(place, out))
    return long_steps(place, out, startup_s, n_gpus)


def chosen(steps, only):
    for word in only:
        if not any(step.name.startswith(word) for step in steps):
            raise Refusal(2, f"there is no step {word}; known: "
                             f"{' '.join(step.name for step in steps)}")
    return [step for step in steps if not only or any(step.name.startswith(w) for w in only)]


def dry_run(words, place):
    """Prints the steps; returns 1 if a spec is wrong."""
    out = words.out or os.path.join(place.root, "results", "GPU")
    steps = chosen(steps_of(words.stage, place, out, DEFAULT_STARTUP_S, 8), words.only)
    qb, code, total_s = place.program("qb"), 0, 0.0
    if not os.access(qb, os.X_OK):
        say(f"there is no {qb}, so that the specs are not checked")
    for step in [*steps, verdict_step(place, out)]:
        budget_s, counted, tests = step.budget_s, "", []
        try:
            if step.cases and os.access(qb, os.X_OK):
                cases = count_cases(qb, step.cases)
                counted = f", {cases} cases"
                budget_s *= 1 if step.name == "startup" else cases
            elif step.shards and os.access(step.command[-2], os.X_OK):
                tests = tests_of(step)
                counted = f", {len(tests)} tests"
        except ValueError as problem:
            counted, code = f", WRONG: {problem}", 1
        total_s += budget_s
        print(f"{step.name} (at most {budget_s:.0f} s{counted})\n  + {shlex.join(step.command)}")
        for test in tests:
            print(f"    {test}")
    print(f"{words.stage}: {len(steps) + 1} steps, at most {total_s:.0f} s in all, "
          f"{words.minutes:g} minutes a call")
    return code


def tests_of(step):
    """The names of the tests that a step plays. Raises ValueError if there are none."""
    program, pattern = step.command[-2:]
    tests = list_tests(program, pattern.removeprefix("--gtest_filter="))
    if not tests:
        raise ValueError(f"{program} has no test {pattern}")
    return tests


def pending(results, stage, steps):
    """The steps that have not run to their end; those that overran their budget come last."""
    fresh, again = [], []
    for step in steps:
        known = results.step(stage, step.name)
        if known is None or known["state"] == "cut off":
            fresh.append(step)
        elif known["state"] == "overran" and known["attempts"] < ATTEMPTS:
            again.append(step)
    return fresh + again


def play(words, place, out, results, n_gpus):
    deadline = time.monotonic() + 60 * words.minutes - RESERVE_S[words.stage]
    player = Player(place, out, results, deadline)
    startup_s = results.facts["case_startup_s"] or DEFAULT_STARTUP_S
    steps = chosen(steps_of(words.stage, place, out, startup_s, n_gpus), words.only)
    if words.stage == "quick" or words.only:
        for step in steps:
            results.forget(words.stage, step.name)
        shutil.rmtree(os.path.join(out, STARTUP_RUN), ignore_errors=True)
    to_play = pending(results, words.stage, steps)
    for index, step in enumerate(to_play):
        if player.left_s() < LEAST_S:
            break
        spare_s = 0.0
        if words.stage == "quick":  # in the long stage, steps are longer than a call
            spare_s = player.left_s() - sum(later.budget_s for later in to_play[index:])
        player.play(words.stage, step, spare_s)
        if step.name == "startup":
            note_startup(results, os.path.join(out, STARTUP_RUN))
            shutil.rmtree(os.path.join(out, STARTUP_RUN))
    return steps


def note_startup(results, run):
    durations = [float(row["duration_s"]) for row in rows_of_run(run) if row["status"] == "ok"]
    if durations:
        results.facts["case_startup_s"] = max(durations)
        results.write()
        say(f"starting a case costs {max(durations):.1f} s")


def conclude(words, place, out, results):
    """Writes the table and the archive; returns the verdict's exit code."""
    player = Player(place, out, results, time.monotonic() + 20)
    results.forget(words.stage, "verdict")
    code = player.play(words.stage, verdict_step(place, out)).code
    for name in (("flash_rounds.txt", "verdict.txt") if words.stage == "quick" else
                 ("verdict.txt",)):
        if os.path.exists(os.path.join(out, name)):
            with open(os.path.join(out, name), encoding="utf-8") as file:
                print(file.read())
    path, remarks = pack(out)
    for remark in remarks:
        say(remark)
    print(path)
    return code


def report(words, results, steps):
    """Reports the steps; returns False if a step failed or is left to be run."""
    states = {}
    for step in steps:
        known = results.step(words.stage, step.name)
        states.setdefault(known["state"] if known else "left", []).append(step.name)
    left = [step.name for step in pending(results, words.stage, steps)]
    for state in ("failed", "overran", "left out", "reported"):
        if state in states:
            say(f"{state}: {' '.join(states[state])}")
    if left:
        say(f"{len(left)} of {len(steps)} steps are left to be run; the same command goes on: "
            f"{' '.join(left)}")
    if not words.only:
        results.finish(words.stage, not left)
    return not left and "failed" not in states and "overran" not in states


def main(argv):
    words = parse_words(argv)
    if words.help:
        print(__doc__)
        return 0
    place = Place(words.bin and os.path.abspath(words.bin))
    say(place.describe())
    if words.dry_run:
        return dry_run(words, place)
    gpus = gpu_names()
    if not os.access(place.program("qb"), os.X_OK):
        raise Refusal(3, f"there is no {place.program('qb')}; unpack a kit, or build the checkout")
    out = os.path.abspath(words.out or os.path.join(place.root, "results", gpu_folder(gpus[0])))
    os.makedirs(out, exist_ok=True)
    results = Results(out, gpus[0], place.commit)

    def interrupt(*_):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Interrupted

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    if not draws_figures():
        say("there is no matplotlib here: figures are drawn at home, by `qb plot` from the CSV")
    start = time.monotonic()
    try:
        steps = play(words, place, out, results, len(gpus))
    except Interrupted:
        conclude(words, place, out, results)
        say("interrupted; the same command goes on")
        return INTERRUPTED
    good = report(words, results, steps)
    verdict = conclude(words, place, out, results)
    say(f"{gpus[0]}, {words.stage}: {time.monotonic() - start:.0f} s")
    return verdict if good and verdict in (0, MISSED) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refusal as refusal:
        say(str(refusal))
        sys.exit(refusal.code)
    except OSError as failure:  # for example a full disk
        say(str(failure))
        sys.exit(3)
