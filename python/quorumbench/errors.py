# SPDX-License-Identifier: Apache-2.0
"""The exceptions of quorumbench. Each has the sentence that qb prints."""


class UsageError(ValueError):
    """What was asked does not exist, does not fit or would have no effect; nothing was computed.
    It is a ValueError."""


class EnvironmentError(OSError):
    """The machine lacks something: memory, a tool, a device, a file that can be written. It is an
    OSError."""


class CaseError(RuntimeError):
    """A computation did not end as it should; `status` says how, in a word of cases.csv: oom (out
    of memory or over memory_budget), incorrect, timeout, crashed, error. It is a RuntimeError."""

    def __init__(self, sentence: str, status: str = "error") -> None:
        super().__init__(sentence)
        self.status = status
