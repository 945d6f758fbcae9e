"""The headline in words: the verdict first, then what to know before believing it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from moot.measures.claims.cut_short import WHY
from moot.measures.claims.nobody_right import NOBODY_RIGHT, nobody_right_words
from moot.measures.claims.since_the_look import keys_changed_words, other_graders_words
from moot.measures.claims.taken_out import taken_out_sentences
from moot.measures.columns import on_whole_plays
from moot.measures.missing_words import missing_words, way_out
from moot.measures.numbers import between, plain, rounded, signed, signed_between
from moot.measures.points_words import in_points
from moot.stats.counted_words import count, few_names
from moot.stats.graded import settled
from moot.stats.paired import FEW_QUESTIONS

AFTER_THE_FACT = "after the fact"
NO_PRIMARY = "No primary was declared"
NOTHING_CLAIMED = (
    "The run is unfinished; slow answers, which are more often wrong, are still missing, so nothing is claimed"
)
"""Said first wherever figures of such a run are shown."""
CUT_SHORT = f"{NOTHING_CLAIMED}, and the intervals in its tables hold for the fast answers only."
"""The same above tables."""


def sentences(row: Mapping[str, Any]) -> list[str]:
    """The headline in words: the verdict first, then what to know before believing it. Where nobody was right about anything, no
    verdict: what is wrong then is hardly those who answered."""
    if (nobody := row.get(NOBODY_RIGHT)) is None:
        return _told(row)
    words = nobody_right_words(nobody)
    return [*words, *taken_out_sentences(row)] if nobody["whole"] else [*words, *_told(row)]


def _told(row: Mapping[str, Any]) -> list[str]:
    if row["value"] is None:
        return _nothing(row)
    graded = f" of the {row['n']:,} graded" if row["ungraded"] else ""
    right = f"{_share(row)}{graded}"
    reached = f"got {right} right"
    if in_points(row):
        reached = f"got {_share(row)} of the rubric's points{graded}"
    parts = [f"{_opening(row.get('questions', row['n']))} {_subject(row)} {reached}"]
    if over := row["over_best_single"]:
        best = f"the best single model{' that answered' if row.get('never_answered') else ''}"
        if over["difference"] is None or over.get("bounds"):
            against = [_in_per_cent(row, words) for words in _against_single(over, best)]
            return [f"{parts[0]}.", *against, *_at_what_cost(row, over), *doubts(row)]
        which = "" if _told_apart(over) else "which "
        apart = _in_per_cent(row, _than_single(over, best))
        parts += [f", {which}{apart}", f"; {_repairs(row, over)}" if over["n"] else ""]
    elif row["alone"] is False:
        parts.append(f"; {_nobody(row)}, so there is nothing to compare it with")
    if cost := _times(row):
        parts.append(f", {cost}")
    return ["".join(parts) + ".", *doubts(row)]


def _in_per_cent(row: Mapping[str, Any], words: str) -> str:
    """Beside the points of a rubric it has to be said which points are meant."""
    return words.replace(" points", " percentage points") if in_points(row) else words


def _abstains(row: Mapping[str, Any]) -> bool:
    """Then what it answered is another share, which stands beside this one."""
    return any("abstained" in (row.get(over) or ()) for over in ("over_best_single", "over_captain"))


def _nothing(row: Mapping[str, Any]) -> list[str]:
    if not row.get("ungraded") and (left_out := row.get("left_out")):
        none = f"none of its {left_out:,} questions has been played by all of its {_several(row)}"
        many = "how many points" if in_points(row) else "how many"
        return [f"Nobody knows {many} {_subject(row)} got{'' if in_points(row) else ' right'}: {none}."]
    if not row.get("ungraded") and row.get("why"):
        return [f"The primary, {row['of']}, has no figure: {row['why']}.", *_higher_row(row)]
    if not row.get("ungraded"):
        return ["Nothing has been played yet."]
    opening, bounds = _opening(row["questions"]), row["bounds"]
    if (bounds["low"], bounds["high"]) == (0.0, 1.0):
        unknown = "what points they get" if in_points(row) else "how many are right"
        return [f"{opening} no answer is graded yet, so nobody knows {unknown}."]
    subject = _subject({**row, "chosen": "only"})  # who is the highest is not known either
    what = "of the rubric's points" if in_points(row) else "right"
    return [f"{opening} {subject} got {between(bounds)} (bounds) {what}.", f"Nothing closer is known: {row['why']}."]


def ungraded_answers(many: float, what: str = "answer") -> str:
    return f"{many:,g} {what}{'s are' if many != 1 else ' is'} not graded"


def _opening(n: int) -> str:
    return f"On these {n:,} questions" if n != 1 else "On this one question"


def declared_late_words(row: Mapping[str, Any]) -> str:
    """Why a declared primary is a choice all the same."""
    if row.get("earlier_versions"):
        return "declared in advance and changed since"
    if row.get("questions_chosen"):
        return "declared before questions were taken out"
    return "declared when some answers were already known"


def _subject(row: Mapping[str, Any]) -> str:
    aside = {
        "declared": " (declared in advance)",
        "declared late": f" ({declared_late_words(row)})",
        AFTER_THE_FACT: f" ({_picked_from(row)})",
    }.get(row["chosen"], "")
    if row["alone"]:
        return f"{row['player'] or 'the players'} alone{aside}"
    several = not row["captain"] and (row["captains"] > 1 or row.get("cohorts"))
    return team_words(row, row.get("teams", 1), averaged=_several(row) if several else "", aside=aside)


def team_words(row: Mapping[str, Any], teams: int, *, averaged: str, aside: str) -> str:
    """Which team, how it decides and who leads it. A captain tells a team where there is no other."""
    named = bool(row["team"]) and (teams > 1 or not row["captain"])
    team = f'the team "{row["team"]}", deciding by' if named else "the team deciding by"
    captain = f" with {row['captain']} as captain" if row["captain"] else ""
    over = f", averaged over its {averaged}" if averaged else ""
    return f"{team} {row['label']}{captain}{over}{aside}{',' if named or over else ''}"


def _picked_from(row: Mapping[str, Any]) -> str:
    """Out of what it was chosen after the fact. Of those that are not in the file some may be higher."""
    kind = "players" if row["alone"] else "options"
    if not (unlisted := len(row.get("unlisted", ()))):
        return f"the best of {row['options']:,} {kind}{_ranked(row)}"
    return f"picked afterwards from {row['options']:,} {kind}, {unlisted:,} of them not in this file"


def _several(row: Mapping[str, Any]) -> str:
    if row.get("cohorts"):
        return f"{row['cohorts']:,} cohorts"
    return f"{row['captains']:,} captains" if row["captains"] > 1 else "players"


def _ranked(row: Mapping[str, Any]) -> str:
    """Said where not all of them have the same questions; who was not ranked is no part of "all"."""
    if not (on := row.get("ranked_on")):
        return ""
    return f" on the {count(on, 'question')} that all of {'these' if row.get('unranked') else 'them'} have"


def _share(row: Mapping[str, Any], paid: str = "") -> str:
    """`paid`: said within the interval."""
    value = f"{plain(row['value'])} %"
    return value if row["low"] is None else f"{value} ({plain(row['low'])}–{plain(row['high'])}{paid})"


def _paying(after: Mapping[str, Any]) -> str:
    """Why the lower end is below that of the same row in the table; nothing where only one could be ranked."""
    return "" if after.get("unranked") and not after.get("ranked_on") else "; the lower end allows for the choice"


def _nobody(row: Mapping[str, Any]) -> str:
    if row.get("never_answered"):
        return "no member of the team ever answered alone"
    return f"{'no member of the team' if row.get('played_alone') else 'no player'} played alone"


def _told_apart(over: Mapping[str, Any]) -> bool:
    """Whether there is a difference to tell: one that has no interval, or whose interval and bounds are of one side."""
    bounds = over.get("bounds")
    above = over["low"] is not None and over["low"] > 0 and settled(bounds, 0.0, above=True)
    below = over["low"] is not None and over["high"] < 0 and settled(bounds, 0.0, above=False)
    return over["low"] is None or above or below


def _than_single(over: Mapping[str, Any], best: str) -> str:
    """More or less only where interval and bounds say so: what is graded flatters who has much ungraded."""
    difference, single = over["difference"], f"{best}, {over['single']}"
    if over["low"] is None:
        return f"{signed(difference)} points against {single}"
    low, high = over["low"], over["high"]
    if not _told_apart(over):
        return f"cannot be told apart from {single} ({signed(difference)} points, {signed(low)} to {signed(high)})"
    if low > 0:
        return f"{plain(difference)} points ({plain(low)}–{plain(high)}) more than {single}"
    return f"{plain(-difference)} points ({plain(-high)}–{plain(-low)}) less than {single}"


def _against_single(over: Mapping[str, Any], best: str) -> list[str]:
    """The same where not all is graded, a sentence by itself: over which questions it is, and its bounds over all."""
    if not (bounds := over.get("bounds")):
        return [f"The difference from {best} is not known: {over['why']}."]
    if over["difference"] is None:
        told = f"That is {signed_between(bounds)} points against {best} (bounds; nothing closer is known)."
        return [told, f"Why: {over['why']}."]
    pairs = f"on the {count(over['n'], 'question')} graded for both"
    low, high = (signed(bounds[end]) for end in ("low", "high"))
    over_all = f"over all: {low}" if low == high else f"bounds over all: {low} to {high}"
    it = "That is" if _told_apart(over) else "It"
    return [f"{it} {_than_single(over, best)} {pairs}; {over_all}."]


def _at_what_cost(row: Mapping[str, Any], over: Mapping[str, Any]) -> list[str]:
    """What it repaired and spoilt, and what it took, in a sentence by itself."""
    parts = [_repairs(row, over)] if over["n"] else []
    if cost := _times(row):
        parts.append(f"it took {cost.partition(' ')[2]}")
    return [f"{words[:1].upper()}{words[1:]}."] if (words := "; ".join(parts)) else []


def _repairs(row: Mapping[str, Any], over: Mapping[str, Any]) -> str:
    """Against the same player as the difference."""
    fixed, made, single = over["rescues"], over["regressions"], over["single"]
    if fixed is None and in_points(row):
        return f"on how many questions it did better than {single} is not known"
    if fixed is None:
        return f"how many of {single}'s errors it fixed, and how many it made, is not known"
    graded = ", as far as both are graded" if over.get("bounds") else ""
    new, abstained = f"{made or 'no'} new one{'s' if made != 1 else ''}", over.get("abstained")
    if over["test"] != "mcnemar" or in_points(row):  # means over captains or repeats: no single errors to count
        new = f"worse on {made}"
        if abstained is None:
            return f"it did better than {single} on {count(fixed, 'question')} and {new}{graded}"
        apart = f"and abstained on {abstained} more that {single} did better on"
        return f"it did better than {single} on {count(fixed, 'question')}, {new}, {apart}{graded}"
    mended = f"it fixed {fixed or 'none'} of {single}'s errors"
    if abstained is None:
        return f"{mended} and made {new}{graded}"
    return f"{mended}, made {new}, and abstained on {abstained} that {single} had right{graded}"


def _times(row: Mapping[str, Any]) -> str:
    """Beside what the same player took; where nobody knows that, what the team took."""
    ratio, unknown = row["cost_ratio"], " (cost unknown)" if row.get("cost_usd") is None else ""
    if ratio is None:
        calls = row.get("calls")
        if calls is None:
            return "at a cost that is not known, since too many plays lack a call" if "cost_why" in row else ""
        beside = f", and beside one player nobody knows: {row['cost_why']}" if "cost_why" in row else ""
        return f"with {rounded(calls, 1)} calls a question{unknown}{beside}"
    over = on_whole_plays(row, row.get("n"))
    if row["cost_unit"] == "usd":
        return f"at {rounded(ratio, 1)} × the cost{over}"
    return f"with {rounded(ratio, 1)} × the calls{over}{unknown}"


def few_questions(row: Mapping[str, Any]) -> str | None:
    """Of a figure over few questions, or few clusters of them; None: it is over enough."""
    if row.get("clusters", row["n"]) >= FEW_QUESTIONS:
        return None
    few = "clusters of questions" if row["n"] >= FEW_QUESTIONS else "questions"
    return f"With fewer than {FEW_QUESTIONS} {few}, results are very uncertain."


def doubts(row: Mapping[str, Any]) -> list[str]:
    """What to know before believing the verdict."""
    told: list[str] = []
    if row.get("cut_short"):
        told.append(CUT_SHORT)
    elif interim := row.get("interim"):
        told.append(interim_words(interim))
    if unreached := row.get("unreached"):
        told.append(unreached_sentence(unreached))
    if (few := few_questions(row)) is not None:
        told.append(few)
    if row["ungraded"]:
        what = "play" if _abstains(row) else "answer"  # those without one are among them
        told.append(
            f"{ungraded_answers(row['ungraded'], what)}; over all of them the figure is {between(row['bounds'])} (bounds)."
        )
    if primary := row.get("primary_unmeasured"):
        told.append(f"The declared primary, {primary['of']}, has no figure: {primary['why']}.")
    if row["chosen"] in (AFTER_THE_FACT, "declared late") and row["options"] > 1:
        if row.get("earlier_versions"):
            why = "What the primary names was changed after it had been played"
        elif row.get("questions_chosen"):
            why = "Questions were taken out of the file after they had been played"
        elif row.get("primary_unmeasured"):
            why = "No figure of the primary is left"
        else:
            why = NO_PRIMARY if row["chosen"] == AFTER_THE_FACT else "The primary was declared late"
        allowed = "" if withheld_for(row) else ", and the intervals allow for it"
        said = row["chosen"] == AFTER_THE_FACT  # then the first sentence says how many of them are not in the file
        best = "the best" if said and not row.get("unlisted") else "one"
        told.append(
            f"{why}; this is {best} of {row['options']:,}, picked afterwards{allowed}.{'' if said else _unlisted(row)}"
        )
    told += taken_out_sentences(row)
    told += since_words(row)
    if silent := row.get("never_answered"):
        they, known = ("it is", "how good it is") if len(silent) == 1 else ("they are", "how good they are")
        told.append(
            f"Every call to {few_names(silent)} failed: {known} alone is unknown, and {they} not among the single models here."
        )
    if left_out := row.get("left_out"):
        are, them = ("questions are", "them") if left_out != 1 else ("question is", "it")
        told.append(f"{left_out:,} {are} left out: not all of its {_several(row)} have played {them}.")
    return [*told, *_not_ranked(row), *_higher_row(row)]


def unreached_words(row: Mapping[str, Any]) -> str:
    why = missing_words(row["who"], row.get("unrecorded", ()))
    return f"on {row['questions']:,} of {row['of']:,} questions {why} ({few_names(row['who'])})"


def withheld_for(headline: Mapping[str, Any]) -> str | None:
    """Why nothing is claimed although figures are there, as the last words of a sentence; None: what they claim stands."""
    if headline.get("cut_short"):
        return WHY
    unreached = headline.get("unreached") or {}
    return unreached_words(unreached) if unreached.get("withheld") else None


def gain_withheld_for(headline: Mapping[str, Any]) -> str | None:
    """Why nothing is claimed over the best single model: for the same, or since the ungraded answers could turn it round or make
    another player the best; None: what stands there is claimed, more or less or neither."""
    return withheld_for(headline) or (headline.get("over_best_single") or {}).get("why")


def claims_nothing_words(headline: Mapping[str, Any]) -> list[str]:
    """Said above tables that stand by themselves: why their run claims less than they seem to."""
    if nobody := headline.get(NOBODY_RIGHT):
        return nobody_right_words(nobody)[:1]
    if headline.get("cut_short"):
        return [CUT_SHORT]
    return [unreached_sentence(unreached)] if (unreached := headline.get("unreached")) else []


def unreached_sentence(row: Mapping[str, Any]) -> str:
    nothing = ", so nothing is claimed" if row["withheld"] else ""
    words = f"{unreached_words(row)}{nothing}; {way_out(row['who'], row.get('unrecorded', ()))}."
    return f"{words[:1].upper()}{words[1:]}"


def _higher_row(row: Mapping[str, Any]) -> list[str]:
    """Of all rows, where that is another one than this, and higher."""
    after = row["after_the_fact"]
    if not after or after["value"] is None or _as_high(row, after):
        return []
    worst = "without points" if in_points(row) else "wrong"
    highest = f"The best row even if all ungraded answers were {worst}" if "bounds" in after else "The best row"
    highest += _ranked(after)
    told = f"{highest}, {after['of']} with {_share(after, _paying(after))}, was picked afterwards."
    return [told, *([] if after.get("unranked") == row.get("unranked") else _not_ranked(after))]


def spare_sentences(row: Mapping[str, Any], *, told_below: bool = False) -> list[str]:
    """Sentences of the headline that it can be read without, the first to go first: that another row is higher, which every
    table shows; that nothing was declared, where the first sentence calls it the highest of so many; and who could not be
    reached, where nothing is withheld for it and that is told below the ending too."""
    spare = _higher_row(row)[:1] if row.get("after_the_fact") else []
    if row.get("chosen") == AFTER_THE_FACT:
        spare += [doubt for doubt in row["words"] if doubt.startswith(f"{NO_PRIMARY}; ")]
    if told_below and (unreached := row.get("unreached")) and not unreached["withheld"]:
        spare.append(unreached_sentence(unreached))
    if told_below:
        spare += [doubt for doubt in row.get("words", ()) if doubt.startswith("Every call to ")]
    return spare


def since_words(row: Mapping[str, Any]) -> list[str]:
    """What was changed once answers were there, and nothing can pay for."""
    words = []
    if changed := row.get("keys_changed"):
        words.append(f"{keys_changed_words(changed)}: corrections made more for one side favour that side.")
    if graders := row.get("other_graders"):
        words.append(
            f"{other_graders_words(graders)}: whose grades are shown here was a choice that nothing allows for."
        )
    return words


def _unlisted(row: Mapping[str, Any]) -> str:
    """Said where the file alone would not let one think so."""
    if not (unlisted := len(row.get("unlisted", ()))):
        return ""
    were = "was played on these questions and is" if unlisted == 1 else "were played on these questions and are"
    return f" {unlisted:,} of them {were} not in the file."


def interim_words(interim: Mapping[str, int]) -> str:
    """Who looks, goes on and looks again is lucky at some time, and nobody counts the looks."""
    played = f"{interim['played']:,} of {interim['planned']:,} episodes"
    return f"Interim results, after {played}: what they say holds for a single look."


def _as_high(row: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether the highest row is this one, or no higher: a player alone may be as good, and cost less."""
    if after["of"] == row["of"]:
        return True
    alike = after.get("ranked_on") == row.get("ranked_on") and not ("bounds" in after or row["ungraded"])
    return alike and row["value"] is not None and math.isclose(after["value"], row["value"], abs_tol=1e-9)


def _not_ranked(row: Mapping[str, Any]) -> list[str]:
    if not (unranked := row.get("unranked")):
        return []
    few = ", ".join(f"{each['of']} ({each['questions']:,})" for each in unranked)
    return [f"Not ranked, with too few questions in common with the others: {few}."]
