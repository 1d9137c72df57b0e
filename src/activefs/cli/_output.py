"""What is printed reaches its reader, or goes nowhere without noise."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO


def print_anything() -> None:
    """Let characters that the terminal does not know be written as codes, instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names of files may hold bytes that are no text: with UTF-8, Python can pass them on as they are.
            passes_on = stream.errors == "surrogateescape" and stream.encoding.lower().replace("-", "") == "utf8"
            if not passes_on:
                stream.reconfigure(errors="backslashreplace")


def nobody_reads(error: OSError) -> bool:
    """Whether whoever read the output has seen enough; Windows says of a pipe that it is an invalid argument.

    Examples
    --------
    >>> nobody_reads(BrokenPipeError()), nobody_reads(OSError(errno.ENOSPC, "No space left on device"))
    (True, False)
    """
    is_pipe = sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or is_pipe


def finish_output(code: int) -> int:
    """Write what is still to be written; returns the exit code, which is 1 if that was not possible.

    What cannot be written is sent nowhere: Python would complain about it once more when it ends.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is None:  # closed before the command began
            continue
        try:
            stream.flush()
        except OSError as error:
            if code == 0 and not nobody_reads(error):
                print(f"error: the output cannot be written: {error.strerror or error}", file=sys.stderr)
            code = code or 1
            _send_nowhere(stream)
    return code


def _send_nowhere(stream: TextIO) -> None:
    with suppress(OSError):  # no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
