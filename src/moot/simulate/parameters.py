"""What a file may say of a simulated model: the experiment file and the config of `moot simulate` alike."""

from __future__ import annotations

from pydantic import Field, model_validator

from moot.config.yaml_file import Share, Strict
from moot.simulate.simulated import SimulatedModel


class SimulatedParameters(Strict):
    """The parameters of `moot.simulate.simulated.SimulatedModel`, with its defaults; what each means is said there."""

    accuracy: Share = Field(description="a number between 0 and 1")
    correlation: Share = SimulatedModel.correlation
    family: str | None = SimulatedModel.family
    family_correlation: Share = SimulatedModel.family_correlation
    attraction: Share = SimulatedModel.attraction
    tell: float = SimulatedModel.tell
    power: Share = SimulatedModel.power
    pull: float = SimulatedModel.pull
    herd: float = SimulatedModel.herd
    taste: float = SimulatedModel.taste
    guise: Share = SimulatedModel.guise
    awe: float = SimulatedModel.awe
    doubt: Share = SimulatedModel.doubt
    judgement: Share = SimulatedModel.judgement
    temperature: float = Field(default=SimulatedModel.temperature, ge=0, le=2)
    refuse: Share = SimulatedModel.refuse
    garble: Share = SimulatedModel.garble

    @model_validator(mode="after")
    def _adds_up(self) -> SimulatedParameters:
        if self.family is not None and self.correlation + self.family_correlation > 1:
            raise ValueError("correlation and family_correlation must not add up to more than 1")
        return self
