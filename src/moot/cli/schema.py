"""`moot schema`: the JSON Schema of the experiment file, for editors that check as you type."""

from __future__ import annotations

import json

from moot.experiment.spec import Experiment


def schema_command() -> int:
    schema = Experiment.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "moot experiment"}
    print(json.dumps(schema, ensure_ascii=False, indent=1))
    return 0
