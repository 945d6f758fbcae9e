"""How one is asked: players and teams, the forms of replies, attempts, attendance, and reading an answer."""

from moot.team.lessons import Lesson as Lesson
from moot.team.player import Player as Player
from moot.team.team import AnswerReader as AnswerReader
from moot.team.team import Grouper as Grouper
from moot.team.team import Retriever as Retriever
from moot.team.team import SameWords as SameWords
from moot.team.team import Team as Team
from moot.team.team import retrieved_from as retrieved_from
