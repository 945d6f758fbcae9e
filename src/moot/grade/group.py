"""Grouping by meaning, in stages, each of which says what it did.

1. Equal once normalised, as the grader without a model takes two answers for one. 2. Equal once lemmatised, in any word
order. 3. A grouping model, one call a question, whose reply must be a partition of exactly the answers that are left
apart; or, offline, the cosine of embeddings. Where the model gives no partition the stages before stand, and the
grouping says so. Letters and yes/no need only the first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Protocol, TypeVar

from moot.grade.amounts import amount_key
from moot.grade.lemmas import lemma_key
from moot.grade.match import alike, alike_but_for_marks, may_say_less, told_apart
from moot.grade.normalise import normalise, spelled, too_long
from moot.grade.units import differ_in_unit, units
from moot.models.cut_out import was_cut
from moot.team import Player, Team
from moot.team.final_line.letters import short_yes_no
from moot.team.forms import Unusable, object_schema
from moot.types import Answer, Case, Grouping, Question

Node = TypeVar("Node", bound=Hashable)

GROUPING = "grouping"
"""The name under which the grouping model stands in a transcript."""


MOST_COMPARED = 2_000
"""Pairs of which one has brackets or a sign of percent. No team gives more."""


class Similarity(Protocol):
    """Whether two answers mean the same, without asking a model."""

    def same(self, one: str, other: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Stages:
    """The staged grouper. With neither a model nor an embedding it stops after the lemmas."""

    model: Player | None = None
    similarity: Similarity | None = None
    reference: str | None = None
    """Shown to the grouping model, as one paper does; in play there is none."""

    @property
    def tells_meanings(self) -> bool:
        """Whether it can say of other words that they mean the same."""
        return self.model is not None or self.similarity is not None

    accepted: tuple[str, ...] = ()
    """What else is right, shown with it."""

    def knowing(self, case: Case) -> Stages:
        """The same grouper, told the reference of this case. A strategy never sees it."""
        return replace(self, reference=case.answer, accepted=case.accepted)

    def prompt(self, question: Question, texts: Sequence[str], team: Team) -> str:
        """What the grouping model is asked about these texts."""
        known = {"reference": self.reference, "accepted": self.accepted if self.reference is not None else ()}
        return team.prompts.render("group", question=question.text, answers=list(texts), **known)

    async def group(self, question: Question, answers: Sequence[Answer], team: Team) -> Grouping:
        """An answer with a part cut out stands alone, and nobody is asked about it: what it said nobody knows."""
        told = [answer for answer in answers if answer.text is not None]
        if not any(was_cut(answer.text) for answer in told):
            return await self._group(question, told, team)
        whole = await self._group(question, [answer for answer in told if not was_cut(answer.text)], team)
        return with_cut_alone(told, whole)

    async def _group(self, question: Question, answers: Sequence[Answer], team: Team) -> Grouping:
        clusters = _by_words(question, answers)
        if not question.is_long and question.kind != "open":
            return _grouping(clusters)
        return await self._by_meaning(question, clusters, team)

    async def _by_meaning(self, question: Question, clusters: list[Cluster], team: Team) -> Grouping:
        if len(clusters) < 2:
            return _grouping(clusters)
        if self.model is not None:
            return await self._by_model(question, clusters, team)
        if self.similarity is not None:
            return _grouping(_by_similarity(clusters, self.similarity))
        return _grouping(clusters)

    async def _by_model(self, question: Question, clusters: list[Cluster], team: Team) -> Grouping:
        assert self.model is not None
        texts = [cluster.text for cluster in clusters]
        prompt = self.prompt(question, texts, team)
        form = PartitionForm(len(texts))
        heard = await team.ask(self.model, question, prompt, form, stage=GROUPING)
        if heard.value is None:
            return replace(_grouping(clusters), fell_back=heard.cause)
        return _grouping([_joined([clusters[n] for n in part], "model") for part in heard.value])


def grouped_by_words(question: Question, answers: Sequence[Answer]) -> Grouping:
    """As `Stages` without a model and a measure of similarity, which asks nobody."""
    told = [answer for answer in answers if answer.text is not None]
    whole = [answer for answer in told if not was_cut(answer.text)]
    grouping = _grouping(_by_words(question, whole))
    return grouping if len(whole) == len(told) else with_cut_alone(told, grouping)


def _by_words(question: Question, answers: Sequence[Answer]) -> list[Cluster]:
    clusters = [Cluster((answer.player,), answer.text or "") for answer in answers]
    if question.is_long:  # equal but for their spaces; what they mean is for whoever reads them
        return merged(clusters, "normalised", key=lambda text: " ".join(text.split()))
    if question.kind != "open":
        said = short_yes_no if question.kind == "yes-no" else str
        return merged(clusters, "normalised", key=lambda text: spelled(said(text), question.language))
    clusters = _as_graded(clusters, question.language)
    return clusters if len(clusters) < 2 else _by_lemmas(clusters, question.language)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Players who are taken to say the same, in the words of the first of them."""

    players: tuple[str, ...]
    text: str
    stage: str = "alone"


