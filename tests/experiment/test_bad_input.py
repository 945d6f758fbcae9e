"""Whatever is wrong in a file is said before the first call: where it stands, which key, and what was expected there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.runner import Runner
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment

GOOD_QUESTION = {"id": "1", "text": "Which city is the capital of France?", "answer": "Paris"}
GOOD = """\
name: cup
seed: 7
questions: {file: cup.jsonl}
models:
  tom: {provider: simulated, accuracy: 0.4}
"""
TOM = "  tom: {provider: simulated, accuracy: 0.4}\n"
ENDPOINT = "provider: endpoint, base_url: 'http://127.0.0.1:9/v1', model: m"


@dataclass(frozen=True)
class Bad:
    """A mistake and what must be said of it. `says` are parts of the one message, in any order."""

    id: str
    says: tuple[str, ...]
    yaml: str | bytes = GOOD
    files: Mapping[str, str | bytes] = field(default_factory=dict)


def models(text: str) -> str:
    """The good file with this model instead (its line is 5)."""
    return GOOD.replace(TOM, f"  tom: {{{text}}}\n")


def more(text: str) -> str:
    """The good file with a line more (its line is 6)."""
    return GOOD + text + "\n"


def questions(*rows: Any, **changed: Any) -> dict[str, str | bytes]:
    """A question file of these rows, or of the good question with some keys changed; None takes a key away."""
    if not rows:
        rows = ({key: value for key, value in {**GOOD_QUESTION, **changed}.items() if value is not None},)
    return {"cup.jsonl": "".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in rows)}


UNKNOWN_KEYS = [
    Bad(
        "a name for what is kept beside runs",
        ("cup.yaml:1: name", "ends with :served, :asked, :bought"),
        GOOD.replace("name: cup", "name: cup:served"),
    ),
    Bad(
        "top",
        ("cup.yaml:6: strategys: unknown key", "expected one of name, seed", "did you mean 'strategies'?"),
        more("strategys: [solo]"),
    ),
    Bad(
        "endpoint",
        (
            "cup.yaml:5: models.tom.base_ur: unknown key",
            "expected one of provider, base_url",
            "did you mean 'base_url'?",
        ),
        models("provider: endpoint, base_ur: x, model: m"),
    ),
    Bad(
        "local",
        ("models.tom.thread: unknown key", "did you mean 'threads'?"),
        models("provider: local, model: smollm2-135m, thread: 2"),
    ),
    Bad(
        "litellm",
        ("models.tom.prices: unknown key", "did you mean 'price'?"),
        models("provider: litellm, model: m, prices: {}"),
    ),
    Bad(
        "a price as others write it",
        ("models.tom.price.input: unknown key; expected one of prompt, completion, cached; did you mean 'prompt'?",),
        models("provider: litellm, model: m, price: {input: 1, output: 2}"),
    ),
    Bad(
        "more mistakes than are listed",
        ("(and 7 more: ", ", …)"),
        models("provider: simulated, a1: 0, a2: 0, a3: 0, a4: 0, a5: 0, a6: 0, a7: 0"),
    ),
    Bad(
        "simulated",
        (
            "models.tom.acuracy: unknown key",
            "expected one of accuracy, correlation",
            "(and 1 more: models.tom.accuracy)",
        ),
        models("provider: simulated, acuracy: 0.4"),
    ),
    Bad(
        "recorded",
        ("models.tom.path: unknown key; expected one of provider, file, model",),
        models("provider: recorded, file: r.jsonl, model: m, path: x"),
    ),
    Bad(
        "price",
        ("models.tom.price.input: unknown key; expected one of prompt, completion, cached",),
        models(ENDPOINT + ", price: {prompt: 1, completion: 1, input: 2}"),
    ),
    Bad(
        "limits",
        ("models.tom.limits.rps: unknown key; expected one of concurrent, rpm, tpm"),
        models(ENDPOINT + ", limits: {rps: 3}"),
    ),
    Bad(
        "retries",
        ("models.tom.retries.times: unknown key; expected one of attempts, total_s",),
        models(ENDPOINT + ", retries: {times: 3}"),
    ),
    Bad(
        "questions",
        ("cup.yaml:3: questions.samples: unknown key", "did you mean 'sample'?"),
        GOOD.replace("cup.jsonl", "cup.jsonl, samples: 3"),
    ),
    Bad(
        "players",
        ("cup.yaml:6: players.ann.instructions: unknown key", "did you mean 'instruction'?"),
        more("players: {ann: {model: tom, instructions: quick}}"),
    ),
    Bad(
        "teams",
        ("cup.yaml:6: teams.six.player: unknown key", "did you mean 'players'?"),
        more("teams: {six: {player: [tom]}}"),
    ),
    Bad(
        "question",
        ("cup.jsonl:1: anser: unknown key; expected one of id, text", "did you mean 'answer'?"),
        files=questions(anser="x"),
    ),
]

UNKNOWN_NAMES = [
    Bad(
        "model-of-player",
        ("cup.yaml:6: players.ann.model: unknown model 'tim'; expected", "tom"),
        more("players: {ann: {model: tim}}"),
    ),
    Bad(
        "player-of-team",
        ("cup.yaml:6: teams.six.players.1: unknown player 'tim'; expected", "tom"),
        more("teams: {six: {players: [tom, tim]}}"),
    ),
    Bad(
        "strategy",
        ("cup.yaml:6: strategies.0: strategy 'sollo' is unknown; expected one of", "solo"),
        more("strategies: [sollo]"),
    ),
    Bad(
        "strategy-option",
        ("cup.yaml:6: strategies.0.solo.talk_from: strategy 'solo' has no option 'talk_from'; expected drafts",),
        more("strategies: [solo: {talk_from: 3}]"),
    ),
    Bad(
        "instruction",
        (
            "cup.yaml:6: players.ann.instruction: instruction 'brake-down' is unknown; expected words of your own or one of",
            "did you mean 'break-down'?",
        ),
        more("players: {ann: {model: tom, instruction: brake-down}}"),
    ),
    Bad(
        "builtin-set",
        ("cup.yaml:3: questions.builtin: there is no built-in set 'general-eng'", "did you mean 'general-en'?"),
        GOOD.replace("file: cup.jsonl", "builtin: general-eng"),
    ),
    Bad(
        "provider",
        (
            "cup.yaml:5: models.tom.provider: 'simulate' is unknown; expected endpoint, local, litellm, simulated or recorded",
            "did you mean 'simulated'?",
        ),
        models("provider: simulate, accuracy: 0.4"),
    ),
    Bad(
        "provider-missing",
        ("cup.yaml:5: models.tom.provider: Field required; expected endpoint, local, litellm, simulated or recorded",),
        models("accuracy: 0.4"),
    ),
    Bad(
        "local-model", ("cup.yaml:5: models.tom", "gemma-9", "smollm2-135m"), models("provider: local, model: gemma-9")
    ),
    Bad("language", ("cup.yaml:6: language: expected en or ru, found 'de'",), more("language: de")),
    Bad("store", ("cup.yaml:6: store", "mysql", "sqlite"), more("store: mysql:///x")),
    Bad("home", ("cup.yaml", "~nobody-of-this-name"), GOOD.replace("cup.jsonl", "~nobody-of-this-name/cup.jsonl")),
    Bad(
        "player-twice",
        ("cup.yaml:6: teams.six.players.1: 'tom' sits at this table already",),
        more("teams: {six: {players: [tom, tom]}}"),
    ),
    Bad(
        "two-strategies-in-one",
        ("cup.yaml:6: strategies.0: expected the name of a strategy, or one name with its options",),
        more("strategies: [{solo: {}, vote: {}}]"),
    ),
    Bad(
        "strategy-options-no-mapping",
        ("cup.yaml:6: strategies.0: expected the name of a strategy",),
        more("strategies: [solo: 3]"),
    ),
]

WRONG_TYPES = [
    Bad("repeats-text", ("cup.yaml:6: repeats: expected a whole number, found '3'",), more("repeats: '3'")),
    Bad("repeats-true", ("repeats: expected a whole number, found true",), more("repeats: true")),
    Bad("repeats-zero", ("repeats: expected 1 or more, found 0",), more("repeats: 0")),
    Bad("repeats-half", ("repeats: expected a whole number, found 1.5",), more("repeats: 1.5")),
    Bad(
        "sample-zero",
        ("cup.yaml:3: questions.sample: expected a whole number, 1 or more, or auto; found 0",),
        GOOD.replace("cup.jsonl", "cup.jsonl, sample: 0"),
    ),
    Bad(
        "sample-text",
        ("questions.sample: expected a whole number, 1 or more, or auto; found 'all'",),
        GOOD.replace("cup.jsonl", "cup.jsonl, sample: all"),
    ),
    Bad(
        "seed-text",
        ("cup.yaml:2: seed: expected a whole number, found 'seven'",),
        GOOD.replace("seed: 7", "seed: seven"),
    ),
    Bad(
        "seed-too-long",
        ("cup.yaml:2: seed: expected a number of at most 64 bits, found 99999999999999999999",),
        GOOD.replace("seed: 7", "seed: 99999999999999999999"),
    ),
    Bad(
        "option-too-long",
        (f"cup.yaml:6: strategies.0.discuss.max_turns: expected a number of at most 64 bits, found {10**30}",),
        more(f"strategies: [{{discuss: {{max_turns: {10**30}}}}}]"),
    ),
    Bad(
        "option-of-thousands-of-digits",
        ("cup.yaml:6: strategies.1.adaptive.talk_from: expected a number of at most 64 bits, found 777", "…"),
        more(f"strategies: [solo, {{adaptive: {{talk_from: {'7' * 5000}}}}}]"),
    ),
    Bad("seed-null", ("cup.yaml:2: seed: expected a whole number, found nothing",), GOOD.replace("seed: 7", "seed:")),
    Bad("name-number", ("cup.yaml:1: name: expected a text, found 5",), GOOD.replace("name: cup", "name: 5")),
    Bad(
        "name-path",
        ("cup.yaml:1: name: expected letters, digits and . : _ - only, found '../cup'",),
        GOOD.replace("name: cup", "name: ../cup"),
    ),
    Bad("name-missing", ("cup.yaml: name: Field required; expected",), GOOD.replace("name: cup\n", "")),
    Bad("models-missing", ("models: Field required; expected keys and values",), GOOD.split("models:")[0]),
    Bad(
        "models-empty",
        ("cup.yaml:4: models: expected at least 1, found none",),
        GOOD.split("models:")[0] + "models: {}\n",
    ),
    Bad(
        "models-list",
        ("cup.yaml:4: models: expected keys and values, found a list",),
        GOOD.split("models:")[0] + "models: [tom]\n",
    ),
    Bad(
        "model-text",
        ("cup.yaml:5: models.tom: expected keys and values", "found 'simulated'"),
        GOOD.replace(TOM, "  tom: simulated\n"),
    ),
    Bad(
        "model-name-no-text",
        ("cup.yaml:5: not valid YAML: expected a text as key, found 'no'; put it in quotes",),
        GOOD.replace("  tom:", "  no:"),
    ),
    Bad(
        "key-no-text",
        ("cup.yaml:6: not valid YAML: expected a text as key, found 'on'; put it in quotes",),
        more("on: true"),
    ),
    Bad(
        "key-no-text-deep",
        ("cup.yaml:5: not valid YAML: expected a text as key, found 'null'; put it in quotes",),
        models(ENDPOINT + ", extra: {logit_bias: {null: 2}}"),
    ),
    Bad(
        "accuracy",
        ("cup.yaml:5: models.tom.accuracy: expected 1 or less, found 37",),
        models("provider: simulated, accuracy: 37"),
    ),
    Bad(
        "accuracy-nan",
        ("models.tom.accuracy: expected a finite number, found nan",),
        models("provider: simulated, accuracy: .nan"),
    ),
    Bad(
        "correlations",
        ("cup.yaml:5: models.tom: correlation and family_correlation must not add up to more than 1",),
        models("provider: simulated, accuracy: 0.4, family: f, correlation: 1"),
    ),
    Bad("stream", ("models.tom.stream: expected true or false, found 'oui'",), models(ENDPOINT + ", stream: oui")),
    Bad(
        "price-half",
        ("models.tom.price.completion: Field required; expected a number",),
        models(ENDPOINT + ", price: {prompt: 1}"),
    ),
    Bad(
        "price-negative",
        ("models.tom.price.prompt: expected 0 or more, found -1",),
        models(ENDPOINT + ", price: {prompt: -1, completion: 1}"),
    ),
    Bad(
        "params-list",
        ("models.tom.params: expected keys and values, found a list",),
        models(ENDPOINT + ", params: [max_tokens]"),
    ),
    Bad("budget-nothing", ("budget_usd: expected more than 0, found 0",), more("budget_usd: 0")),
    Bad("budget-infinite", ("budget_usd: expected a finite number, found inf",), more("budget_usd: .inf")),
    Bad("strategies-none", ("strategies: expected at least 1, found none",), more("strategies: []")),
    Bad(
        "team-without-players",
        ("teams.six.players: expected at least 1, found none",),
        more("teams: {six: {players: []}}"),
    ),
    Bad(
        "persona-list",
        ("players.ann.persona: expected a text, found a list",),
        more("players: {ann: {model: tom, persona: [a]}}"),
    ),
]

ENDPOINTS = [
    Bad(
        "url",
        ("cup.yaml:5: models.tom.base_url: expected an address such as http://", "found 'localhost:8001'"),
        models("provider: endpoint, base_url: 'localhost:8001', model: m"),
    ),
    Bad(
        "url-ipv6",
        ("models.tom.base_url: expected an address such as",),
        models("provider: endpoint, base_url: 'http://[::1/v1', model: m"),
    ),
    Bad(
        "url-port",
        ("models.tom.base_url: expected an address such as",),
        models("provider: endpoint, base_url: 'http://localhost:99999/v1', model: m"),
    ),
    Bad(
        "url-query",
        ("models.tom.base_url: expected an address without ? and #",),
        models("provider: endpoint, base_url: 'http://localhost/v1?key=3', model: m"),
    ),
    Bad(
        "url-password",
        ("models.tom.base_url: holds a user name or password; expected", "api_key_env"),
        models("provider: endpoint, base_url: 'http://me:hunter2@localhost/v1', model: m"),
    ),
    Bad("proxy", ("models.tom.proxy: expected an address",), models(ENDPOINT + ", proxy: somewhere")),
    Bad(
        "header-lines",
        ("models.tom.headers: X: expected a text in one line",),
        models(ENDPOINT + ', headers: {X: "a\\nb"}'),
    ),
    Bad(
        "key-unset",
        ("cup.yaml:5: models.tom.api_key_env", "MOOT_NO_SUCH_KEY is not set"),
        models(ENDPOINT + ", api_key_env: MOOT_NO_SUCH_KEY"),
    ),
    Bad(
        "key-unset-and-more",
        (
            "cup.yaml:",
            "strategies.0",
            "vtoe",
            "models.tom.api_key_env: the environment variable MOOT_NO_SUCH_KEY is not set",
        ),
        models(ENDPOINT + ", api_key_env: MOOT_NO_SUCH_KEY") + "strategies: [vtoe]\n",
    ),
    Bad(
        "params-messages",
        ("cup.yaml:5: models.tom.params: messages are ours to write",),
        models(ENDPOINT + ", params: {messages: []}"),
    ),
    Bad(
        "extra-model",
        ("models.tom.extra: model does not belong here: it is the key model",),
        models(ENDPOINT + ", extra: {model: m}"),
    ),
    Bad(
        "params-stream",
        ("models.tom.params: stream does not belong here: it is the key stream",),
        models(ENDPOINT + ", params: {stream: true}"),
    ),
    Bad(
        "max-tokens-text",
        ("models.tom.params: max_tokens: expected a whole number from 1 on, found '800'",),
        models(ENDPOINT + ", params: {max_tokens: '800'}"),
    ),
    Bad(
        "budget-without-price",
        ("cup.yaml:5: models.tom: has no price", "expected price"),
        models(ENDPOINT) + "budget_usd: 2\n",
    ),
    Bad(
        "budget-without-max-tokens",
        ("cup.yaml:5: models.tom: has a price but no max_tokens", "expected params"),
        models(ENDPOINT + ", price: {prompt: 1, completion: 2}") + "budget_usd: 2\n",
    ),
    Bad(
        "budget-without-max-tokens-of-several",
        ("cup.yaml:5: models.tom: has a price but no max_tokens", "The same of tim, tam"),
        models(ENDPOINT + ", price: {prompt: 1, completion: 2}")
        + "".join(f"  {name}: {{{ENDPOINT}, price: {{prompt: 1, completion: 2}}}}\n" for name in ("tim", "tam"))
        + "budget_usd: 2\n",
    ),
    Bad(
        "weights-below-nothing",
        ("strategies.0.weighted.weights: 'tom': expected a number from 0 to 100000, found -1",),
        models(ENDPOINT) + "strategies: [{weighted: {weights: {tom: -1}}}]\n",
    ),
    Bad(
        "limits-differ",
        ("cup.yaml:6: models.tim.limits: models 'tom' and 'tim' share http://127.0.0.1:9/v1", "expected the same"),
        models(ENDPOINT + ", limits: {rpm: 5}") + f"  tim: {{{ENDPOINT}, limits: {{rpm: 6}}}}\n",
    ),
    Bad(
        "certificate-missing",
        ("cup.yaml:5: models.tom.ca_file: no such file", "root.pem"),
        models(ENDPOINT + ", ca_file: root.pem"),
    ),
    Bad(
        "certificate-broken",
        ("cup.yaml:5: models.tom", "cannot load the certificate", "root.pem"),
        models(ENDPOINT + ", ca_file: root.pem"),
        {"root.pem": "none"},
    ),
]

YAML = [
    Bad(
        "syntax",
        ("cup.yaml:3: not valid YAML: while parsing a flow mapping",),
        "name: cup\nmodels: {tom: {provider: simulated\nseed: 1\n",
    ),
    Bad("tab", ("cup.yaml:2: not valid YAML: a tab: indent with spaces",), "name: cup\n\tseed: 1\n"),
    Bad("tab-between", ("cup.yaml:2: not valid YAML: a tab: put a space there",), "name: cup\nseed:\t1\n"),
    Bad("duplicate-key", ("cup.yaml:6: seed: stands here a second time; the first one is in line 2",), more("seed: 8")),
    Bad(
        "duplicate-deep",
        ("cup.yaml:5: models.tom.accuracy: stands here a second time",),
        models("provider: simulated, accuracy: 0.4, accuracy: 0.5"),
    ),
    Bad("list", ("cup.yaml:1: expected keys and values",), "- name: cup\n"),
    Bad("text", ("cup.yaml:1: expected keys and values",), "cup\n"),
    Bad("empty", ("cup.yaml: an empty file, neither an experiment nor a store; moot init writes an experiment",), ""),
    Bad("only-comments", ("cup.yaml: only comments; expected keys such as name, models, questions",), "# later\n"),
    Bad("two-documents", ("not valid YAML", "another document"), GOOD + "---\n" + GOOD),
    Bad("not-utf8", ("cup.yaml:1: expected UTF-8 text",), "name: чаша\n".encode("cp1251")),
    Bad("control-character", ("cup.yaml: not valid YAML",), more("store: a\x07b")),
    Bad(
        "surrogate",
        ("cup.yaml:6: players.ann.persona: expected text, found half of a surrogate pair",),
        more(r'players: {ann: {model: tom, persona: "\uD800"}}'),
    ),
    Bad(
        "tag",
        ("cup.yaml:6: not valid YAML: could not determine a constructor for the tag",),
        more("store: !!python/object:os.system x"),
    ),
    Bad("binary", ("cup.yaml:6: not valid YAML: could not determine a constructor",), more("store: !!binary aGVsbG8=")),
    Bad("no-number-by-its-tag", ("cup.yaml: not valid YAML",), more('seed: !!int ""')),
    Bad("no-switch-by-its-tag", ("cup.yaml: not valid YAML",), more("seed: !!bool x")),
    Bad("a-letter-of-no-number", ("cup.yaml: not valid YAML",), more(r'language: "\UFFFFFFFF"')),
    Bad("itself", ("nested deeper",), more("store: &a [*a]")),
    Bad(
        "billion-laughs",
        ("aliases of aliases",),
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)),
    ),
    Bad("deep", ("nested deeper",), "name: " + "[" * 3000 + "]" * 3000),
]

QUESTIONS = [
    Bad(
        "no-questions-key",
        ("cup.yaml: questions: Field required; expected {file: ...} or {builtin: ...}",),
        GOOD.replace("questions: {file: cup.jsonl}\n", ""),
    ),
    Bad(
        "two-sources",
        ("cup.yaml:3: questions: expected one of file, hub and builtin, and not several",),
        GOOD.replace("cup.jsonl", "cup.jsonl, builtin: general-en"),
    ),
    Bad(
        "missing-file",
        ("cup.yaml:3: questions.file: no such file", "nothing.jsonl"),
        GOOD.replace("cup.jsonl", "nothing.jsonl"),
    ),
    Bad(
        "suffix",
        ("cup.doc: unknown kind of question file '.doc'; expected .jsonl, .json, .csv, .parquet",),
        GOOD.replace("cup.jsonl", "cup.doc"),
        {"cup.doc": "?"},
    ),
    Bad("empty-file", ("cup.jsonl: no questions in it",), files={"cup.jsonl": "\n\n"}),
    Bad(
        "duplicate-id",
        ("cup.jsonl:3: id: '1' is the question of line 1 already",),
        files=questions(GOOD_QUESTION, "\n", GOOD_QUESTION),
    ),
    Bad("no-reference", ("cup.jsonl:1: answer: the reference is missing", "null"), files=questions(answer=None)),
    Bad("empty-reference", ("cup.jsonl:1: answer: the reference is missing",), files=questions(answer=" ")),
    Bad(
        "no-such-letter",
        ("cup.jsonl:1: answer: expected one of the letters A, B, found 'C'",),
        files=questions(choices=["x", "y"], answer="C"),
    ),
    Bad(
        "reference-of-choice-in-words",
        ("answer: expected one of the letters A, B, found 'x'; it is a choice's text: write `answers: texts`",),
        files=questions(choices=["x", "y"], answer="x"),
    ),
    Bad(
        "reference-of-choice-as-position",
        ("found '2'; write `answers: from-0` or `answers: from-1` under `questions` if it is a position",),
        files=questions(choices=["x", "y"], answer="2"),
    ),
    Bad("yes-no", ("answer: expected yes or no, found 'maybe'",), files=questions(kind="yes-no", answer="maybe")),
    Bad("kind", ("kind: expected open, choice, yes-no or text, found 'quiz'",), files=questions(kind="quiz")),
    Bad("kind-without-choices", ("kind: 'choice' needs choices",), files=questions(kind="choice")),
    Bad("empty-text", ("cup.jsonl:1: text: expected a text that is not empty",), files=questions(text="  ")),
    Bad("no-id", ("cup.jsonl:1: id: expected a text that is not empty",), files=questions(id=None)),
    Bad("text-list", ("text: expected a text, found a list",), files=questions(text=["?"])),
    Bad("one-choice", ("choices: expected 2 to 26 choices, found 1",), files=questions(choices=["x"], answer="A")),
    Bad(
        "27-choices",
        ("choices: expected 2 to 26 choices, found 27",),
        files=questions(choices=[f"c{n}" for n in range(27)], answer="A"),
    ),
    Bad(
        "empty-choice",
        ("choices: expected a list of texts, none of them empty",),
        files=questions(choices=["x", ""], answer="A"),
    ),
    Bad(
        "choices-text", ("choices: expected a list of texts, found a text",), files=questions(choices="x|y", answer="A")
    ),
    Bad(
        "human-more-solved-than-asked",
        ("human: expected", "solved ≤ asked"),
        files=questions(human={"solved": 5, "asked": 3}),
    ),
    Bad("human-nobody", ("human: expected", "asked > 0"), files=questions(human="0/0")),
    Bad("human-words", ("human: expected",), files=questions(human="many")),
    Bad("human-true", ("human: expected",), files=questions(human={"solved": True, "asked": 3})),
    Bad("year-text", ("year: expected a whole number, found a text",), files=questions(year="1999")),
    Bad("flag-text", ("lemmatize: expected true or false, found a text",), files=questions(lemmatize="yes")),
    Bad("meta-list", ("meta: expected an object, found a list",), files=questions(meta=[1])),
    Bad("accepted-text", ("accepted: expected a list of texts, found a text",), files=questions(accepted="Lutetia")),
    Bad(
        "surrogate",
        ("cup.jsonl:1: text: holds half of a surrogate pair",),
        files={"cup.jsonl": '{"id": "1", "text": "\\ud800", "answer": "x"}'},
    ),
    Bad("nul", ("cup.jsonl:1: text: holds a NUL",), files=questions(text="a\x00b")),
    Bad("no-json", ("cup.jsonl:2: expected one JSON object a line",), files=questions(GOOD_QUESTION, "{broken\n")),
    Bad("json-list", ("cup.jsonl:1: expected one JSON object a line",), files={"cup.jsonl": "[1]\n"}),
    Bad("deep-json", ("cup.jsonl:1: expected one JSON object a line",), files={"cup.jsonl": "[" * 100_000}),
    Bad(
        "not-utf8",
        ("cup.jsonl:2: expected UTF-8 text",),
        files={"cup.jsonl": json.dumps(GOOD_QUESTION).encode() + b'\n{"id": "\xff"}\n'},
    ),
    Bad(
        "csv-cells",
        ("cup.csv:2: more cells than the header has columns",),
        GOOD.replace("cup.jsonl", "cup.csv"),
        {"cup.csv": "id,text,answer\n1,a,b,c\n"},
    ),
    Bad(
        "csv-column-twice",
        ("cup.csv:1: text: two columns have this name",),
        GOOD.replace("cup.jsonl", "cup.csv"),
        {"cup.csv": "id,text,text\n1,a,b\n"},
    ),
    Bad(
        "csv-unknown-column",
        ("cup.csv:1: riddles, acepted: unknown key", "did you mean 'accepted'?"),
        GOOD.replace("cup.jsonl", "cup.csv"),
        {"cup.csv": "id,text,answer,riddles,acepted\n1,a,b,c,d\n"},
    ),
    Bad(
        "csv-no-reference",
        ("cup.csv:3: answer: the reference is missing", "[UNKNOWN]"),
        GOOD.replace("cup.jsonl", "cup.csv"),
        {"cup.csv": 'id,text,answer\n1,"a",b\n2,"a\nb",\n'},
    ),
    Bad(
        "csv-list",
        ("cup.csv:2: accepted: begins like JSON and is not",),
        GOOD.replace("cup.jsonl", "cup.csv"),
        {"cup.csv": 'id,text,answer,accepted\n1,a,b,"[""x"""\n'},
    ),
    Bad(
        "csv-open-quote",
        ("cup.csv:", "not valid CSV"),
        GOOD.replace("cup.jsonl", "cup.csv"),
        {"cup.csv": 'id,text,answer\n1,"a,b\n'},
    ),
    Bad(
        "parquet",
        ("cup.parquet: not a readable Parquet file",),
        GOOD.replace("cup.jsonl", "cup.parquet"),
        {"cup.parquet": b"PAR1 and then nothing"},
    ),
]

