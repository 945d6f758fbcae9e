"""The tables. How older stores come to them is in `migrating`."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

migrations = Table("migrations", metadata, Column("name", String, primary_key=True), Column("applied_at", Float))

experiments = Table(
    "experiments",
    metadata,
    Column("id", String, primary_key=True),  # digest of the file's content and of the questions
    Column("name", String, nullable=False, index=True),
    Column("config", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
)
experiment_cells = Table(
    "experiment_cells",
    metadata,
    Column("experiment", String, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("cell", String, nullable=False),
    sqlite_with_rowid=False,
)
experiment_questions = Table(
    "experiment_questions",
    metadata,
    Column("experiment", String, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("question", String, nullable=False),
    Column("case", String, nullable=False),
    Column("question_set", String),  # null: the file has one set, without a name
    Column("cluster", String),  # null: it belongs together with no other
    Column("asker", String),  # whose key asked it of a served team; null: nobody's
    Index("ix_experiment_questions_question", "experiment", "question"),
    sqlite_with_rowid=False,
)
cells = Table(
    "cells",
    metadata,
    Column("id", String, primary_key=True),  # digest of all that an episode depends on, but the question
    Column("strategy", String, nullable=False),
    Column("label", String, nullable=False),
    Column("team", String),
    Column("captain", String),
    Column("player", String),
    Column("spec", Text, nullable=False),
    Column("cohort", String),  # null: the whole team sits at one table
    Column("options", Text),  # JSON: given, those that differ from their defaults; default, the rest
    Column("traits", Text),  # JSON: what the strategy says of itself, see strategies.traits
)
choices = Table(
    "choices",
    metadata,
    Column("cell", String, primary_key=True),  # what was chosen, such as a team of proposers
    Column("question", String, primary_key=True),  # the digest of a question that the choice was made on
    sqlite_with_rowid=False,
)
cases = Table(
    "cases",
    metadata,
    Column("id", String, primary_key=True),
    Column("question_id", String, nullable=False, index=True),
    Column("content", Text, nullable=False),
)
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", String, nullable=False, index=True),
    Column("started_at", Float, nullable=False),
    Column("finished_at", Float),
    Column("state", String, nullable=False),  # running, done, failed, budget, interrupted
    Column("facts", Text, nullable=False),
)
losses = Table(
    "losses",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", String, nullable=False, index=True),
    Column("usd", Float, nullable=False),  # may be on the bill without having given a reply
    Column("created_at", Float, nullable=False),
)
reservations = Table(
    "reservations",
    metadata,
    Column("id", String, primary_key=True),
    Column("experiment", String, nullable=False, index=True),  # the name of the experiment that pays
    Column("usd", Float, nullable=False),  # the most that an attempt can cost which has begun and is not settled
    Column("holder", String, nullable=False),  # who makes it; gone: it counts as spent
    Column("payer", String),  # on whose account it is beside, such as a key of a served team
    Column("created_at", Float, nullable=False),
)
accounts = Table(
    "accounts",
    metadata,
    Column("experiment", String, primary_key=True),
    Column("held_usd", Float, nullable=False),  # calls, losses and reservations: so that nobody has to add them up
)
payments = Table(
    "payments",
    metadata,
    Column("payer", String, primary_key=True),
    Column("day", String, primary_key=True),  # of UTC, as 2026-11-15
    Column("usd", Float, nullable=False),
)
holders = Table(
    "holders",
    metadata,
    Column("id", String, primary_key=True),
    Column("party", String, nullable=False),  # those of one party never ask the same, and need not watch each other
    Column("process", Text, nullable=False),  # JSON, see store.processes
    Column("beat_at", Float, nullable=False),  # the last sign of life
    Column("claiming", Integer, nullable=False),  # 1: claims every call before making it, because others are there
)
claims = Table(
    "claims",
    metadata,
    Column("key", String, primary_key=True),  # a call that somebody is making
    Column("holder", String, nullable=False, index=True),
)
calls = Table(
    "calls",
    metadata,
    Column("key", String, primary_key=True),
    Column("experiment", String, nullable=False, index=True),  # the name of the experiment that paid
    Column("model", String, nullable=False),
    Column("shape", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("finish", String, nullable=False),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("reasoning_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("latency_s", Float, nullable=False),
    Column("version", String),
    Column("cost_usd", Float),
    Column("thoughts", Text),
    Column("logprobs", Text),
    Column("created_at", Float, nullable=False),
)
failures = Table(
    "failures",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String, nullable=False),
    Column("experiment", String, nullable=False, index=True),
    Column("model", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("message", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)
episodes = Table(
    "episodes",
    metadata,
    Column("cell", String, primary_key=True),
    Column("question", String, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("outcome", String, nullable=False),
    Column("answer", Text),
    Column("verdict", Text, nullable=False),
    Column("transcript", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("created_at", Float, nullable=False, index=True),  # served traffic is shown, and forgotten, by age
)
scores = Table(
    "scores",
    metadata,
    Column("cell", String, primary_key=True),
    Column("case", String, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("grader", String, primary_key=True),
    Column("value", Float),
    Column("stage", String, nullable=False),
    Column("detail", Text),
    sqlite_with_rowid=False,
)
judgements = Table(
    "judgements",
    metadata,
    Column("case", String, primary_key=True),
    Column("answer", Text, primary_key=True),  # normalised: equal answers are judged once
    Column("judge", String, primary_key=True),
    Column("right", Integer),  # null: the judge gave no usable word, and `detail` says why
    Column("detail", Text),
    Column("judge_name", String),  # as the file names it; `judge` tells models and prompts under one name apart
    Column("call_key", String),  # the call that holds the reply
    Column("tries", Integer),  # how often one that gave no usable word was asked
    sqlite_with_rowid=False,
)
judge_calls = Table(
    "judge_calls",
    metadata,
    Column("case", String, primary_key=True),  # whose question and answers stand in what the judge was asked
    Column("key", String, primary_key=True),  # of a call or a failure; it may have given no usable word
    Index("ix_judge_calls_key", "key"),
    sqlite_with_rowid=False,
)
grades = Table(
    "grades",
    metadata,
    Column("case", String, primary_key=True),
    Column("answer", Text, primary_key=True),  # normalised: equal answers are graded once
    Column("grader", String, primary_key=True),  # one that is not ours: match needs no record
    Column("value", Float),  # null: it leaves the answer to the judges
    Column("stage", String, nullable=False),
    Column("detail", Text),
    sqlite_with_rowid=False,
)
settlements = Table(
    "settlements",
    metadata,
    Column("case", String, primary_key=True),
    Column("answer", Text, primary_key=True),
    Column("right", Integer, nullable=False),  # a person's word, which stands over every judge's
    Column("settled_at", Float, nullable=False),
    sqlite_with_rowid=False,
)
matches = Table(
    "matches",
    metadata,
    Column("question", String, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("content", Text, nullable=False),  # texts that mean the same, as groups: for measurement, not for play
    sqlite_with_rowid=False,
)
declarations = Table(
    "declarations",
    metadata,
    Column("experiment", String, primary_key=True),  # its name: another file under it is the same undertaking
    Column("kind", String, primary_key=True),  # hypothesis, primary
    Column("text", Text, primary_key=True),
    Column("declared_at", Float, nullable=False),
    Column("frozen", Integer, nullable=False),  # 1: written down before the first call; 0: exploratory
    sqlite_with_rowid=False,
)

absences = Table(
    "absences",
    metadata,
    Column("key", String, primary_key=True),  # digest of the experiment's name and of all that was asked in a round
    Column("players", Text, nullable=False),  # who was late for it, as JSON
    Column("created_at", Float, nullable=False),
)
