"""What the vendors of models say of them, so that a calibration can be held against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field, model_validator

from moot.config.yaml_file import Strict, Text
from moot.models.closest import closest

if TYPE_CHECKING:
    from moot.experiment.spec import ExperimentFile


def _accuracy(accuracy: object) -> object:
    """One complaint, where pydantic would make one for each type."""
    given = list(accuracy.values()) if isinstance(accuracy, dict) and accuracy else [accuracy]
    for share in given:
        if accuracy is not None and not (type(share) in (int, float) and 0 <= share <= 1):  # type: ignore[operator]
            raise ValueError(f"expected a share from 0 to 1, or one for each set of questions; found {share!r}")
    return accuracy


class VendorSpec(Strict):
    """Who makes a model, and how many of these questions it is said to get right."""

    name: Text | None = None
    accuracy: Annotated[float | dict[str, float] | None, BeforeValidator(_accuracy)] = Field(
        default=None, description="As the vendor reports it, from 0 to 1; for each set of questions by its name"
    )

    @model_validator(mode="after")
    def _something(self) -> VendorSpec:
        if self.name is None and self.accuracy is None:
            raise ValueError("expected name or accuracy")
        return self


def check_vendors(file: ExperimentFile) -> None:
    """That models and sets of questions are there which the vendors' figures are about."""
    spec = file.spec
    sets = spec.questions if isinstance(spec.questions, list) else [spec.questions] if spec.questions else []
    titles = sorted(questions.title for questions in sets)
    for model, vendor in spec.vendors.items():
        if model not in spec.models:
            expected = f"expected one of {', '.join(sorted(spec.models))}{closest(model, spec.models)}"
            raise file.error(("vendors", model), f"there is no model of this name; {expected}")
        for name in vendor.accuracy if isinstance(vendor.accuracy, dict) else ():
            if titles and name not in titles:  # a team that is served has no sets
                expected = f"expected one of {', '.join(titles)}{closest(name, titles)}"
                raise file.error(("vendors", model, "accuracy", name), f"there is no set of this name; {expected}")