RECORDING = models("provider: recorded, file: r.jsonl, model: gpt")
REPLY = {"model": "gpt", "question_id": "1", "answer": "x"}


def recorded(*rows: Any) -> dict[str, str | bytes]:
    return {"r.jsonl": "".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in rows)}


RECORDED = [
    Bad("missing", ("r.jsonl: no such file of recorded replies",), RECORDING),
    Bad(
        "other-models",
        ("r.jsonl: model: holds no replies of 'gpt'; expected", "gpt-4", "did you mean 'gpt-4'?"),
        RECORDING,
        recorded({**REPLY, "model": "gpt-4"}),
    ),
    Bad("empty", ("r.jsonl: model: holds no replies of 'gpt'", "none at all"), RECORDING, recorded("")),
    Bad("no-json", ("r.jsonl:2: expected one JSON object a line",), RECORDING, recorded(REPLY, "{\n")),
    Bad("list", ("r.jsonl:1: expected one JSON object a line",), RECORDING, recorded("[]\n")),
    Bad(
        "unknown-key",
        ("r.jsonl:1: reply: unknown key; expected one of model, question_id",),
        RECORDING,
        recorded({**REPLY, "reply": "x"}),
    ),
    Bad(
        "no-question",
        ("r.jsonl:1: question_id: expected a text that is not empty",),
        RECORDING,
        recorded({"model": "gpt", "answer": "x"}),
    ),
    Bad("answer-number", ("r.jsonl:1: answer: expected a text or null",), RECORDING, recorded({**REPLY, "answer": 4})),
    Bad("text-number", ("r.jsonl:1: text: expected a text or null",), RECORDING, recorded({**REPLY, "text": 4})),
    Bad(
        "sample-true",
        ("r.jsonl:1: sample: expected a whole number from 0 on",),
        RECORDING,
        recorded({**REPLY, "sample": True}),
    ),
    Bad("twice", ("r.jsonl:2: a second reply of 'gpt' to '1', sample 0",), RECORDING, recorded(REPLY, REPLY)),
    Bad("not-utf8", ("r.jsonl:1: expected one JSON object a line",), RECORDING, {"r.jsonl": b'{"model": "\xff"}\n'}),
]

