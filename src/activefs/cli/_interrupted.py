"""Ctrl-C in a command that has something to say about it."""


class Interrupted(Exception):  # noqa: N818 - Ctrl-C is no error
    """Ctrl-C, with what to say about it."""
