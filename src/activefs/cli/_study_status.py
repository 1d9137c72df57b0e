"""`activefs study status`, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from activefs.cli._options import for_the_command_line
from activefs.cli._shown import shown
from activefs.outlook import Forecast
from activefs.rendering import ABOUT_CHANCE, ABOUT_CONTEST, most_frequent, percent, words_for
from activefs.selection import ARBITRARY
from activefs.study import Status
from activefs.tables import listed_left_out


def show_status(status: Status, ahead: Forecast, title: str) -> None:
    """Print where a study stands."""
    console = Console(highlight=False)
    listed, more = most_frequent(status.classes)
    counts = ", ".join(f"{label}: {count}" for label, count in listed) + (f" and {more:,} more classes" if more else "")
    console.print(
        Text(f"{title}: {status.used}{' used' if status.cost is None else ''}" + (f" ({counts})" if counts else ""))
    )
    console.print(
        f"{status.n_rows:,} rows, {status.n_features:,} features; {status.n_skipped} skipped, "
        f"{status.n_open} being labelled now."
    )
    if status.places:
        _show_places(status, console)
    console.print(Text(f"The choice: {status.sure}. {_sentence(status.guarantee)}"))
    if not status.places:
        console.print(ARBITRARY)
    console.print(Text(f"When will it be done? {_sentence(ahead)}"))
    if status.model_check is not None:
        console.print(Text(f"Is the model any good here? {_sentence(status.model_check)}"))
    if status.caution:
        console.print(Text(f"Note: {for_the_command_line(status.caution)}."))
    if status.left_out:
        console.print(shown(f"Left out: {listed_left_out(status.left_out)}."))
    if status.finished:
        console.print(Text(f"Finished: {status.finished}."))
    if (left := status.time_left(ahead)) is not None and left.answers:
        console.print(Text(f"How long will it take? {_sentence(left)}"))
    if status.agreement is not None:
        console.print(Text(f"Do annotators agree? {_sentence(status.agreement)}"))
    if waiting := status.pace.waiting:
        rows = "row awaits" if waiting == 1 else "rows await"
        console.print(f"{waiting} {rows} a second annotator, who must not be the first one.")
    if status.disagreements:
        rows = "row has two different answers" if status.disagreements == 1 else "rows have two different answers"
        console.print(Text(f"{status.disagreements} {rows}, which an owner is to settle (on the page Answers)."))
    if status.annotators:
        _show_people(status, console)


def _show_people(status: Status, console: Console) -> None:
    people = Table(title="Annotators")
    agreeing = ["agreeing with others"] if status.agreement is not None else []
    for heading in ("name", "labels", "skipped", "labelling now", "labels a day", "seconds a row", *agreeing):
        people.add_column(heading, justify="left" if heading == "name" else "right")
    for who in status.annotators:
        agreed = [f"{who.agreed} of {who.compared}"] if agreeing else []
        numbers = (who.labels, who.skips, who.open)
        people.add_row(
            Text(who.name), *map(str, numbers), _known(who.labels_per_day), _known(who.seconds_per_row), *agreed
        )
    console.print(people)


def _known(number: float | None) -> str:
    return "" if number is None else f"{number:.0f}" if number >= 10 else f"{number:.1f}"


def _show_places(status: Status, console: Console) -> None:
    words = words_for(status.criterion)
    table = Table(title=f"The top {len(status.places)} so far ({words.name})")
    chance = [] if all(place.above_chance for place in status.places) else ["above chance"]
    likely = ["likely"] if any(place.probability is not None for place in status.places) else []
    for heading in ("rank", "feature", f"estimate{words.in_brackets}", "interval", *likely, *chance, "contested"):
        table.add_column(heading, justify="right" if heading == "rank" else "left", overflow="fold")
    for place in status.places:
        interval = f"{place.lower:.3f} to {place.upper:.3f}"
        contested = f"yes, by {place.challengers} such as {place.strongest}" if place.contested else "no"
        above = ["yes" if place.above_chance else "no"] if chance else []
        among = ["" if place.probability is None else percent(place.probability)] if likely else []
        numbers = f"{place.score:.3f}", interval, *among, *above
        table.add_row(str(place.rank), shown(place.name), *numbers, shown(contested))
    console.print(table)
    if likely:
        console.print(f"Likely: the believed probability that a feature is among the best {len(status.places)}.")
    if chance:
        console.print(ABOUT_CHANCE)
    console.print(f"{_sentence(status.contest)} {ABOUT_CONTEST if status.n_contested else ''}".rstrip())


def _sentence(said: object) -> str:
    text = str(said)
    return f"{text[:1].upper()}{text[1:]}."