PROMPTS = more("prompts: words")
TEMPLATES = [
    Bad("folder-missing", ("words: prompts: expected a folder of .j2 templates",), PROMPTS),
    Bad(
        "folder-empty",
        ("words: prompts: expected .j2 templates in this folder, found none",),
        PROMPTS,
        {"words/notes.md": "x"},
    ),
    Bad(
        "unknown-template",
        ("drafts.j2: no prompt has this name; expected one of again, ", "did you mean 'draft'?"),
        PROMPTS,
        {"words/drafts.j2": "x"},
    ),
    Bad(
        "unknown-input",
        ("draft.j2: uses reference; the inputs of this prompt are: choices, context, kind, question",),
        PROMPTS,
        {"words/draft.j2": "{{ question }} {{ reference }}"},
    ),
    Bad(
        "question-not-shown",
        ("draft.j2: never shows the question; expected {{ question | block }}",),
        PROMPTS,
        {"words/draft.j2": "Answer!"},
    ),
    Bad(
        "input-in-instruction",
        ("slow.j2: uses question; the inputs of this prompt are: none",),
        PROMPTS,
        {"words/instructions/slow.j2": "{{ question }}"},
    ),
    Bad(
        "template-syntax",
        ("draft.j2:2: not a valid template",),
        PROMPTS,
        {"words/draft.j2": "{{ question }}\n{% if %}"},
    ),
    Bad(
        "template-filter",
        ("draft.j2:1: not a valid template", "bloc"),
        PROMPTS,
        {"words/draft.j2": "{{ question | bloc }}"},
    ),
    Bad("template-attribute", ("draft.j2:1: cannot be filled in",), PROMPTS, {"words/draft.j2": "{{ question.text }}"}),
    Bad("template-not-utf8", ("draft.j2: expected UTF-8 text",), PROMPTS, {"words/draft.j2": b"{{ question }} \xff"}),
]

