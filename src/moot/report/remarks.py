"""Remarks below a report: what its figures cannot say by themselves, and what must not be overlooked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from moot.data.clusters import AskedTwice
from moot.measures.accuracy.sections import chosen_on_words
from moot.measures.attendance.figures import absent_words, unreached_words
from moot.measures.claims.since_the_look import keys_changed_words
from moot.measures.columns import Figures, Row, count, names_teams, titled
from moot.measures.facts.figures import PLAN_SIGNS, losses_remark, prompts_remark
from moot.measures.learnt_in_run import learnt_in_short
from moot.measures.numbers import money, percent, rounded, shown
from moot.measures.points_words import in_points
from moot.measures.quiz.sections import talk_from_words, threshold_cost_words
from moot.measures.rubric.sections import agreement_words, own_words
from moot.models.cut_out import CUT_FROM_ANSWER
from moot.report.nothing_played import ended_early_words
from moot.stats.counted_words import few_names
from moot.stats.paired import FEW_QUESTIONS


def remarks(figures: Figures) -> list[str]:
    lines = []
    if figures.get("kind") == "calibration":
        lines.append("A calibration run: kept apart from production runs and not part of their figures.")
    if figures["simulated"]:
        lines.append(simulated_words(figures))
    lines += learnt_in_short(figures)
    if 0 < figures["questions"] < FEW_QUESTIONS:
        lines.append(prove_nothing(figures))
    if clusters := figures.get("clusters"):
        lines.append(cluster_words(figures["questions"], clusters))
    several = names_teams(figures)
    worth = "its share of points" if in_points(figures) else "right"
    lines += [_ungraded(row, titled(row, team=several), worth) for row in figures["accuracy"] if row["ungraded"]]
    if judges := figures.get("judges"):
        kappa = "–" if judges["kappa"] is None else rounded(judges["kappa"], 2)
        agreement = f"agree on {percent(judges['agreement'])} of {judges['n']} answers (kappa {kappa})"
        lines.append(f"The judges {' and '.join(judges['judges'])} {agreement}.")
    if rubric := figures.get("rubric"):
        lines += [*agreement_words(rubric), *own_words(rubric)]
    for of_team in figures.get("teams") or [figures]:
        if learnt := of_team.get("talk_threshold"):
            lines.append(_threshold(learnt, of_team.get("team")))
    if front := front_words(figures):
        lines.append(front)
    if taken := figures.get("measurement"):
        calls = f"{taken['calls']} calls ({money(taken['cost_usd'])})"
        lines.append(
            f"Matching captains' answers to drafts took {calls}, counted as measurement and in no strategy's cost."
        )
    if losses := losses_remark(figures):
        lines.append(losses)
    if others := figures.get("other_plans"):
        each = ", ".join(f"{plan['id'][:PLAN_SIGNS]} of {count(plan['questions'], 'question')}" for plan in others)
        lines.append(f"The store holds other plans under this name, not shown here: {each} (--plan).")
    lines += unlisted_words(figures)
    lines += chosen_on_words(figures)
    lines += figures.get("left_out", ())
    if prompts := figures.get("prompts"):
        lines.append(prompts_remark(prompts))
    lines += unplayed_words(figures)
    if cause := next((run.get("cause") for run in reversed(figures.get("runs", ()))), None):
        lines.append(ended_early_words(cause))
    lines += unreached_words(figures.get("unreached", ()))
    lines += absent_words(figures.get("attendance", ()))
    lines += [
        f"{failure['model']}: {count(failure['times'], 'call')} failed ({failure['kind']}: {failure['message']})"
        for failure in figures["failures"]
    ]
    return lines


def unplayed_words(figures: Figures) -> Iterator[str]:
    """Of how many there are to be, so that it can be held against what a run says is kept."""
    missing = sum(row["missing"] for row in figures["accuracy"])
    if missing:
        played = sum(sum(row["outcomes"].values()) for row in figures["accuracy"])
        are = "is" if missing == 1 else "are"
        of_all = f"{missing:,} of {count(missing + played, 'episode')}"
        yield f"{of_all} {are} not played yet: run the file again to resume."


def cluster_words(questions: int, clusters: Row) -> str:
    asked = f"The {count(questions, 'question')}"
    if played := clusters.get("questions"):
        asked = f"The {count(played, 'question')} that {'was' if played == 1 else 'were'} played"
    together = f"{asked} form {count(clusters['clusters'], 'cluster')}"
    few = ""
    if clusters["clusters"] < FEW_QUESTIONS:
        few = f" With fewer than {FEW_QUESTIONS} of them, results are very uncertain."
    twice = f"{AskedTwice(**clusters['asked_twice'])}. " if "asked_twice" in clusters else ""
    return f"{twice}{together} (up to {clusters['largest']} each), and each cluster counts as one in intervals and tests.{few}"


def unlisted_words(figures: Figures) -> list[str]:
    """The headline pays for what was played and is not in the file, and so do the tables."""
    if not (unlisted := len((figures.get("headline") or {}).get("unlisted", ()))):
        return []
    were, are, their = ("was", "is", "its") if unlisted == 1 else ("were", "are", "their")
    others = f"{count(unlisted, 'other option')} {were} played on these questions and {are} not in this file"
    return [f"{others}: the tables are adjusted for {their} rows too."]


LONG_ANSWERS = "a reference alone cannot say whether one is right (docs/long-answers.md)"
CUT_ANSWERS = f"{CUT_FROM_ANSWER} (docs/models.md)"
FEEDBACK = "nobody has said what is right (POST /v1/feedback, docs/serve.md)"


def grading_words(rows: Sequence[Row], grade: str, bounds: str) -> Iterator[str]:
    """What has no grade, and what gives it one."""
    if parts := ungraded_parts(rows, grade):
        yield f"{'; '.join(parts)} (bounds: {bounds})."


def ungraded_parts(rows: Sequence[Row], grade: str) -> list[str]:
    """Whoever has to speak: a judge, by command; a person where there is none or judges differ; and who asked, where nobody
    has said yet what is right, since no command knows that."""
    cut, disputed, unsaid, for_a_person, long_answers = (
        sum(row.get(name, 0) for row in rows) for name in ("cut", "disputed", "unsaid", "for_a_person", "long_answers")
    )
    to_judge = sum(row["ungraded"] for row in rows) - cut - disputed - unsaid - for_a_person - long_answers
    parts = []
    if to_judge:
        parts.append(f"{count(to_judge, 'answer')} without a grade: {grade}")
    if for_a_person:
        parts.append(f"{count(for_a_person, 'answer')} for a person to grade: {grade} --settle")
    if disputed:
        parts.append(f"{count(disputed, 'answer')} disputed: {grade} --settle")
    if unsaid:
        parts.append(f"{count(unsaid, 'answer')} without a grade, as {FEEDBACK}")
    if long_answers:
        parts.append(f"{count(long_answers, 'long answer')} without a grade: {LONG_ANSWERS}")
    if cut:
        parts.append(f"{count(cut, 'answer')} without a grade: {CUT_ANSWERS}")
    return parts


def hypotheses_words(hypotheses: Sequence[Row]) -> str:
    """How those stand that were declared beforehand, which no exploratory one is counted with."""
    declared = [row for row in hypotheses if row["frozen"]]
    changed = sum(bool(row.get("earlier_versions")) for row in hypotheses)
    late = len(hypotheses) - len(declared) - changed
    verdicts = Counter(row["verdict"] for row in declared)
    answers = [f"{verdicts[verdict]:,} {verdict}" for verdict in ("confirmed", "refuted", "open")]
    parts = [
        f"{len(declared):,} declared",
        *(answers if declared else ()),
        *([f"{changed:,} changed since"] if changed else ()),
        *([f"{late:,} exploratory"] if late else ()),
    ]
    since = f"; {changed_keys[:1].lower()}{changed_keys[1:]}" if (changed_keys := _changed_keys(hypotheses)) else ""
    return f"Hypotheses: {', '.join(parts)}{since} (--section hypotheses)."


def _changed_keys(hypotheses: Sequence[Row]) -> str:
    many = next((row["keys_changed"] for row in hypotheses if row.get("keys_changed")), 0)
    return keys_changed_words(many) if many else ""


def simulated_words(figures: Figures) -> str:
    return f"Simulated, not real: {few_names(figures['simulated'])}."


def prove_nothing(figures: Figures) -> str:
    prove = "proves" if figures["questions"] == 1 else "prove"
    return f"{count(figures['questions'], 'question')} {prove} nothing: see how wide the intervals are."


def front_words(figures: Figures, most: int | None = None) -> str | None:
    """Who is on the frontier, at most so many; where not all options have the same questions, on which it is."""
    rows = [row for row in figures.get("frontier", ()) if row["on_frontier"] and row["accuracy"] is not None]
    if not rows:
        return None
    on = rows[0].get("ranked_on")
    none = f"On the {count(on, 'question')} that all of them have, none" if on else "None"
    rest = f" and {count(len(rows) - most, 'other')}" if most is not None and len(rows) > most else ""
    return f"{none} is both cheaper and better than {_front(rows[:most])}{rest} (picked afterwards)."


def _front(rows: Sequence[Row]) -> str:
    return ", ".join(f"{row['of']} ({percent(row['accuracy'])} at {_cost(row)})" for row in rows)


def _cost(row: Row) -> str:
    if row["unit"] == "usd":
        return f"{shown(row['cost'], 'usd-per-question')} per 1,000"
    return f"{rounded(row['cost'], 1)} calls a question"


def _ungraded(row: Row, title: str, worth: str) -> str:
    disputed = f", {row['disputed']} of them disputed" if row["disputed"] else ""
    low, high = row["bounds"]["low"], row["bounds"]["high"]
    return f"{title}: {row['ungraded']} ungraded{disputed}; {worth} lies between {percent(low)} and {percent(high)}."


def _threshold(learnt: Row, team: str | None) -> str:
    """Beside the two that never look: always voting, always talking."""
    if learnt["talk_from"] is None:
        return f"{talk_from_words(learnt, team)}."
    arms = {"by_threshold": "so", "always_vote": "always voting", "always_talk": "always talking"}
    parts = [f"{name} {percent(learnt[arm]['accuracy'])} at {_price(learnt[arm])}" for arm, name in arms.items()]
    return f"{talk_from_words(learnt, team)}. On unseen questions {', '.join(parts)}." + "".join(
        f" {words}" for words in threshold_cost_words(learnt, team)
    )


def _price(arm: Row) -> str:
    """In money, or in calls where money says nothing."""
    if arm["calls"] is None:
        return "unknown cost"
    if not arm["cost_usd"]:
        return f"{rounded(arm['calls'], 1)} calls a question"
    return f"{shown(arm['cost_usd'], 'usd-per-question')} per 1,000 questions"
