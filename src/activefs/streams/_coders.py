"""One column of a chunk is coded, block by block, and what is found on the way is remembered."""

from __future__ import annotations

from typing import Any

import numpy as np

from activefs._kernels.encode import add_up, find, look_up, put_in_bins, widen
from activefs.streams._cells import ColumnCells, text_list, texts_at
from activefs.streams._facts import ColumnFacts
from activefs.streams._plan import ColumnPlan
from activefs.streams._sketch import enter_numbers, enter_texts, new_registers
from activefs.tables import MAX_VALUES, UnusableColumn
from activefs.types import Array, Int32s, UInt64s

# Integers that are spread over a range up to this are coded through a table.
_RANGE = 1 << 18
_INT64 = np.iinfo(np.int64)


class ColumnCoder:
    """Codes the blocks of one column in one chunk."""

    def __init__(self, plan: ColumnPlan, dtype: np.dtype[Any]) -> None:
        self.plan, self.facts = plan, ColumnFacts()
        self.facts.counts = np.zeros(plan.n_codes + 1, dtype=np.int64)
        self.facts.marks = np.zeros(plan.n_codes + 1, dtype=np.uint64)
        if plan.sketched:
            self.facts.registers = new_registers()
        self._dtype, self._known = dtype, _Known(plan)

    def refuse(self, reason: UnusableColumn, row: int) -> None:
        """Remember that the block which begins at this row makes the column unusable."""
        if self.facts.refused is None:
            self.facts.refused = reason.kind, str(reason), row + (reason.row or 0)

    def code(self, cells: ColumnCells, words: UInt64s, row: int, out: Array) -> None:
        """Code a block that begins at this row; what `out` holds afterwards counts only if nothing went wrong."""
        if not self._usable(cells, row):
            return
        if self.facts.too_wide:
            out = np.empty(len(out), dtype=np.uint16)
        done = self._coded(cells, out)
        if not done and self.facts.too_wide and out.dtype == np.uint8:  # as turned out just now
            out = np.empty(len(out), dtype=np.uint16)
            done = self._coded(cells, out)
        if done:
            self._count(out, words)

    def _coded(self, cells: ColumnCells, out: Array) -> bool:
        if cells.missing is None:
            return self._values(cells, cells.values, out)
        there = ~cells.missing
        present = np.empty(int(there.sum()), dtype=out.dtype)
        if present.size and not self._values(cells, cells.values[there], present):
            return False
        out[there] = present
        out[cells.missing] = self._missing_code(out)
        return True

    def _missing_code(self, out: Array) -> int:
        # Where missing values are an error there need not be room for their code.
        return min(self.plan.n_codes, int(np.iinfo(out.dtype).max))

    def _count(self, out: Array, words: UInt64s) -> None:
        facts = self.facts
        size = self.plan.n_codes + 1 + len(facts.novel)
        if size > len(facts.counts):
            room = max(size, 2 * len(facts.counts)) - len(facts.counts)
            facts.counts = np.append(facts.counts, np.zeros(room, dtype=np.int64))
            facts.marks = np.append(facts.marks, np.zeros(room, dtype=np.uint64))
        add_up(out, words, facts.counts, facts.marks)

    def _usable(self, cells: ColumnCells, row: int) -> bool:
        """Note what the block holds; whether it can be coded as planned."""
        facts, plan = self.facts, self.plan
        for kind, at in cells.kinds.items():
            facts.kinds.setdefault(kind, row + at)
        if cells.missing is not None:
            facts.n_missing += int(cells.missing.sum())
            if facts.missing is None:
                facts.missing = row + int(cells.missing.argmax())
        if cells.infinite is not None and facts.infinite is None:
            facts.infinite = row + cells.infinite
        facts.fractions |= cells.fractions
        if cells.kinds and cells.order != plan.order:
            facts.in_order = False
        if cells.what is None:  # nothing is there, or too much
            return not cells.kinds and plan.row is not None
        if cells.infinite is not None or cells.what != (plan.what or self._known.what or cells.what):
            return False
        self._known.what = cells.what
        return plan.row is not None or plan.sketched

    def _values(self, cells: ColumnCells, values: Array, out: Array) -> bool:
        if cells.what == "text":
            return self._texts(cells.texts, values, out)
        if self.facts.registers is not None:
            enter_numbers(values, self.facts.registers)
        if self.plan.bins is not None:
            self._bins(values, out)
            return True
        if self.facts.overflowed or self.plan.row is None:
            return False
        return self._numbers(values, out)

    def _bins(self, values: Array, out: Array) -> None:
        bins = self.plan.bins
        assert bins is not None
        if values.dtype == np.uint64 and int(values.max()) <= _INT64.max:
            values = values.view(np.int64)
        elif values.dtype.itemsize < 4 or values.dtype == np.uint32:
            values = values.astype(np.float32 if values.dtype.kind == "f" else np.int64)
        put_in_bins(_distances(values, bins.origin) if bins.origin else values, bins.edges, out)
        kind = values.dtype.kind
        if kind not in self.facts.ends:
            self.facts.ends[kind] = _no_ends(kind, self.plan.n_codes)
        widen(values, out, *self.facts.ends[kind])

    def _numbers(self, values: Array, out: Array) -> bool:
        while True:
            unknown = self._known.code_numbers(values, out)
            if unknown < 0:
                return True
            rest = np.unique(values[unknown:])
            if not self._learn([value for value in rest.tolist() if value not in self._known.code_of]):
                enter_numbers(values, self._registers())
                return False
            if self.facts.too_wide and out.dtype == np.uint8:
                return False

    def _texts(self, texts: Any, positions: Array, out: Array) -> bool:
        if self.facts.overflowed or self.plan.row is None:
            enter_texts(texts_at(texts, _used(texts, positions)), self._registers())
            return False
        self._known.use_texts(texts)
        while True:
            unknown = look_up(positions, 0, self._known.code_of_text, out)
            if unknown < 0:
                return True
            new = self._known.match_texts(_used(texts, positions[unknown:]))
            if new and not self._learn(new):
                enter_texts(texts_at(texts, _used(texts, positions)), self._registers())
                return False
            if self.facts.too_wide and out.dtype == np.uint8:
                return False

    def _registers(self) -> Array:
        if self.facts.registers is None:
            self.facts.registers = new_registers()
        return self.facts.registers

    def _learn(self, new: list[Any]) -> bool:
        """Give new values the next codes; False if there are too many of them."""
        facts = self.facts
        size = self.plan.n_codes + 1 + len(facts.novel)
        if size + len(new) > MAX_VALUES + 1:
            facts.overflowed = True
            return False
        facts.too_wide |= size + len(new) > 256 and self._dtype == np.uint8
        self._known.learn(new, size)
        facts.novel.extend(new)
        return True


