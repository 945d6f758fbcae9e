"""Traces: what happened on the way to a verdict, as typed records that a strategy leaves behind.

Measures, stories and pages read these records and never ask which strategy left them. A strategy from elsewhere may
bring records of its own:

    @trace("veto")
    @dataclass(frozen=True, slots=True)
    class Veto:
        by: str
        of: str

A record that nobody here knows, because its package is not installed, is read back as `Unknown` and kept whole.
"""

from __future__ import annotations

from moot.traces.kinds import Trace as Trace
from moot.traces.kinds import Unknown as Unknown
from moot.traces.kinds import claims_in as claims_in
from moot.traces.kinds import misfit as misfit
from moot.traces.kinds import of_kind as of_kind
from moot.traces.kinds import trace as trace
from moot.traces.kinds import trace_json as trace_json
from moot.traces.kinds import trace_of as trace_of
from moot.traces.looks import RecordedLook as RecordedLook
from moot.traces.looks import looks_of as looks_of
from moot.traces.notes import ends_too_soon as ends_too_soon
from moot.traces.notes import hanging as hanging
from moot.traces.notes import hangs_on_cut_words as hangs_on_cut_words
from moot.traces.notes import note_in as note_in
from moot.traces.records import Abstained as Abstained
from moot.traces.records import Agreement as Agreement
from moot.traces.records import Ballot as Ballot
from moot.traces.records import BallotForm as BallotForm
from moot.traces.records import Cascaded as Cascaded
from moot.traces.records import Challenge as Challenge
from moot.traces.records import Counted as Counted
from moot.traces.records import Cut as Cut
from moot.traces.records import CutOff as CutOff
from moot.traces.records import Deadline as Deadline
from moot.traces.records import DecidedByRule as DecidedByRule
from moot.traces.records import DecidedFrom as DecidedFrom
from moot.traces.records import Ending as Ending
from moot.traces.records import Extraction as Extraction
from moot.traces.records import Grouped as Grouped
from moot.traces.records import HangsOnCut as HangsOnCut
from moot.traces.records import NotNeeded as NotNeeded
from moot.traces.records import NoTwoAgreed as NoTwoAgreed
from moot.traces.records import Objection as Objection
from moot.traces.records import Persona as Persona
from moot.traces.records import Remark as Remark
from moot.traces.records import Remarked as Remarked
from moot.traces.records import Resolution as Resolution
from moot.traces.records import Review as Review
from moot.traces.records import Round as Round
from moot.traces.records import Shown as Shown
from moot.traces.records import StrategyBroke as StrategyBroke
from moot.traces.records import ToldProbability as ToldProbability
from moot.traces.records import Unpriced as Unpriced
from moot.traces.records import not_waited_for as not_waited_for
