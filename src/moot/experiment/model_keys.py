"""A model's key: from the environment, or from a file that is nobody else's to read."""

from __future__ import annotations

import os

from moot.errors import FileError
from moot.experiment.model_specs import EndpointSpec, LitellmSpec, ModelSpec
from moot.experiment.spec import ExperimentFile
from moot.foreign_files import opened

LONGEST_KEY = 100_000
"""Characters of a key file that are read: one that never ends must not be waited for."""


def key_from(spec: ModelSpec) -> str | None:
    if not isinstance(spec, EndpointSpec | LitellmSpec):
        return None
    if spec.api_key_file is not None:
        return f"the file {spec.api_key_file} (api_key_file)"
    if spec.api_key_env is None and isinstance(spec, EndpointSpec) and spec.headers_env:
        variables = ", ".join(dict.fromkeys(spec.headers_env.values()))
        return f"the environment variable {variables} (headers_env)"
    return None if spec.api_key_env is None else f"the environment variable {spec.api_key_env} (api_key_env)"


def key_of(file: ExperimentFile, name: str, spec: EndpointSpec | LitellmSpec, unset: list[FileError]) -> str | None:
    """The key, from the environment or from a file that is nobody else's to read."""
    if spec.api_key_env is not None and spec.api_key_file is not None:
        raise file.error(("models", name, "api_key_file"), "expected api_key_env or api_key_file, not both")
    if spec.api_key_file is not None:
        key, place = key_in_file(file, name, spec.api_key_file), "api_key_file"
        where = f"the file {spec.api_key_file}"
    elif spec.api_key_env is not None:
        key, place = os.environ.get(spec.api_key_env, ""), "api_key_env"
        where = f"the environment variable {spec.api_key_env}"
    else:
        return None
    if not key:
        if place == "api_key_file":
            raise file.error(("models", name, place), f"{where} is empty")
        unset.append(file.error(("models", name, place), f"{where} is not set"))
        return None
    if not key.isprintable():
        raise file.error(("models", name, place), f"{where} holds a line break or a control character")
    return key


def key_in_file(file: ExperimentFile, name: str, written: str) -> str:
    path = file.beside(written)
    try:
        with opened(path) as content:
            # Of what was opened, not of the path: nobody can put another file in between.
            mode = os.fstat(content.fileno()).st_mode
            if os.name == "posix" and mode & 0o077:
                problem = f"others can read {path} (mode {mode & 0o777:04o}); expected 0600: chmod 600 {path}"
                raise file.error(("models", name, "api_key_file"), problem)
            return content.read(LONGEST_KEY).decode().strip()
    except UnicodeDecodeError:
        raise file.error(("models", name, "api_key_file"), f"{path} is not text; expected the key alone") from None
    except OSError as error:
        problem = f"cannot read {path}: {error.strerror or error}"
        raise file.error(("models", name, "api_key_file"), problem) from None
