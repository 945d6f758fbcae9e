"""Headers of an endpoint whose values are in the environment: as secret as a key, and found missing before the first call."""

from __future__ import annotations

import os

from moot.errors import FileError
from moot.experiment.model_specs import EndpointSpec
from moot.experiment.spec import ExperimentFile


def headers_from_environment(
    file: ExperimentFile, name: str, spec: EndpointSpec, unset: list[FileError]
) -> dict[str, str]:
    """Headers whose values are in the environment."""
    headers = {}
    for header, variable in spec.headers_env.items():
        value, where = os.environ.get(variable, ""), f"the environment variable {variable}"
        if not value:
            unset.append(file.error(("models", name, "headers_env", header), f"{where} is not set"))
        elif not value.isprintable():
            problem = f"{where} holds a line break or a control character"
            raise file.error(("models", name, "headers_env", header), problem)
        else:
            headers[header] = value
    return headers
