"""Machines of Hypothesis that take options and count what was played."""

from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test


def play(machine, *options, examples, steps):
    """Lead the machine through many sequences of calls; returns the numbers of labels when a question was compared."""
    questions = []

    def begin():
        return machine(*options, questions)

    how = settings(max_examples=examples, stateful_step_count=steps)
    if how.derandomize:
        begin = seed(" ".join(options))(begin)  # other options, other sequences
    run_state_machine_as_test(begin, settings=how)
    return questions
