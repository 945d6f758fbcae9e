"""`moot schema`: the JSON Schema of the experiment file, for editors that check as you type.

It knows what is installed: providers, graders and formats that other packages bring are allowed by their names.
"""

from __future__ import annotations

import json
from typing import Any

from moot.data.formats import registered as formats
from moot.data.logs.formats import LOG_FORMATS
from moot.experiment.model_specs import plugged_providers
from moot.experiment.spec import Experiment
from moot.grade.graders import registered as graders
from moot.strategies import registered as strategies
from moot.strategies.option_values import ABSTAIN


def schema_command() -> int:
    print(json.dumps(experiment_schema(), ensure_ascii=False, indent=1))
    return 0


def experiment_schema() -> dict[str, Any]:
    schema = Experiment.model_json_schema()
    parts, keys = schema["$defs"], schema["properties"]
    keys["grader"]["enum"] = sorted(graders())
    parts["QuestionsSpec"]["properties"]["format"]["anyOf"][0]["enum"] = sorted({*formats(), *LOG_FORMATS.places()})
    parts["RecordedSpec"]["properties"]["format"]["anyOf"][0]["enum"] = sorted(LOG_FORMATS.places())
    keys["strategies"]["items"] = _entry(sorted(strategies()))
    providers = plugged_providers()
    if providers:
        parts["PluggedSpec"]["properties"]["provider"]["enum"] = providers
    else:
        del parts["PluggedSpec"]
        for model in keys["models"]["patternProperties"].values():
            model["anyOf"].remove({"$ref": "#/$defs/PluggedSpec"})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "moot experiment"}


def _entry(names: list[str]) -> dict[str, Any]:
    """`- vote`, or `- adaptive: {talk_from: 3}`. What options a strategy has is its own business."""
    options = {"type": ["object", "null"]}
    named: dict[str, Any] = {
        "type": "object",
        "properties": dict.fromkeys(names, options),
        "additionalProperties": False,
    }
    share = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
    keys = {"properties": {"below": share, "target": share}, "additionalProperties": False}
    abstain = {"type": "object", **keys, "minProperties": 1, "maxProperties": 1}
    beside = {**named, "properties": {**named["properties"], ABSTAIN: abstain}, "required": [ABSTAIN]}
    return {
        "anyOf": [
            {"type": "string", "enum": names},
            {**named, "minProperties": 1, "maxProperties": 1},
            {**beside, "minProperties": 2, "maxProperties": 2},
        ]
    }