class _Known:
    """The values that have a code, in the forms in which they are looked up."""

    def __init__(self, plan: ColumnPlan) -> None:
        self._plan = plan
        self.what = plan.what
        self._code_of: dict[Any, int] | None = None
        self._tables: dict[str, tuple[Any, Int32s]] = {}
        self._texts: Any = None
        self.code_of_text = np.empty(0, dtype=np.int32)

    @property
    def code_of(self) -> dict[Any, int]:
        if self._code_of is None:
            self._code_of = dict(self._plan.code_of)
        return self._code_of

    def learn(self, new: list[Any], first_code: int) -> None:
        self.code_of.update(zip(new, range(first_code, first_code + len(new)), strict=True))
        self._tables.clear()

    def code_numbers(self, values: Array, out: Array) -> int:
        """Code numbers; where the first unknown one is, or -1."""
        if values.dtype == np.uint64 and int(values.max()) <= _INT64.max:
            values = values.view(np.int64)
        if values.dtype.kind in "iu" and values.dtype != np.uint64:
            table = self._table()
            if table is not None:
                return look_up(values, *table, out)
            values = values.astype(np.int64, copy=False)
        elif values.dtype.kind == "f":
            values = values.astype(np.float64, copy=False)
        return find(values, *self._keys(values.dtype), out)

    def _table(self) -> tuple[int, Int32s] | None:
        """Codes of whole numbers by their distance from the smallest, and that one; None if they are far apart."""
        if "table" not in self._tables:
            numbers = [(v, code) for v, code in self._items() if v == int(v)]
            low = int(min((v for v, _ in numbers), default=0))
            size = int(max((v for v, _ in numbers), default=-1)) - low + 1
            inside = size <= _RANGE and low >= _INT64.min and low + size <= _INT64.max
            table = np.full(size if inside else 0, -1, dtype=np.int32)
            for value, code in numbers if inside else ():
                table[int(value) - low] = code
            self._tables["table"] = (low if inside else None), table
        low_or_none, table = self._tables["table"]
        return None if low_or_none is None else (low_or_none, table)

    def _keys(self, dtype: np.dtype[Any]) -> tuple[Array, Int32s]:
        """Sorted values of one type, and their codes."""
        if dtype.str not in self._tables:
            items = self._items()
            if dtype.kind != "f":
                info = np.iinfo(dtype)
                items = [(int(v), code) for v, code in items if v == int(v) and info.min <= v <= info.max]
            keys = np.array([v for v, _ in items], dtype=dtype)
            order = np.argsort(keys, kind="stable")
            self._tables[dtype.str] = keys[order], np.array([c for _, c in items], dtype=np.int32)[order]
        return self._tables[dtype.str]

    def _items(self) -> list[tuple[Any, int]]:
        return list(self.code_of.items())

    def use_texts(self, texts: Any) -> None:
        """Look up positions in these texts from now on; often they are those of the block before."""
        if self._texts is not None and _same(texts, self._texts):
            return
        self._texts = texts
        self.code_of_text = np.full(len(texts), -1, dtype=np.int32)

    def match_texts(self, positions: Array) -> list[str]:
        """Find the codes of texts at some positions; return those that have none yet."""
        texts = texts_at(self._texts, positions)
        codes = self._codes(texts)
        self.code_of_text[positions] = codes
        unknown = np.flatnonzero(codes < 0)
        return list(dict.fromkeys(text_list(texts_at(texts, unknown)))) if unknown.size else []

    def _codes(self, texts: Any) -> Int32s:
        """Codes of texts, -1 for those that have none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(texts, list):
            return np.array([self.code_of.get(text, -1) for text in texts], dtype=np.int32)
        if "texts" not in self._tables:
            keys = list(self.code_of)
            codes = np.fromiter(self.code_of.values(), dtype=np.int32, count=len(keys))
            try:
                self._tables["texts"] = pa.array(keys, type=pa.large_string()), np.append(codes, np.int32(-1))
            except (pa.ArrowException, UnicodeError):  # half a character, which only Python can hold
                return self._codes(texts.to_pylist())
        known, codes = self._tables["texts"]
        at = pc.index_in(texts.cast(pa.large_string()), value_set=known).fill_null(len(known))
        return np.asarray(codes[at.to_numpy()])


def _no_ends(kind: str, size: int) -> tuple[Array, Array]:
    """Smallest and largest values of bins that hold nothing yet: any value widens them."""
    limits: Any = np.finfo(np.float64) if kind == "f" else np.iinfo(np.int64 if kind == "i" else np.uint64)
    return np.full(size, limits.max, dtype=limits.dtype), np.full(size, limits.min, dtype=limits.dtype)


def _same(texts: Any, before: Any) -> bool:
    if isinstance(texts, list) or isinstance(before, list):
        return texts is before
    return len(texts) == len(before) and texts.type == before.type and bool(texts.equals(before))


def _used(texts: Any, positions: Array) -> Array:
    """Positions that occur."""
    return np.flatnonzero(np.bincount(positions, minlength=len(texts)))


def _distances(values: Array, origin: int) -> Array:
    """How far numbers are above the origin; what is below it is in the first bin anyway."""
    if values.dtype.kind == "f":
        return values.astype(np.float64) - float(origin)
    if values.dtype.kind == "i" and origin > _INT64.max:
        return np.zeros(len(values))
    base = np.array(origin).astype(values.dtype if values.dtype.itemsize == 8 else np.int64)
    apart = values.astype(np.uint64) - base.astype(np.uint64)
    return np.where(values >= base, apart.astype(np.float64), 0.0)
