# SPDX-License-Identifier: Apache-2.0
"""The exceptions of quorumbench. Each has the sentence that qb prints."""


class UsageError(ValueError):
    """What was asked does not exist, does not fit or would have no effect; nothing was computed."""


class EnvironmentError(OSError):
    """The machine lacks something: memory, a tool, a device, a file that can be written."""


class CaseError(RuntimeError):
    """A computation did not end as it should; `status` is a word of cases.csv, such as `oom`."""

    def __init__(self, sentence: str, status: str = "error") -> None:
        super().__init__(sentence)
        self.status = status
