# SPDX-License-Identifier: Apache-2.0
"""Starts the qb binary that the package carries, and writes values as specs and options have them."""
from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping

from . import _frames
from .errors import CaseError, EnvironmentError, UsageError

ROOT = Path(__file__).resolve().parent / "root"
BINARY = ROOT / "bin" / "qb"


@functools.cache
def _keys() -> dict[str, str]:
    keys = [field["key"] for field in _frames.fields("cases.csv").values()]
    return {key.replace(".", "_"): key for key in keys} | {"passes": "pass"}


def key(name: str) -> str:
    """Gives the key of a spec that a keyword stands for: cluster_inside is `cluster.inside`, and
    passes is `pass`, which is a word of Python."""
    return _keys().get(name, name)


def plain(value: Any) -> Any:
    """Gives NumPy's numbers and arrays, and PyTorch's sizes, as Python's own values."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(one) for one in value]
    return value


def text(value: Any) -> str:
    """Writes a value as an option of qb takes it."""
    if isinstance(value, str):
        return value
    if type(value) is int:  # no other is worth a shorter way
        return str(value)
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(text(one) for one in value)
    return flow(value)


def quoted(value: str) -> str:
    """Writes a text as a double-quoted scalar of YAML, which has no surrogates and no characters
    that nothing shows."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{value!r} holds half a character, at {error.start}, which no file can "
                         "hold") from error
    return re.sub("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]", lambda one: f"\\u{ord(one[0]):04x}",
                  json.dumps(value, ensure_ascii=False))


def flow(value: Any) -> str:
    """Writes a value as YAML on one line; a text that begins with a brace is YAML already."""
    value = plain(value)
    if value is None:
        return "~"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_word(name)}: {flow(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(one) for one in value) + "]"
    if isinstance(value, str) and not value.startswith("{"):
        return _word(value)
    return str(value)


def _word(value: str) -> str:
    return value if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_./+-]*", value) else quoted(value)


def yaml(spec: Mapping[str, Any]) -> str:
    """Writes a spec, a key of the top level a line."""
    return "".join(f"{_word(name)}: {quoted(str(value)) if name == 'description' else flow(value)}\n"
                   for name, value in spec.items())


def options(values: Mapping[str, Any]) -> list[str]:
    """Writes values as options: n_tokens=8 is --n-tokens 8. True is a flag, None is left out."""
    words: list[str] = []
    for name, value in values.items():
        option = "--" + key(name).replace("_", "-").replace(".", "-")
        if value is None or value is False:
            continue
        words += [option] if value is True else [option, text(value)]
    return words


def sentence(stderr: str) -> str:
    """Gives the sentence that qb ended with, in words of Python."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    said = [line[4:] for line in lines if line.startswith("qb: ")]
    text = said[-1] if said else (lines[-1] if lines else "qb ended without a word")
    # An option is a keyword here: --q-heads is q_heads=.
    return re.sub(r"--(?!help)([a-z][a-z-]*)", lambda name: name[1].replace("-", "_") + "=", text)


def require(code: int, stderr: str, allowed: Iterable[int] = (0,)) -> None:
    """Raises what an exit code means, with qb's sentence."""
    if code in allowed:
        return
    if code in (130, -2):
        raise KeyboardInterrupt
    if code == 2:
        raise UsageError(sentence(stderr))
    if code == 3:
        raise EnvironmentError(sentence(stderr))
    raise CaseError(sentence(stderr), "incorrect" if code == 4 else "error")


def _command(words: Iterable[str]) -> list[str]:
    if not BINARY.exists():
        raise EnvironmentError(f"{BINARY} is missing; install the package again")
    return [str(BINARY), *words]


def _environment() -> dict[str, str]:
    """qb ends when this process does, however it ends."""
    return os.environ | {"QB_PARENT": str(os.getpid())}


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Takes an interrupt, as qb itself does, also in the background of a shell's script, which ignores it there."""
    ignored = (threading.current_thread() is threading.main_thread()
               and signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
    if ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def main() -> None:
    """Is the command qb of an environment: the binary, for which this Python is python3."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
    words = _command(sys.argv[1:])
    os.execv(words[0], words)


@_interruptible()
def run(words: Iterable[str], allowed: Iterable[int] = (0,)) -> str:
    """Runs qb and gives what it prints."""
    ended = subprocess.run(_command(words), capture_output=True, check=False, encoding="utf-8",
                           errors="replace", env=_environment())
    require(ended.returncode, ended.stderr, allowed)
    return ended.stdout


def _shows_line() -> Callable[[str], None]:
    """Gives what shows a line in place of the one before: in a notebook as an output of its cell."""
    notebook = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if notebook is None or not hasattr(notebook, "kernel"):
        return lambda line: print("\r" + line[:100].ljust(100) if line else "", file=sys.stderr,
                                  end="" if line else "\n", flush=True)
    from IPython.display import display

    handle: Any = display({"text/plain": ""}, raw=True, display_id=True)
    return lambda line: handle.update({"text/plain": line}, raw=True) if line[:1] == "[" else None


@_interruptible()
def run_showing(words: Iterable[str], allowed: Iterable[int], shown: bool) -> str:
    """Does so while qb shows its progress: in its own way in a terminal, as one line in a notebook."""
    terminal = shown and sys.stderr.isatty()
    with subprocess.Popen(_command(words), stdout=subprocess.PIPE, encoding="utf-8",
                          errors="replace", env=_environment(),
                          stderr=None if terminal else subprocess.PIPE) as child:
        said = ""
        printed: list[str] = []
        # Both pipes are read at once: a child whose pipe is full waits.
        reader = threading.Thread(target=lambda: printed.extend(child.stdout or ()), daemon=True)
        reader.start()
        show = _shows_line() if shown and not terminal else None
        try:
            for line in child.stderr or ():
                said += line
                if show:
                    show(line.rstrip())
            code = child.wait()
            reader.join()
        except BaseException:
            # A terminal has sent its interrupt to both; qb takes this one as the same.
            child.send_signal(signal.SIGTERM)
            child.wait()
            raise
    if show and said:
        show("")
    require(code, said, allowed)
    return "".join(printed)
