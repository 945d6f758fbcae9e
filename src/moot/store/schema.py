"""The tables. How older stores come to them is in `migrating`."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, MetaData, Table

from moot.store.columns import Amount, Count, Ended, Grade, LongWords, Number, Whole, Words, name_places

metadata = MetaData()

migrations = Table("migrations", metadata, Column("name", Words, primary_key=True), Column("applied_at", Number))

experiments = Table(
    "experiments",
    metadata,
    Column("id", Words, primary_key=True),  # digest of the file's content and of the questions
    Column("name", Words, nullable=False, index=True),
    Column("config", LongWords, nullable=False),
    Column("size", Count, nullable=False),
    Column("created_at", Number, nullable=False),
)
experiment_cells = Table(
    "experiment_cells",
    metadata,
    Column("experiment", Words, primary_key=True),
    Column("position", Count, primary_key=True),
    Column("cell", Words, nullable=False),
    sqlite_with_rowid=False,
)
experiment_questions = Table(
    "experiment_questions",
    metadata,
    Column("experiment", Words, primary_key=True),
    Column("position", Count, primary_key=True),
    Column("question", Words, nullable=False),
    Column("case", Words, nullable=False),
    Column("question_set", Words),  # null: the file has one set, without a name
    Column("cluster", Words),  # null: it belongs together with no other
    Column("asker", Words),  # whose key asked it of a served team; null: nobody's
    Index("ix_experiment_questions_question", "experiment", "question"),
    sqlite_with_rowid=False,
)
cells = Table(
    "cells",
    metadata,
    Column("id", Words, primary_key=True),  # digest of all that an episode depends on, but the question
    Column("strategy", Words, nullable=False),
    Column("label", Words, nullable=False),
    Column("team", Words),
    Column("captain", Words),
    Column("player", Words),
    Column("spec", LongWords, nullable=False),
    Column("cohort", Words),  # null: the whole team sits at one table
    Column("options", LongWords),  # JSON: given, those that differ from their defaults; default, the rest
    Column("traits", LongWords),  # JSON: what the strategy says of itself, see strategies.traits
)
choices = Table(
    "choices",
    metadata,
    Column("cell", Words, primary_key=True),  # what was chosen, such as a team of proposers
    Column("question", Words, primary_key=True),  # the digest of a question that the choice was made on
    sqlite_with_rowid=False,
)
cases = Table(
    "cases",
    metadata,
    Column("id", Words, primary_key=True),
    Column("question_id", Words, nullable=False, index=True),
    Column("content", LongWords, nullable=False),
)
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", Words, nullable=False, index=True),
    Column("started_at", Number, nullable=False),
    Column("finished_at", Number),
    Column("state", Words, nullable=False),  # running, done, failed, budget, interrupted
    Column("facts", LongWords, nullable=False),
)
losses = Table(
    "losses",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", Words, nullable=False, index=True),
    Column("usd", Number, nullable=False),  # may be on the bill without having given a reply
    Column("created_at", Number, nullable=False),
)
reservations = Table(
    "reservations",
    metadata,
    Column("id", Words, primary_key=True),
    Column("experiment", Words, nullable=False, index=True),  # the name of the experiment that pays
    Column("usd", Number, nullable=False),  # the most that an attempt can cost which has begun and is not settled
    Column("holder", Words, nullable=False),  # who makes it; gone: it counts as spent
    Column("payer", Words),  # on whose account it is beside, such as a key of a served team
    Column("created_at", Number, nullable=False),
)
accounts = Table(
    "accounts",
    metadata,
    Column("experiment", Words, primary_key=True),
    Column("held_usd", Number, nullable=False),  # calls, losses and reservations: so that nobody has to add them up
)
payments = Table(
    "payments",
    metadata,
    Column("payer", Words, primary_key=True),
    Column("day", Words, primary_key=True),  # of UTC, as 2026-11-15
    Column("usd", Number, nullable=False),
)
holders = Table(
    "holders",
    metadata,
    Column("id", Words, primary_key=True),
    Column("party", Words, nullable=False),  # those of one party never ask the same, and need not watch each other
    Column("process", LongWords, nullable=False),  # JSON, see store.processes
    Column("beat_at", Number, nullable=False),  # the last sign of life
    Column("claiming", Whole, nullable=False),  # 1: claims every call before making it, because others are there
)
claims = Table(
    "claims",
    metadata,
    Column("key", Words, primary_key=True),  # a call that somebody is making
    Column("holder", Words, nullable=False, index=True),
)
calls = Table(
    "calls",
    metadata,
    Column("key", Words, primary_key=True),
    Column("experiment", Words, nullable=False, index=True),  # the name of the experiment that paid
    Column("model", Words, nullable=False),
    Column("shape", LongWords, nullable=False),
    Column("text", LongWords, nullable=False),
    Column("finish", Words, nullable=False),
    Column("prompt_tokens", Count),
    Column("completion_tokens", Count),
    Column("reasoning_tokens", Count),
    Column("cached_tokens", Count),
    Column("latency_s", Amount, nullable=False),
    Column("version", Words),
    Column("cost_usd", Amount),
    Column("thoughts", LongWords),
    Column("logprobs", LongWords),
    Column("created_at", Number, nullable=False),
)
failures = Table(
    "failures",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", Words, nullable=False),
    Column("experiment", Words, nullable=False, index=True),
    Column("model", Words, nullable=False),
    Column("kind", Words, nullable=False),
    Column("message", LongWords, nullable=False),
    Column("created_at", Number, nullable=False),
)
episodes = Table(
    "episodes",
    metadata,
    Column("cell", Words, primary_key=True),
    Column("question", Words, primary_key=True),
    Column("repeat", Count, primary_key=True),
    Column("outcome", Ended, nullable=False),
    Column("answer", LongWords),
    Column("verdict", LongWords, nullable=False),
    Column("transcript", LongWords, nullable=False),
    Column("seconds", Amount, nullable=False),
    Column("created_at", Number, nullable=False, index=True),  # served traffic is shown, and forgotten, by age
)
scores = Table(
    "scores",
    metadata,
    Column("cell", Words, primary_key=True),
    Column("case", Words, primary_key=True),
    Column("repeat", Count, primary_key=True),
    Column("grader", Words, primary_key=True),
    Column("value", Grade),
    Column("stage", Words, nullable=False),
    Column("detail", LongWords),
    sqlite_with_rowid=False,
)
judgements = Table(
    "judgements",
    metadata,
    Column("case", Words, primary_key=True),
    Column("answer", LongWords, primary_key=True),  # normalised: equal answers are judged once
    Column("judge", Words, primary_key=True),
    Column("right", Whole),  # null: the judge gave no usable word, and `detail` says why
    Column("detail", LongWords),
    Column("judge_name", Words),  # as the file names it; `judge` tells models and prompts under one name apart
    Column("call_key", Words),  # the call that holds the reply
    Column("tries", Count),  # how often one that gave no usable word was asked
    sqlite_with_rowid=False,
)
judge_calls = Table(
    "judge_calls",
    metadata,
    Column("case", Words, primary_key=True),  # whose question and answers stand in what the judge was asked
    Column("key", Words, primary_key=True),  # of a call or a failure; it may have given no usable word
    Index("ix_judge_calls_key", "key"),
    sqlite_with_rowid=False,
)
grades = Table(
    "grades",
    metadata,
    Column("case", Words, primary_key=True),
    Column("answer", LongWords, primary_key=True),  # normalised: equal answers are graded once
    Column("grader", Words, primary_key=True),  # one that is not ours: match needs no record
    Column("value", Grade),  # null: it leaves the answer to the judges
    Column("stage", Words, nullable=False),
    Column("detail", LongWords),
    sqlite_with_rowid=False,
)
settlements = Table(
    "settlements",
    metadata,
    Column("case", Words, primary_key=True),
    Column("answer", LongWords, primary_key=True),
    Column("right", Whole, nullable=False),  # a person's word, which stands over every judge's
    Column("settled_at", Number, nullable=False),
    sqlite_with_rowid=False,
)
matches = Table(
    "matches",
    metadata,
    Column("question", Words, primary_key=True),
    Column("repeat", Count, primary_key=True),
    Column("content", LongWords, nullable=False),  # texts that mean the same, as groups: for measurement, not for play
    sqlite_with_rowid=False,
)
declarations = Table(
    "declarations",
    metadata,
    Column("experiment", Words, primary_key=True),  # its name: another file under it is the same undertaking
    Column("kind", Words, primary_key=True),  # hypothesis, primary
    Column("text", LongWords, primary_key=True),
    Column("declared_at", Number, nullable=False),
    Column("frozen", Whole, nullable=False),  # 1: written down before the first call; 0: exploratory
    sqlite_with_rowid=False,
)

absences = Table(
    "absences",
    metadata,
    Column("key", Words, primary_key=True),  # digest of the experiment's name and of all that was asked in a round
    Column("players", LongWords, nullable=False),  # who was late for it, as JSON
    Column("created_at", Number, nullable=False),
)

name_places(metadata)
