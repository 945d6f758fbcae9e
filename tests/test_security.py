"""Each statement of SECURITY.md has a test that attacks it; and what an experiment folder from a stranger can and cannot do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.errors import MootError, UsageError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment

ROOT = Path(__file__).parent.parent

TRIED = {
    "run code, read files, see variables, spend more than a moment": "tests/prompts/test_sandbox.py",
    "see, grade or forget another's; learn where the models are": "tests/serve/test_owners.py",
    "and the page, forget one question so": "tests/serve/test_forgotten_episode.py",
    "sanitises what comes of it": "tests/serve/test_page_text.py",
    "Nothing is installed or imported because a folder holds it": "tests/test_security.py",
    "its value goes to the address beside it": "tests/test_security.py",
    "What stands in a question file or a prompt goes to the models": "tests/test_security.py",
    "no link leads out of it": "tests/data/test_documents.py",
    "writes no key, header, address of an endpoint or proxy": "tests/report/publish/test_publish.py",
    "no name runs anything": "tests/report/publish/test_publish.py",
    "said with file and line": "tests/test_security.py",
    "no other site can use or read a server on your machine": "tests/serve/test_doors.py",
    "What was asked before there were owners is the admins'": "tests/serve/test_owners.py",
    "in a sandbox without an origin": "tests/serve/test_owners.py",
    "Links out of the folder are not followed": "tests/serve/test_owners.py",
    "Errors tell clients neither addresses nor keys": "tests/serve/test_discretion.py",
    "no word of a question, an answer or what an endpoint said": "tests/serve/test_log_words.py",
    "is told as one line without its words": "tests/models/test_wordless_logs.py",
    "in a process of yours, what libraries log and warn of is yours": "tests/models/test_wordless_logs.py",
    "that is a 503 and not the client's mistake": "tests/serve/test_schemas.py",
    "leave no line in the log": "tests/serve/test_hangups.py",
    "in an address within an address too": "tests/models/test_spelt_secrets.py",
    "4 bytes in digits, of 6 in base64": "tests/models/test_spelt_secrets.py",
    "a process that ends after five seconds of work": "tests/serve/test_schemas.py",
    "A schema without a verdict is looked at again after a minute at the earliest": "tests/serve/test_schemas.py",
    "trailers are let fall": "tests/serve/test_connections.py",
    "at most 16 requests may stand in line": "tests/serve/test_connections.py",
    "the oldest that ask nothing make room": "tests/serve/test_connections.py",
    "a minute for the pauses together": "tests/serve/test_connections.py",
    "take the memory of the machine": "tests/models/test_intake.py",
    "keep the server from others": "tests/models/test_floods.py",
    "refused before the first call": "tests/store/test_odd_money.py",
    "open no account: neither lifts a cap": "tests/store/test_odd_money.py",
    "`budget_usd` holds over kills and over all processes of a store": "tests/engine/test_money_attacks.py",
    "what names none counts in that of its runs": "tests/engine/test_cap_without_a_store.py",
    "no path of anything that the experiment names elsewhere": "tests/report/publish/test_places_elsewhere.py",
    "it writes those that something stored of the run names, and no others": "tests/report/publish/test_publish.py",
    "also for a client that hangs up": "tests/serve/test_day_cap.py",
    "none pays for a call that the other makes": "tests/engine/test_money_attacks.py",
    "stops the run before it could cross the cap again": "tests/engine/test_money_attacks.py",
    "what leaves from then on is held at as many times its most, also what had waited for room": "tests/models/test_budget.py",
    "One that says nothing is counted at its most": "tests/models/test_budget.py",
    "however short they are": "tests/engine/test_secrets.py",
    "what was spent stays as a sum": "tests/serve/test_purge.py",
    "no file of a SQLite store holds the words any more": "tests/serve/test_purge.py",
    "PostgreSQL every table is written anew": "tests/serve/test_purge.py",
    "found by the words of the question": "tests/serve/test_purge.py",
    "those of judges and all that failed": "tests/serve/test_purge.py",
    "a longer answer equals itself alone": "tests/grade/test_long_answers.py",
    "`params` hold no address, key or header": "tests/models/test_litellm.py",
    "over all servers of a store": "tests/serve/test_day_cap.py",
    "A model goes one call at a time under a cap until its first bill": "tests/engine/test_money_attacks.py",
    "as many as the day has room for": "tests/serve/test_day_cap.py",
    "what is not shown is not read": "tests/serve/test_long_past.py",
    "digits or base64 write them: any of their letters by its number or name": "tests/models/test_spelt_secrets.py",
    "its `logprobs` included": "tests/engine/test_secrets.py",
    "also with its aliases written out": "tests/experiment/test_strangers_file.py",
    "not a file, such as a pipe or a device, is refused": "tests/hostile/test_files.py",
    "computed table stands for one of ours is refused": "tests/store/test_strangers_store.py",
    "a text that a spreadsheet would compute has an apostrophe": "tests/report/test_formulas.py",
}


def test_every_statement_stands_in_the_page_and_has_its_test() -> None:
    page = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
    for statement, place in TRIED.items():
        assert statement in page, statement
        assert (ROOT / place).is_file(), place


def test_the_figures_of_the_page_are_those_of_the_code() -> None:
    from moot.serve.connections import Connections
    from moot.serve.schema_checks import SchemaChecks

    page = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
    limits = Connections()
    assert f"{limits.patience.headers_s:g} s for its headers and {limits.patience.body_s:g} s for its body" in page
    assert f"{limits.per_address} may come from one address" in page
    assert (limits.patience.unread_s, limits.patience.read_bytes_s) == (60.0, 16 * 1024)
    assert SchemaChecks.__init__.__kwdefaults__["most_s"] == 5.0


TEAM: dict[str, Any] = {
    "name": "gift",
    "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")},
    "teams": {"two": {"players": ["ann", "bob"]}},
    "strategies": ["vote"],
}


def built(folder: Path, **more: Any) -> Any:
    path = folder / "gift.yaml"
    path.write_text(yaml.safe_dump({**TEAM, **more}), encoding="utf-8")
    return build(read_experiment(path, with_questions="questions" in more))


@pytest.mark.parametrize("key", ["strategies", "grader", "provider"])
def test_code_that_lies_in_the_folder_is_not_run(tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under every name by which a file names code; also from inside of the folder, as somebody would run it."""
    monkeypatch.chdir(tmp_path)
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n"
    for name in ("evil.py", "moot_evil.py", "conftest.py", "sitecustomize.py"):
        (tmp_path / name).write_text(trap, encoding="utf-8")
    (tmp_path / "evil-1.0.dist-info").mkdir()
    (tmp_path / "evil-1.0.dist-info" / "METADATA").write_text("Name: evil\nVersion: 1.0\n", encoding="utf-8")
    groups = "\n".join(f"[moot.{kind}]\nevil = evil:Evil\n" for kind in ("strategies", "graders", "models", "measures"))
    (tmp_path / "evil-1.0.dist-info" / "entry_points.txt").write_text(groups, encoding="utf-8")
    files: dict[str, dict[str, Any]] = {
        "strategies": {"strategies": ["evil"]},
        "grader": {"grader": "evil"},
        "provider": {"models": {**TEAM["models"], "ann": {"provider": "evil"}}},
    }
    with pytest.raises(MootError, match="evil"):
        built(tmp_path, **files[key])
    assert not (tmp_path / "sprung").exists()


