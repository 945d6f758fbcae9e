"""Attacks by a folder of prompts: templates are texts from anybody, and can neither run code, read files nor spend much."""

from __future__ import annotations

import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from moot.errors import FileError, UsageError
from moot.prompts import Prompts, bounds

SHOWN = "{{ question | block }}"

CODE = {
    "class": "{{ ''.__class__.__mro__ }}",
    "subclasses": "{{ question.__class__.__base__.__subclasses__() }}",
    "globals": "{{ question.strip.__globals__ }}",
    "cycler": "{{ cycler.__init__.__globals__.os.system('true') }}",
    "lipsum": "{{ lipsum.__globals__ }}",
    "self": "{{ self.__init__.__globals__ }}",
    "context": "{{ self._TemplateReference__context }}",
    "loop": "{% for letter in choices %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "format": "{{ '{0.__class__.__mro__}'.format(question) }}",
    "format map": "{{ '{a.__class__}'.format_map({'a': question}) }}",
    "format filter": "{{ '%s' | format(question.__class__) }}",
    "attr filter": "{{ question | attr('__class__') }}",
    "map attribute": "{{ choices | map(attribute='__class__') | list }}",
    "item": "{{ question['__class__'] }}",
    "joined name": "{{ question['__cla' ~ 'ss__'] }}",
    "selected by": "{{ choices | selectattr('__class__') | list }}",
    "sorted by": "{{ choices | sort(attribute='__class__') }}",
    "include": "{% include '/etc/passwd' %}",
    "import": "{% import '/etc/passwd' as stolen %}",
    "from": "{% from '/etc/passwd' import stolen %}",
    "extends": "{% extends '/etc/passwd' %}",
    "macro": "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
    "changes": "{% set _ = choices.append(1) %}",
    "random": "{{ choices | random }}",
    "caller": "{% call question.strip() %}x{% endcall %}",
    "debug": "{% debug %}",
}

