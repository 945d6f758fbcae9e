"""What a file may say of a simulated model: the experiment file and the config of `moot simulate` alike."""

from __future__ import annotations

from pydantic import Field, model_validator

from moot.config.yaml_file import Strict, ZeroToOne
from moot.simulate.simulated import SimulatedModel

MOST_WORDS = 100_000
MOST_BIAS = 100.0


class SimulatedParameters(Strict):
    """The parameters of `moot.simulate.simulated.SimulatedModel`, with its defaults; what each means is said there."""

    accuracy: ZeroToOne = Field(description="a number between 0 and 1")
    correlation: ZeroToOne = SimulatedModel.correlation
    family: str | None = SimulatedModel.family
    family_correlation: ZeroToOne = SimulatedModel.family_correlation
    attraction: ZeroToOne = SimulatedModel.attraction
    tell: float = SimulatedModel.tell
    power: ZeroToOne = SimulatedModel.power
    pull: float = SimulatedModel.pull
    herd: float = SimulatedModel.herd
    taste: float = SimulatedModel.taste
    guise: ZeroToOne = SimulatedModel.guise
    awe: float = SimulatedModel.awe
    doubt: ZeroToOne = SimulatedModel.doubt
    judgement: ZeroToOne = SimulatedModel.judgement
    temperature: float = Field(default=SimulatedModel.temperature, ge=0, le=2)
    words: int = Field(default=SimulatedModel.words, ge=1, le=MOST_WORDS)
    blur: float = Field(default=SimulatedModel.blur, gt=0, le=MOST_BIAS)
    position_bias: float = Field(default=SimulatedModel.position_bias, ge=-MOST_BIAS, le=MOST_BIAS)
    length_bias: float = Field(default=SimulatedModel.length_bias, ge=-MOST_BIAS, le=MOST_BIAS)
    refuse: ZeroToOne = SimulatedModel.refuse
    garble: ZeroToOne = SimulatedModel.garble

    @model_validator(mode="after")
    def _adds_up(self) -> SimulatedParameters:
        if self.family is not None and self.correlation + self.family_correlation > 1:
            raise ValueError("correlation and family_correlation must not add up to more than 1")
        return self