def merged(clusters: Sequence[Cluster], stage: str, key: Any) -> list[Cluster]:
    """Clusters with the same key become one. One alone is what it is: it may be megabytes, and keys take long then."""
    if len(clusters) < 2:
        return list(clusters)
    together: dict[str, list[Cluster]] = {}
    for cluster in clusters:
        together.setdefault(key(cluster.text), []).append(cluster)
    return [_joined(group, stage) for group in together.values()]


def _by_lemmas(clusters: Sequence[Cluster], language: str) -> list[Cluster]:
    """What the stage before has looked at and left apart, such as 3! and 3, stays apart."""
    together: dict[str, list[Cluster]] = {}
    for cluster in clusters:
        together.setdefault(lemma_key(cluster.text, language), []).append(cluster)
    joined: list[Cluster] = []
    for group in together.values():
        apart = any(told_apart(one.text, other.text, language) for one, other in combinations(group, 2))
        joined += group if apart else [_joined(group, "lemmas")]
    return joined


def _as_graded(clusters: list[Cluster], language: str) -> list[Cluster]:
    """Clusters of which each would be right, were another the reference, become one: what is right is never two parties.

    Whatever is joined is alike each with each, or 1, 5 would make one of [1, 5] and (1, 5), and J.R.R. of J R R and JRR.
    """
    if len(clusters) < 2:  # it may be megabytes
        return clusters
    texts = list(dict.fromkeys(cluster.text for cluster in clusters))
    short = [text for text in texts if not too_long(text)]
    keys = [{text: spelled(text, language) for text in texts}, {text: normalise(text) for text in short}]
    keys.append({text: key for text in short if (key := amount_key(text, language)) is not None})
    links = [
        (one, other)
        for of_text in keys
        for bucket in _buckets(of_text)
        for one, other in combinations(bucket, 2)
        if alike(one, other, language)
    ]
    groups = [part for group in _components(texts, links) for part in _clear_parts(group, keys, language)]
    marked = [text for text in short if units(text) or may_say_less(text, language)]
    if marked and len(marked) * len(short) <= MOST_COMPARED:
        groups = _joined_by_marks(groups, marked, short, language)
    home = {text: place for place, group in enumerate(groups) for text in group}
    together: dict[int, list[Cluster]] = {}
    for cluster in clusters:
        together.setdefault(home[cluster.text], []).append(cluster)
    return [_joined(group, "normalised") for group in together.values()]


def _clear_parts(group: list[str], keys: Sequence[Mapping[str, str]], language: str) -> list[list[str]]:
    """The group where all of it is alike; else by the first reading whose own groups are; else each alone."""
    for parts in ([group], *([*_buckets({text: key[text] for text in group if text in key})] for key in keys)):
        if sum(map(len, parts)) == len(group) and all(
            alike(one, other, language) for part in parts for one, other in combinations(part, 2)
        ):
            return parts
    return [[text] for text in group]