LONG = "{% set t = 'aaaaaaaaaa' %}" + "{% set t = t ~ t %}" * 18
TWENTY = "{% for a in 'aaaaaaaaaaaaaaaaaaaa' %}"
MANY_OF_ONE = LONG + "{% set x = t.split('|') %}" + "{% set x = x + x %}" * 16
BRACKETS = "{% set t = '" + "<" * 150_000 + "' %}" + TWENTY * 2
PAIRS = "{% set t = 'ab' %}" + "{% set t = t ~ t %}" * 15 + "{% set s = t | replace('b', 'a') %}" + TWENTY * 2
BOMBS = {
    "range": "{% for a in range(10000) %}{% for b in range(10000) %}{% endfor %}{% endfor %}",
    "times": "{{ 'a' * 1000000000 }}",
    "times of a list": "{% for a in [1] * 1000000000 %}{% endfor %}",
    "power": "{{ 9 ** 9 ** 9 }}",
    "squares": "{% set n = 99999999 %}" + "{% set n = n * n %}" * 40 + "{{ n }}",
    "doubling": "{% set t = question %}" + "{% set t = t ~ t %}" * 40 + "{{ t }}",
    "adding": "{% set t = question %}" + "{% set t = t + t %}" * 40 + "{{ t }}",
    "blocks": "{% set t = question %}" + "{% set t %}{{ t }}{{ t }}{% endset %}" * 40 + "{{ t }}",
    "nested lists": "{% set t = question %}" + "{% set t = [t, t] %}" * 40 + "{{ t }}",
    "nested tuples": "{% set t = question %}" + "{% set t = (t, t) %}" * 40 + "{{ t }}",
    "dictionaries": "{% set t = question %}" + "{% set t = {'a': t, 'b': t} %}" * 40 + "{{ t }}",
    "percent": "{{ '%1000000000d' % 1 }}",
    "format": "{{ '%1000000000d' | format(1) }}",
    "format star": "{{ '%*d' | format(1000000000, 1) }}",
    "new style": "{{ '{:>1000000000}'.format(1) }}",
    "ljust": "{{ question.ljust(1000000000) }}",
    "center": "{{ question | center(1000000000) }}",
    "indent": "{{ question | indent(1000000000, true) }}",
    "replace": "{% set t = 'aaaaaaaa' %}" + "{% set t = t | replace('a', 'aaaaaaaa') %}" * 12 + "{{ t }}",
    "join": "{% set t = question %}" + "{% set t = t | join(t) %}" * 12 + "{{ t }}",
    "loops": "{% for a in q %}" * 0
    + "".join(f"{{% for a{n} in question | list %}}" for n in range(30))
    + "{% endfor %}" * 30,
    "recursive": "{% for a in choices recursive %}{{ loop(choices) }}{{ loop(choices) }}{% endfor %}",
    "wordwrap": "{{ question | wordwrap(1, wrapstring='a' * 1000000000) }}",
    "batches": "{% for a in choices | batch(1000000000, 'x') %}{% endfor %}",
    "round": "{{ 15 | round(-1000000000) }}",
    "a number of a text": LONG
    + "{% set n = t | int(0, 16) %}{% for a in t %}{% set n = n + n %}{{ n // 7 }}{% endfor %}",
    "divisible by": LONG + "{{ t | int(0, 16) is divisibleby(t | int(0, 36)) }}",
    "a number that is written out": "{% set n = 0x" + "f" * 90_000 + " %}{{ n // 7 % 2 }}",
    "differences": "{% set n = 99999999999999999999 %}" + "{% set n = n - (-n) %}" * 300 + "{{ n }}",
    "tests": LONG + TWENTY * 3 + "{{ t is upper }}" + "{% endfor %}" * 3,
    "equal": LONG + TWENTY * 3 + "{{ t is eq(t ~ 'b') }}" + "{% endfor %}" * 3,
    "selected by a test": LONG + "{{ t | select('in', t ~ 'b') | list | length }}",
    "changed": LONG + TWENTY * 3 + "{{ loop.changed(t ~ 'b') }}" + "{% endfor %}" * 3,
    "one by one": LONG + "{{ t | sort | length }}{{ t | unique | list | length }}{{ t | min }}",
    "joined at once": LONG + "{{ (" + " ~ ".join(["t"] * 2_000) + ") | length }}",
    "a list of one text": MANY_OF_ONE + "{{ x }}",
    "a list of one text, as text": MANY_OF_ONE + "{{ x | string | length }}",
    "a list of one text, as JSON": MANY_OF_ONE + "{{ x | tojson | length }}",
    "a list of one text, joined": MANY_OF_ONE + "{{ x | join('') | length }}",
    "a list of one list": "{% set x = question | list | map('list') | list %}"
    + "{% set x = x + x %}" * 12
    + "{% set y = x | map('list') | list %}{{ y | string | length }}" * 50,
    "parts": "{{ question[0] }}" * 11_000,
    "depth": "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
    "indented JSON": "{{ choices | tojson(indent=100000000) }}",
    "JSON indented by a text": "{{ choices | tojson(indent='" + "x" * 100_000 + "') }}",
    "JSON of JSON": "{{ question" + " | tojson" * 40 + " | length }}",
    "JSON of JSON that is constant": """{{ '"' """ + " | tojson" * 40 + " | length }}",
    "much that is constant": "{{ '" + "a" * 60_000 + "'" + " | upper | lower" * 1_000 + " }}",
    "a letter too few": "{{ question | truncate(2, end='.....') }}",
    "sorted by much": LONG + "{{ t | sort(attribute='" + ",".join("0" * 60_000) + "') | length }}",
    **{
        f"{name} by a long way": LONG + f"{{{{ t | {name}({key}'{'.'.join('0' * 60_000)}') | list | length }}}}"
        for name, key in {"map": "attribute=", "unique": "attribute=", "max": "attribute=", "selectattr": ""}.items()
    },
    "way after way": LONG + "{{ t" + " | map(attribute='0')" * 40 + " | list | length }}",
    "brackets": BRACKETS + "{{ t | block | length }}" + "{% endfor %}" * 2,
    "brackets in a line": BRACKETS + "{{ t | line | length }}" + "{% endfor %}" * 2,
    "a bracket before what is not seen": "{% set t = '<"
    + "\u200b" * 150_000
    + "' %}"
    + TWENTY * 2
    + "{{ t | block | length }}"
    + "{% endfor %}" * 2,
    **{
        name: PAIRS + f"{{{{ {does} | length }}}}" + "{% endfor %}" * 2
        for name, does in {
            "trimmed by many": "t | trim(s ~ 'b')",
            "stripped by many": "t.lstrip(s ~ 'b')",
            "split from the end": "(s ~ s).rsplit('ab' ~ s)",
            "parted from the end": "(s ~ s).rpartition('ab' ~ s)",
        }.items()
    },
    "words": "{% set t = '" + "a " * 90_000 + "' %}" + TWENTY + "{{ t | title | wordcount }}" + "{% endfor %}",
    "wide": "{{ '%9999d' | format(1) }}",
    "wide behind a sign": "{{ '%l%%999999999d' | format(1) }}",
    "many places": "{{ '%%%.999f' | format(1) }}",
    "many wide places": "{% set t = '%99.99f' %}{% set n = [1e308] %}"
    + "{% set t = t ~ t %}{% set n = n + n %}" * 18
    + "{{ t | format(*n) | length }}",
    "replaced without a count": "{% set t = 'a' %}"
    + "{% set t = t ~ t %}" * 14
    + "{{ t | replace('a', t, -1) | length }}",
    "much in a loop": LONG
    + "{% for a in t[:250000] %}"
    + "{% set b = loop.index or loop.first %}" * 500
    + "{% endfor %}",
    **{f"a text that is {test}": f"{{{{ '%999999999d' is {test} }}}}" for test in ("even", "odd", "divisibleby(3)")},
    "texts that are even": "{{ ['%999999999d'] | select('even') | list | length }}",
    "a text that is rounded": "{{ 'a' | round(9, 'floor') }}",
    "a list that is rounded": "{{ [1] | round(9, 'ceil') }}",
    "a number without an end": "{{ 1e400 }}",
    "a list without an end": "{{ [-1e400] | length }}",
    "words in a list": "{% set t = 'a b '.split('|') %}"
    + "{% set t = (t[0] ~ t[0]).split('|') %}" * 18
    + "{{ t | title | length }}",
    "decimals": "{% set t = [-1.2345678901234567e-300] %}"
    + "{% set t = t + t %}" * 15
    + "{% for a in 'aaaaaaaaaaaaaaaaaaaa' %}{{ t | string | length }}{% endfor %}",
    **{
        f"steps given back by {name}": given + LONG + "{% for a in t[:250000] %}{% endfor %}" * 2
        for name, given in {
            "an indent": "{% set x = choices | tojson(-1000000000000) %}",
            "what counts": "{% set x = question | map('moot counted', -1000000000000) | list %}",
        }.items()
    },
    "what counts": "{% set x = question | map('moot counted') | list %}",
    **{
        f"many lines that are {filter_}": "{% set t = '\\n\\n\\n\\n' %}"
        + "{% set t = t + t %}" * 16
        + f"{{% for a in 'aaaaaaaaaaaaaaaaaaaa' %}}{{{{ t | {filter_} | length }}}}{{% endfor %}}"
        for filter_ in ("quoted", "indent")
    },
    "many words on a line": "{% set t = 'a b ' %}"
    + "{% set t = t + t %}" * 17
    + "{% for a in 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' %}{{ t | line | length }}{% endfor %}",
    "slices": "{% for a in choices | slice(1000000000) %}{% endfor %}",
}