GROUPS = {
    "unknown-key": UNKNOWN_KEYS,
    "unknown-name": UNKNOWN_NAMES,
    "wrong-type": WRONG_TYPES,
    "endpoint": ENDPOINTS,
    "yaml": YAML,
    "questions": QUESTIONS,
    "recorded": RECORDED,
    "prompts": TEMPLATES,
}
CASES = [pytest.param(bad, id=f"{group}-{bad.id}") for group, listed in GROUPS.items() for bad in listed]


def written(folder: Path, bad: Bad) -> Path:
    for name, content in {**questions(GOOD_QUESTION), **bad.files, "cup.yaml": bad.yaml}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / "cup.yaml"


@pytest.fixture
def uncalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts a run fails the test; and no key of the environment counts."""

    async def run(self: Runner) -> None:
        raise AssertionError("a run was started")

    monkeypatch.setattr(Runner, "run", run)
    monkeypatch.delenv("MOOT_NO_SUCH_KEY", raising=False)


@pytest.mark.usefixtures("uncalled")
@pytest.mark.parametrize("bad", CASES)
def test_a_mistake_is_named_before_anything_is_called(
    bad: Bad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, bad)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    assert run_app(app, ["run", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"moot: {tmp_path}")
    assert err.count("\n") == 1, "one message, and no traceback"
    for words in bad.says:
        assert words in err
    assert sorted(tmp_path.rglob("*")) == before, "no store is made for a file that is wrong"


@pytest.mark.usefixtures("uncalled")
def test_the_good_file_would_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the table above would prove nothing."""
    assert run_app(app, ["run", str(written(tmp_path, Bad("good", ())))]) != 2
    assert "a run was started" in capsys.readouterr().err


