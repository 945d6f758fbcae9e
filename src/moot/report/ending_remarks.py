"""What a short report says beside its verdict and table: what changes how the figures are to be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from moot.decide.learning import BEST_SINGLE, PLURALITY
from moot.decide.odd_players import MISSING
from moot.measures.accuracy.sections import abstention_words, chosen_on_words
from moot.measures.askings import ANSWERED, PLAYER
from moot.measures.attendance.figures import unreached_words
from moot.measures.columns import count, names_teams, titled
from moot.measures.facts.figures import losses_remark, other_plans_words
from moot.measures.learnt_in_run import learnt_in_short
from moot.measures.reserved import FAILED_ID, NOT_TAKEN, PLUGIN_FAILURES
from moot.report.figures import Figures
from moot.report.nothing_played import ended_early_words
from moot.report.remarks import (
    cluster_words,
    grading_words,
    hypotheses_words,
    prove_nothing,
    simulated_words,
    unlisted_words,
    unplayed_words,
)
from moot.stats.counted_words import few_names
from moot.stats.paired import FEW_QUESTIONS
from moot.types import WITH_ANSWER

FEW_SENTENCES = 2
FELL_BACK = 0.25
"""On so large a part of its plays a rule that was to be learnt was none, which is told."""
FALL_BACKS = {BEST_SINGLE: "the best single", PLURALITY: "plurality"}
NO_ANSWER = "No answer in some of"
"""So begins what is told of plays without one."""
NAMES_SIGNS = 24
"""So many characters have the names of who never answered, which stand in the section."""


def remarks_of(figures: Figures, graded_by: str = "FILE", bounds: str = "--section accuracy") -> Iterator[str]:
    """What changes how the figures are to be read. Each is one line at the most. `graded_by`: what `moot grade` is given;
    `bounds`: where those of every row are."""
    if figures.get("kind") == "calibration":
        yield "A calibration run: kept apart from production runs and not part of their figures."
    if figures["simulated"]:
        yield simulated_words(figures)
    yield from learnt_in_short(figures)
    yield from weakened_words(figures)
    said = (figures.get("headline") or {}).get("words")
    if 0 < figures["questions"] < FEW_QUESTIONS and not said:  # which says so itself
        yield prove_nothing(figures)
    endings: Counter[str] = Counter()
    for row in figures["accuracy"]:
        endings.update(row["outcomes"])
    without = [(outcome, times) for outcome, times in endings.most_common() if outcome not in WITH_ANSWER]
    if without:
        named = ", ".join(f"{times:,} {outcome}" for outcome, times in without)
        never = _never_answered(figures)
        whose = f"; {few_names(never, room=NAMES_SIGNS)} never gave one" if never else ""
        yield f"{NO_ANSWER} {endings.total():,} episodes: {named}{whose} (--section outcomes)."
    if not (figures.get("headline") or {}).get("unreached"):  # which says so itself
        yield from unreached_words(figures.get("unreached", ()))
    abstentions = list(abstention_words(figures))
    yield from abstentions[:FEW_SENTENCES]
    if (more := len(abstentions) - FEW_SENTENCES) > 0:
        yield f"{count(more, 'more abstains', 'more abstain')} (--section abstention)."
    if undecided := endings["undecided"]:
        yield f"Undecided, so a fallback stands as the answer: {undecided:,} of {endings.total():,} episodes."
    yield from unplayed_words(figures)
    if cause := next((run.get("cause") for run in reversed(figures.get("runs", ()))), None):
        yield ended_early_words(cause)
    yield from chosen_on_words(figures)
    yield from figures.get("left_out", ())
    yield from grading_words(figures["accuracy"], f"moot grade {graded_by}", bounds)
    if losses := losses_remark(figures):
        yield losses
    if broken := figures.get(PLUGIN_FAILURES):
        it = "it" if len(broken) == 1 else "they"
        yield f"{count(len(broken), 'plug-in')} failed, and what {it} would report is missing (--section {FAILED_ID})."
    if not_taken := figures.get(NOT_TAKEN):
        yield f"Interrupted while computing figures; missing are those of {', '.join(not_taken)}."
    if hypotheses := figures.get("hypotheses"):
        yield hypotheses_words(hypotheses)


def weakened_words(figures: Figures) -> Iterator[str]:
    """What a team has less of than its name says: who was silent on a substantial part, in one line, and on how much of it what
    should have been learnt fell back on what needs no learning, in another."""
    silent = list(_often_silent(figures))
    if silent:
        yield f"{'; '.join(silent[:FEW_SENTENCES])}{_and_more(len(silent) - FEW_SENTENCES)}."
    fell_back = list(_fell_back(figures))
    if fell_back:
        yield f"{'; '.join(fell_back[:FEW_SENTENCES])}{_and_more(len(fell_back) - FEW_SENTENCES)} (--section voices)."


def _and_more(others: int) -> str:
    return f"; and {others:,} more" if others > 0 else ""


def _often_silent(figures: Figures) -> Iterator[str]:
    """Of who gave some answers; who never did is named elsewhere, and so is who could not be reached."""
    alone = {row["player"]: row["outcomes"] for row in figures["accuracy"] if row.get("player")}
    for row in figures.get("attendance", ()):
        said_nothing = row["refused"] + row["unanswered"]
        if row["office"] != PLAYER or not row[ANSWERED] or said_nothing < MISSING * row["asked"]:
            continue
        outcomes = Counter(alone.get(row["player"], {}))
        if outcomes.total():
            times = sum(outcomes[outcome] for outcome in ("refused", "unanswered"))
            yield f"{row['player']} said nothing to {times:,} of {outcomes.total():,}"
        else:
            yield f"{row['player']} said nothing in {said_nothing:,} of {count(row['asked'], 'play')}"


def _fell_back(figures: Figures) -> Iterator[str]:
    for row in figures.get("voices", ()):
        others = row["of"] - row["plays"]
        used, times = (FALL_BACKS[row["kept"]], row["plays"]) if row["kept"] in FALL_BACKS else ("another rule", others)
        if times and times >= FELL_BACK * row["of"]:
            yield f"{titled(row, team=names_teams(figures))} used {used} on {times:,} of {row['of']:,}"


def _never_answered(figures: Figures) -> list[str]:
    """Whoever alone gave no single answer, and what a team gave none in beside that, once each."""
    never = [row for row in figures["accuracy"] if row["outcomes"] and WITH_ANSWER.isdisjoint(row["outcomes"])]
    alone = {row["player"] for row in never if row.get("player")}
    led = [row for row in never if not row.get("player") and row.get("captain") not in alone]
    return [*(row["player"] for row in never if row.get("player")), *(titled(row) for row in led)]


def asides_of(figures: Figures) -> Iterator[str]:
    """What gives way where the rest is long, the last first: the verdict says it too, or every table can be read without."""
    if others := other_plans_words(figures):
        yield others
    if clusters := figures.get("clusters"):
        yield cluster_words(figures["questions"], clusters)
    yield from unlisted_words(figures)
