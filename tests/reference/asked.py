"""Asking a study for a question that must be there."""

from activefs.study import Person, Question, StudyEngine


def asked(engine: StudyEngine, who: Person) -> Question:
    """The next question of somebody who must get one."""
    question = engine.question(who)
    assert isinstance(question, Question), question
    return question
