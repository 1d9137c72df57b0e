"""Machines of Hypothesis that take options and count what was played."""

from collections.abc import Callable

from hypothesis import seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def play(machine: Callable[..., RuleBasedStateMachine], *options: str, examples: int, steps: int) -> list[int]:
    """Lead the machine through many sequences of calls; returns the numbers of labels when a question was compared."""
    questions: list[int] = []

    def begin() -> RuleBasedStateMachine:
        return machine(*options, questions)

    how = settings(max_examples=examples, stateful_step_count=steps)
    if how.derandomize:
        begin = seed(" ".join(options))(begin)  # other options, other sequences
    run_state_machine_as_test(begin, settings=how)  # type: ignore[arg-type]  # what makes a machine will do
    return questions
