"""Which key stands for which class, in the terminal and in the browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from activefs.storages import Label

SKIP, UNDO, QUIT = "s", "u", "q"
_RESERVED = {SKIP, UNDO, QUIT}
_DIGITS = set("0123456789")

AT_ONCE = 12
"""Classes that people look through; among more, they find theirs by typing."""


def class_keys(classes: Sequence[Label]) -> list[tuple[str, ...]]:
    """Give every class its keys: the one to show first.

    Classes of one character have that as their key. Otherwise a class that is a digit is its own key, the others are
    numbered as far as digits are left, and a first letter that no other class begins with works as well. If there are
    many and some would have no key, none has one: they are typed.

    Examples
    --------
    >>> class_keys(["3", "5"])
    [('3',), ('5',)]
    >>> class_keys(["healthy", "ill"])
    [('1', 'h'), ('2', 'i')]
    >>> class_keys(["stable", "unclear"])  # s and u mean skip and undo
    [('1',), ('2',)]
    >>> class_keys([0, 1, 10])
    [('0',), ('1',), ('2',)]
    """
    names = [str(label).strip().lower() for label in classes]
    single = all(len(name) == 1 and name not in _RESERVED for name in names)
    if single and len(set(names)) == len(names):
        return [(name,) for name in names]
    letters = Counter(name[:1] for name in names)
    numbers = iter([digit for digit in "123456789" if digit not in names])
    keys = []
    for name in names:
        letter = name[:1]
        number = name if name in _DIGITS else next(numbers, None)
        mine = [] if number is None else [number]
        if letters[letter] == 1 and letter.isalpha() and letter not in _RESERVED:
            mine.append(letter)
        keys.append(tuple(mine))
    return keys if len(keys) <= AT_ONCE or all(keys) else [() for _ in keys]


def are_typed(classes: Sequence[Label]) -> bool:
    """Whether classes are too many to be looked through, so that people type theirs.

    Examples
    --------
    >>> are_typed(["healthy", "ill"]), are_typed([f"kind {i}" for i in range(300)])
    (False, True)
    """
    return len(classes) > AT_ONCE and not all(class_keys(classes))


@dataclass(frozen=True)
class OtherKeys:
    """Keys besides those of the classes: a note on the answer, a flag, the instructions."""

    note: str
    flag: str
    help: str


def other_keys(classes: Sequence[Label], *, typed: bool = False) -> OtherKeys:
    """Give note, flag and instructions keys that no class has; `typed`: lines are typed, where a letter is a label.

    Examples
    --------
    >>> other_keys(["healthy", "ill"])
    OtherKeys(note='n', flag='f', help='?')
    >>> other_keys(["no", "yes"])
    OtherKeys(note='t', flag='f', help='?')
    """
    taken = {key for keys in class_keys(classes) for key in keys} | _RESERVED
    if typed:
        taken |= {str(label).strip().lower() for label in classes}

    def first(letters: str, signs: str) -> str:
        return next(key for key in (signs if typed else letters + signs) if key not in taken)

    return OtherKeys(first("nt", "+*&="), first("fm", "!%$#"), first("", "?/:;"))
