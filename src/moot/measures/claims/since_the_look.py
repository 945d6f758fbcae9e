"""What was changed once answers were there, and is no other option: references, and who grades.

Keys are mended every day, and a second judge is asked for good reasons: so neither makes a claim late. But whoever looks
at what one side got wrong, and finds that it was right after all, does so seldom for both sides alike; and the kindest of four
judges is a choice. Nobody can price that, so it is said wherever the claim is.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.grade.grading import GradedBy
from moot.measures.judgements import earlier_judges
from moot.measures.source import Source
from moot.stats.counted_words import count
from moot.stats.estimates import Row
from moot.store.graded_by import other_graders
from moot.store.questions_before import references_changed


def since_the_look(source: Source) -> Row:
    """`keys_changed`: of how many questions that were played for an earlier plan of this name the reference is another now;
    `other_graders`: who else has graded these answers. Only what there is."""
    if source.served:
        return {}
    changed = len(references_changed(source.connection, source.experiment))
    graders = _others(source)
    return {**({"keys_changed": changed} if changed else {}), **({"other_graders": graders} if graders else {})}


def _others(source: Source) -> list[str]:
    """By the judges that they had where the grader before them is the same; else by the name of their scores."""
    by = GradedBy.of(source.config)
    names, own = [], f"{by.grader}+"
    for name in other_graders(source.connection, source.ident, source.grader):
        judges = name.removeprefix(own).split("+") if name.startswith(own) else []
        if judges and sorted(judges) == sorted(source.grader.removeprefix(own).split("+")):
            continue  # the same two in another order
        names.append(" and ".join(judges) or (f"{name} alone" if name == by.grader else name))
    digests = source.grades.digests
    earlier = earlier_judges(source.connection, digests, by.judges, by.batch)
    return [*names, *(f"{judge} with another model or prompt" for judge in earlier)]


def keys_changed_words(many: int) -> str:
    if many == 1:
        return "The reference of 1 question was changed after it had been played"
    return f"The references of {count(many, 'question')} were changed after they had been played"


def other_graders_words(names: Sequence[str]) -> str:
    return f"Others have graded these answers too: {', '.join(names)}"