def folder_of(folder: Path, template: str) -> Path:
    (folder / "draft.j2").write_text(template + SHOWN, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", list(CODE))
def test_no_template_runs_code(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError) as refused:
        Prompts("en", folder_of(tmp_path, CODE[name])).check()
    assert "draft.j2" in str(refused.value)
    assert "root:" not in str(refused.value)


@pytest.mark.parametrize("name", list(BOMBS))
def test_no_template_spends_much(tmp_path: Path, name: str) -> None:
    started = time.process_time()
    with pytest.raises(FileError):
        Prompts("en", folder_of(tmp_path, BOMBS[name])).check()
    assert time.process_time() - started < 10


def test_no_template_makes_more_than_it_is_refused_for(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(FileError):
            Prompts("en", folder_of(tmp_path, BOMBS["replaced without a count"])).check()
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


LINES = "{% set t = 'я\\nя\\n' %}" + "{% set t = t + t %}"
QUOTES = """{% set t = '""" """""" "' %}" "" + "{% set t = t + t %}"
WAYS = {
    "quoted": LINES + "{% set t = t + t %}" * 20 + "{{ t | quoted | length }}",
    "in a line": LINES + "{% set t = t + t %}" * 20 + "{{ t | line | length }}",
    "indented": LINES + "{% set t = t + t %}" * 20 + "{{ t | indent(2) | length }}",
    "split": LINES + "{% set t = t + t %}" * 20 + "{{ t.splitlines() | length }}",
    "escaped": QUOTES + "{% set t = t + t %}" * 18 + "{% set u = t | e %}{% set v = t | e %}{{ t | length }}",
    "joined to what is escaped": QUOTES
    + "{% set t = t + t %}" * 18
    + "{% set s = '' | e %}{{ (s ~ t ~ t ~ t) | length }}",
}


@pytest.mark.parametrize("name", list(WAYS))
def test_what_takes_a_text_apart_takes_no_more_than_is_bearable(tmp_path: Path, name: str) -> None:
    prompts = Prompts("en", folder_of(tmp_path, WAYS[name]))
    tracemalloc.start()
    try:
        with suppress(FileError):
            prompts.check()
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("filter_", ["line", "quoted", "indent(2)"])
def test_long_inputs_are_written_without_a_list_of_their_parts(tmp_path: Path, filter_: str) -> None:
    question = "яж\n" * 100_000
    prompts = Prompts("en", tmp_path)
    (tmp_path / "draft.j2").write_text(f"{{{{ question | {filter_} }}}}", encoding="utf-8")
    tracemalloc.start()
    try:
        prompts.render("draft", question=question, choices=(), context=None, kind="open")
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_a_step_that_takes_long_ends_a_prompt_by_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_SECONDS", 0)
    loop = "{% for a in question %}{{ a | upper }}{% endfor %}"
    prompts = Prompts("en", folder_of(tmp_path, loop))
    with pytest.raises(UsageError, match="more than 0 seconds"):
        prompts.render("draft", question="x" * 1_000, choices=(), context=None, kind="open")


def test_what_is_refused_is_said_in_one_line_of_bearable_length(tmp_path: Path) -> None:
    for template in ("{{ " + "a" * 100_000 + " }}", "{% " + "a" * 100_000 + " %}", "{{ 1 is " + "a" * 100_000 + " }}"):
        with pytest.raises(FileError) as refused:
            Prompts("en", folder_of(tmp_path, template)).check()
        assert len(str(refused.value)) < 1_000


def test_long_inputs_and_many_numbers_are_written_as_json(tmp_path: Path) -> None:
    prompts = Prompts("en", folder_of(tmp_path, "{{ choices | tojson }}{{ context | tojson }}"))
    inputs = {"choices": tuple(n / 7 for n in range(20_000)), "context": "It was so.\n" * 100_000, "kind": "open"}
    assert len(prompts.render("draft", question="Who?", **inputs)) > 1_200_000


NESTED = {
    "how many": "{{ drafts | length }}{{ loop.index }}/{{ reviews | length }}",
    "by place": "{{ drafts[loop.index0][:20] }}{{ reviews[loop.index0] }}",
    "whether there is any": "{% if context is defined and context is not none and context | length > 9 %}x{% endif %}",
    "the first": "{{ drafts | first | length }}{{ reviews | last }}{{ context | default('none') | length }}",
    "shown": "{{ review | line }}{% if draft != review %}!{% endif %}",
}


@pytest.mark.parametrize("name", list(NESTED))
def test_drafts_may_stand_beside_all_reviews(name: str) -> None:
    own = {
        "many": "{# inputs: drafts, reviews, context #}{% for draft in drafts %}{{ draft | block }}"
        + f"{{% for review in reviews %}}{NESTED[name]}{{% endfor %}}{{% endfor %}}"
    }
    drafts, reviews = (tuple(f"{n} {word * 400}" for n in range(40)) for word in ("a<b, ", "word "))
    Prompts("en").bringing(own).render("many", drafts=drafts, reviews=reviews, context="It was so.\n" * 28_000)


def test_lists_within_lists_are_indented_as_far_as_they_are_paid_for(tmp_path: Path) -> None:
    deep: tuple[object, ...] = ("x",)
    for _ in range(200):
        deep = (deep,)
    prompts = Prompts("en", folder_of(tmp_path, "{{ choices | tojson(80) | length }}"))
    with pytest.raises(UsageError, match="more than"):
        prompts.render("draft", question="Who?", choices=(deep,) * 10, context=None, kind="open")
    few = prompts.render("draft", question="Who?", choices=(("A", "Ann"), ("B", "Bob")), context=None, kind="open")
    assert few.endswith("Who?")


def test_a_template_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    with (tmp_path / "draft.j2").open("wb") as file:
        file.truncate(2**36)  # nothing but holes: it takes no space
    with pytest.raises(FileError, match="is longer than"):
        Prompts("en", tmp_path).check()


def test_a_text_that_is_no_number_has_the_usual_one(tmp_path: Path) -> None:
    numbers = "{{ ('9' ~ question) | int(7) }} {{ '0x1f' | int(0, 16) }} {{ 2.567 | round(2) }} {{ 4 is even }} "
    prompts = Prompts("en", folder_of(tmp_path, numbers))
    shown = prompts.render("draft", question="9" * 100, choices=(), context=None, kind="open")
    assert shown.startswith("7 31 2.57 True")


def test_what_is_harmless_with_an_example_is_bounded_with_a_question(tmp_path: Path) -> None:
    """The example is short. A long question may make of the same template what the example did not."""
    quadratic = "{% for a in question %}{% for b in question %}{% endfor %}{% endfor %}"
    prompts = Prompts("en", folder_of(tmp_path, quadratic))
    prompts.check()
    inputs = {"choices": (), "context": None, "kind": "open"}
    assert prompts.render("draft", question="Who?", **inputs) == "Who?"
    started = time.process_time()
    with pytest.raises(UsageError, match=r"draft\.j2"):
        prompts.render("draft", question="x" * 100_000, **inputs)
    assert time.process_time() - started < 10


def test_strategies_of_others_are_bound_by_the_same(tmp_path: Path) -> None:
    own = {
        "plead": "{# inputs: question #}{{ question.__class__.__mro__ }}",
        "sum": "{# inputs: question #}{{ 1 + 1 }}",
    }
    prompts = Prompts("en").bringing(own)
    with pytest.raises(UsageError):
        prompts.render("plead", question="Who?")
    assert prompts.render("sum", question="Who?") == "2"


def test_what_prompts_need_is_there(tmp_path: Path) -> None:
    template = """{% set many = choices | length > 1 %}{% for letter, choice in choices %}
{{ loop.index }}/{{ loop.length }} {{ letter }}) {{ choice | line | upper }}{{ "," if not loop.last else "." }}
{% endfor %}{% if kind in ("choice", "yes-no") and many %}{{ question.strip().lower().startswith("w") }}{% endif %}
{{ choices | map("first") | join(", ") }} {{ "%.1f" | format(100 * 0.5) }} {{ loop_count | default("none") if false }}
{{ question[:2] }} {{ 7 % 2 }} {{ -3 // 2 }} {{ question | replace("W", "H") }} {{ (context or "-") ~ "!" }}
"""
    prompts = Prompts("en", folder_of(tmp_path, template.replace(' {{ loop_count | default("none") if false }}', "")))
    prompts.check()
    shown = prompts.render("draft", question="Who?", choices=(("A", "Ann"), ("B", "Bob")), context=None, kind="choice")
    assert "1/2 A) ANN," in shown
    assert "2/2 B) BOB." in shown
    assert "True" in shown
    assert "A, B 50.0" in shown
    assert "Wh 1 -2 Hho? -!" in shown


def test_a_long_question_is_no_bomb() -> None:
    text = "x" * 2_000_000
    assert text in Prompts("en").render("draft", question=text, choices=(), context=text, kind="open")


def test_inputs_that_are_full_of_brackets_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many: a model that says so much stops nothing."""
    monkeypatch.setattr(bounds, "MOST_LOOKED_AT", 1_000)
    question = "<a " * 1_000
    shown = Prompts("en", folder_of(tmp_path, "{{ question | line }}")).render(
        "draft", question=question, choices=(), context=None, kind="open"
    )
    assert len(shown) >= 2 * len(question) - 10


@pytest.mark.parametrize("filter_", ["line", "quoted", "indent(2)", "block"])
@pytest.mark.parametrize("text", ["\n", "a ", "<a "])
def test_inputs_bring_the_steps_to_show_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filter_: str, text: str
) -> None:
    """However many lines and words they have: a model that says so much stops nothing."""
    monkeypatch.setattr(bounds, "MOST_STEPS", 100)
    monkeypatch.setattr(bounds, "MOST_TEXT", 100)
    prompts = Prompts("en", folder_of(tmp_path, f"{{{{ question | {filter_} }}}}"))
    prompts.render("draft", question=text * 20_000, choices=(), context=None, kind="open")


def test_numbers_are_written_as_they_are_asked_for(tmp_path: Path) -> None:
    written = "{{ '%.1f %% of %+05d, %-10.2f|%s' | format(12.34, 7, 1, question) }} {{ 'two words' | title }} "
    shown = Prompts("en", folder_of(tmp_path, written)).render(
        "draft", question="Who?", choices=(), context=None, kind="open"
    )
    assert shown.startswith("12.3 % of +0007, 1.00      |Who? Two Words")


def test_what_is_short_is_stripped_and_split_from_either_end(tmp_path: Path) -> None:
    words = (
        "{{ question.strip('?! ') }} {{ question | trim('?') }} {{ question.rpartition(' ')[2] }} {{ '<b>' | block }} "
    )
    prompts = Prompts("en", folder_of(tmp_path, words))
    shown = prompts.render("draft", question="Who is it?", choices=(), context=None, kind="open")
    assert shown.startswith("Who is it Who is it it? <b>")