@pytest.mark.usefixtures("uncalled")
def test_a_secret_in_an_address_is_not_repeated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = next(each for each in ENDPOINTS if each.id == "url-password")
    run_app(app, ["run", str(written(tmp_path, bad))])
    assert "hunter2" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_no_such_file(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, [command, str(tmp_path / "no.yaml")]) == 2
    assert capsys.readouterr().err == f"moot: {tmp_path}/no.yaml: no such file\n"


def test_a_folder_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["run", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"moot: {tmp_path}: cannot be read: Is a directory\n"


SHELLED = {"strategy": UNKNOWN_NAMES, "duplicate-id": QUESTIONS, "budget-without-price": ENDPOINTS}


@pytest.mark.parametrize(("name", "group"), SHELLED.items(), ids=SHELLED)
def test_the_same_through_a_shell(name: str, group: list[Bad], tmp_path: Path) -> None:
    bad = next(each for each in group if each.id == name)
    command = [sys.executable, "-c", "from moot.cli import main; main()", "run", str(written(tmp_path, bad))]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    for words in bad.says:
        assert words in done.stderr
    assert not list(tmp_path.glob("*.db"))


def test_a_variable_that_many_models_want_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERTEX_KEY", raising=False)
    monkeypatch.delenv("OTHER_KEY", raising=False)
    keys = {"ann": "VERTEX_KEY", "bob": "OTHER_KEY", "cat": "VERTEX_KEY", "dan": "VERTEX_KEY"}
    models = {
        name: {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": key}
        for name, key in keys.items()
    }
    path = tmp_path / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"builtin": "facts-en"}, "models": models}))
    with pytest.raises(FileError) as caught:
        build(read_experiment(path))
    assert caught.value.problem == (
        "the environment variable VERTEX_KEY is not set (so it is for models.cat.api_key_env, models.dan.api_key_env);"
        " models.bob.api_key_env: the environment variable OTHER_KEY is not set"
    )


@pytest.mark.parametrize(
    ("key", "address"),
    [
        ("base_url", "https://host.test/v1?key=AIzaSecret"),
        ("base_url", "https://host.test/v1#AIzaSecret"),
        ("base_url", "htps://host.test/v1?key=AIzaSecret"),
        ("proxy", "htps://host.test/v1?key=AIzaSecret"),
    ],
)
def test_what_may_be_a_key_in_an_address_is_not_repeated(key: str, address: str, tmp_path: Path) -> None:
    keys = {"provider": "endpoint", "base_url": "https://a.test/v1", "model": "m", key: address}
    path = tmp_path / "team.yaml"
    path.write_text(json.dumps({"name": "one", "models": {"tom": keys}, "strategies": ["solo"]}))
    with pytest.raises(FileError) as refused:
        read_experiment(path, with_questions=False)
    assert "//host.test/v1" in str(refused.value)
    assert "AIza" not in str(refused.value)
