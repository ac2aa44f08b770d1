#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/python.md from the docstrings of the installed package: docs/python_page.py > docs/python.md"""
import inspect

import quorumbench as qb

HEAD = """# The Python package `quorumbench`

`./qb python` builds it from the objects that `./qb` has compiled, into a virtual environment of its own. In a virtual
environment of yours `pip install .` compiles the same sources; it takes what `./qb` installs (`build_packages` in the
script `qb`). `./qb wheel` makes, in `build/wheel`, a wheel for other machines, which takes seconds to install and needs x86-64
Linux, the same release of Python, and a glibc as new as its name says; beside it lies an archive of `qb` alone, which needs no
Python but for figures. The archive has all libraries but glibc, the wheel all but glibc and libstdc++; neither has MPI. The wheel has the `qb` binary in it, which runs every sweep: a case has a process
of its own, as from the command line. Words are those of a spec ([experiments/README.md](../experiments/README.md)), with
`passes` for `pass`. This page is made from the docstrings by `docs/python_page.py`.

A call at N = 128 and d = 64 on one thread takes 264 µs of CPU time on a Xeon (the best of 1,500 in one process): it runs in a
thread of its own, so that Ctrl-C ends it. `./qb microbench --benchmark_filter='^call'` measures the same call in C++, and
`python -m timeit -s "import numpy as np, quorumbench as qb; q = np.ones((1, 1, 128, 64), 'f4')" "qb.attend(q, q, q, threads=1).o"`
this one.
"""


def signature(thing):
    try:
        return str(inspect.signature(thing)).replace("'", "").replace("_a.", "")
    except (TypeError, ValueError):
        return ""


def members(thing):
    """The documented methods and properties of a class, in their order."""
    for name, member in vars(thing).items():
        text = inspect.getdoc(member)
        if name.startswith("_") or not text or isinstance(member, (str, tuple, int, type(None))):
            continue
        call = "" if isinstance(member, property) else signature(member)
        call = call.replace("(self, ", "(").replace("(self)", "()")
        yield f"- `.{name}{call}`: {' '.join(text.split())}"


def main():
    print(HEAD)
    print("```text\n" + inspect.getdoc(qb) + "\n```\n")
    for name in qb.__all__:
        thing = getattr(qb, name)
        text = inspect.getdoc(thing) or ""
        call = "" if inspect.isclass(thing) else signature(thing)
        print(f"## `{name}`\n\n```text\n{name}{call}\n\n{text}\n```\n")
        if inspect.isclass(thing) and (lines := list(members(thing))):
            print("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