def _buckets(keys: Mapping[str, str]) -> Iterable[list[str]]:
    buckets: dict[str, list[str]] = {}
    for text, key in keys.items():
        buckets.setdefault(key, []).append(text)
    return buckets.values()


def _joined_by_marks(
    groups: list[list[str]], marked: Sequence[str], short: Sequence[str], language: str
) -> list[list[str]]:
    pairs = {
        frozenset((one, other))
        for one in marked
        for other in short
        if one != other and alike_but_for_marks(one, other, language)
    }
    alike_groups = {
        frozenset((place, behind))
        for place, behind in combinations(range(len(groups)), 2)
        if all(frozenset((one, other)) in pairs for one in groups[place] for other in groups[behind])
    }
    joined: list[list[str]] = []
    for places in _components(range(len(groups)), [tuple(sorted(pair)) for pair in alike_groups]):
        clear = all(frozenset(pair) in alike_groups for pair in combinations(places, 2))
        parts = [places] if clear else [[place] for place in places]
        joined += [[text for place in part for text in groups[place]] for part in parts]
    return joined


def _components(nodes: Sequence[Node], links: Iterable[tuple[Node, ...]]) -> list[list[Node]]:
    """Whatever is linked, be it by others between."""
    home = {node: [node] for node in nodes}
    for one, other in links:
        if home[one] is not home[other]:
            home[one] += home[other]
            for node in tuple(home[other]):
                home[node] = home[one]
    return list({id(group): group for group in home.values()}.values())


def _joined(group: Sequence[Cluster], stage: str) -> Cluster:
    if len(group) == 1:
        return group[0]
    return Cluster(tuple(player for cluster in group for player in cluster.players), group[0].text, stage)


def _by_similarity(clusters: Sequence[Cluster], similarity: Similarity) -> list[Cluster]:
    """Each cluster joins the first group all of whose answers it resembles: likeness is not handed on."""
    groups: list[list[Cluster]] = []
    for cluster in clusters:
        home = next((g for g in groups if all(_similar(cluster.text, member.text, similarity) for member in g)), None)
        if home is None:
            groups.append([cluster])
        else:
            home.append(cluster)
    return [_joined(group, "embedding") for group in groups]


def _similar(one: str, other: str, similarity: Similarity) -> bool:
    return not differ_in_unit(one, other) and similarity.same(one, other)


def with_cut_alone(answers: Sequence[Answer], whole: Grouping) -> Grouping:
    """These answers grouped, if `whole` says who of those said the same of which no part is missing."""
    seats = [answer.player for answer in answers]
    alone = [((answer.player,), "alone") for answer in answers if was_cut(answer.text)]
    told = [*zip(whole.groups, whole.stages, strict=True), *alone]
    told.sort(key=lambda each: seats.index(each[0][0]))
    return replace(whole, groups=tuple(group for group, _ in told), stages=tuple(stage for _, stage in told))


def _grouping(clusters: Sequence[Cluster]) -> Grouping:
    return Grouping(tuple(cluster.players for cluster in clusters), tuple(cluster.stage for cluster in clusters))


@dataclass(frozen=True, slots=True)
class PartitionForm:
    """``{"groups": [[1, 3], [2]]}``: every number once."""

    letters: ClassVar[str] = ""
    size: int

    @property
    def schema(self) -> Mapping[str, Any]:
        number = {"type": "integer", "minimum": 1, "maximum": self.size}
        group = {"type": "array", "items": number, "minItems": 1, "maxItems": self.size}
        groups = {"type": "array", "items": group, "minItems": 1, "maxItems": self.size}
        return object_schema({"groups": groups})

    def read(self, data: Mapping[str, Any]) -> list[list[int]]:
        groups = data.get("groups")
        if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
            raise Unusable("no-field")
        numbers = [number for group in groups for number in group]
        if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
            raise Unusable("no-partition")
        if sorted(numbers) != list(range(1, self.size + 1)):
            raise Unusable("no-partition")
        parts = [sorted(number - 1 for number in group) for group in groups if group]
        return sorted(parts)
