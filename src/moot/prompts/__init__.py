"""Prompts: one template a file, in English and Russian, overridable by the user; every template lists its inputs.

A template says what it needs in its first line, ``{# inputs: question, choices #}``, and gets exactly that. Values are
inserted once and never read as template text again, so braces in a question are only braces. Text that somebody else
wrote (a question, a player's answer) goes through the `block` filter into a block of its own, whose end it cannot forge.
"""

from __future__ import annotations

from moot.prompts.foreign_text import block as block
from moot.prompts.foreign_text import line as line
from moot.prompts.foreign_text import quoted as quoted
from moot.prompts.prompts import LANGUAGES as LANGUAGES
from moot.prompts.prompts import SETS as SETS
from moot.prompts.prompts import NoSuchPrompt as NoSuchPrompt
from moot.prompts.prompts import Own as Own
from moot.prompts.prompts import Prompts as Prompts
from moot.prompts.prompts import own_templates as own_templates
from moot.prompts.template import NameNotGiven as NameNotGiven
from moot.prompts.template import declared_inputs as declared_inputs
from moot.prompts.used_prompts import FOR_ALL as FOR_ALL
from moot.prompts.used_prompts import noting_prompts as noting_prompts