def test_yaml_makes_no_objects(tmp_path: Path) -> None:
    path = tmp_path / "gift.yaml"
    path.write_text(f"name: !!python/object/apply:os.system ['touch {tmp_path}/sprung']\n", encoding="utf-8")
    with pytest.raises(UsageError):
        read_experiment(path, with_questions=False)
    assert not (tmp_path / "sprung").exists()


def test_a_file_may_name_files_outside_of_its_folder(tmp_path: Path) -> None:
    """What the page warns of is so."""
    outside = tmp_path / "outside.jsonl"
    outside.write_text(json.dumps({"id": "1", "text": "my diary", "answer": "x"}) + "\n", encoding="utf-8")
    folder = tmp_path / "gift"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(outside)
    for name in (str(outside), "../outside.jsonl", "link.jsonl"):
        plan = built(folder, questions={"file": name})
        assert "my diary" in str(list(plan.dataset))


def test_a_variable_goes_to_the_address_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_OTHER_SECRET", "a-secret-of-mine")
    model = {
        "provider": "endpoint",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "m",
        "api_key_env": "MY_OTHER_SECRET",
    }
    plan = built(tmp_path, models={**TEAM["models"], "ann": model})
    sent = plan.models["ann"].model._headers
    assert "a-secret-of-mine" in str(dict(sent))
    assert "a-secret-of-mine" not in json.dumps(plan.public_config), "but is written down nowhere"


def test_a_template_that_may_not_be_is_said_with_file_and_line(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "draft.j2").write_text("{{ question | block }}\n{{ question.__class__ }}\n{% macro a() %}{% endmacro %}")
    with pytest.raises(UsageError, match=re.escape(str(prompts / "draft.j2"))) as refused:
        built(tmp_path, prompts="prompts")
    assert ":3: " in str(refused.value)


def test_a_template_link_is_read_as_the_page_says(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (tmp_path / "diary.txt").write_text("my diary {{ question | block }}", encoding="utf-8")
    (prompts / "draft.j2").symlink_to(tmp_path / "diary.txt")
    plan = built(tmp_path, prompts="prompts")
    assert "my diary" in plan.cells[0].team.prompts.render("draft", question="?", choices=(), context=None, kind="open")
