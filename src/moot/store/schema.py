"""The tables. How older stores come to them is in `migrating`."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, MetaData, Table

from moot.store.columns import (
    AmountColumn,
    BalanceColumn,
    CostColumn,
    CountColumn,
    GradeColumn,
    LongTextColumn,
    MoneyColumn,
    NumberColumn,
    OutcomeColumn,
    SaidColumn,
    TextColumn,
    WholeColumn,
    name_places,
)

metadata = MetaData()

migrations = Table(
    "migrations", metadata, Column("name", TextColumn, primary_key=True), Column("applied_at", NumberColumn)
)

experiments = Table(
    "experiments",
    metadata,
    Column("id", TextColumn, primary_key=True),  # digest of the file's content and of the questions
    Column("name", TextColumn, nullable=False, index=True),
    Column("config", LongTextColumn, nullable=False),
    Column("size", CountColumn, nullable=False),
    Column("created_at", NumberColumn, nullable=False),
)
experiment_cells = Table(
    "experiment_cells",
    metadata,
    Column("experiment", TextColumn, primary_key=True),
    Column("position", CountColumn, primary_key=True),
    Column("cell", TextColumn, nullable=False),
    sqlite_with_rowid=False,
)
experiment_questions = Table(
    "experiment_questions",
    metadata,
    Column("experiment", TextColumn, primary_key=True),
    Column("position", CountColumn, primary_key=True),
    Column("question", TextColumn, nullable=False),
    Column("case", TextColumn, nullable=False),
    Column("question_set", TextColumn),  # null: the file has one set, without a name
    Column("cluster", TextColumn),  # null: it belongs together with no other
    Column("asker", TextColumn),  # whose key asked it of a served team; null: nobody's
    Index("ix_experiment_questions_question", "experiment", "question"),
    sqlite_with_rowid=False,
)
cells = Table(
    "cells",
    metadata,
    Column("id", TextColumn, primary_key=True),  # digest of all that an episode depends on, but the question
    Column("strategy", TextColumn, nullable=False),
    Column("label", TextColumn, nullable=False),
    Column("team", TextColumn),
    Column("captain", TextColumn),
    Column("player", TextColumn),
    Column("spec", LongTextColumn, nullable=False),
    Column("cohort", TextColumn),  # null: the whole team sits at one table
    Column("options", LongTextColumn),  # JSON: given, those that differ from their defaults; default, the rest
    Column("traits", LongTextColumn),  # JSON: what the strategy says of itself, see strategies.traits
)
choices = Table(
    "choices",
    metadata,
    Column("cell", TextColumn, primary_key=True),  # what was chosen, such as a team of proposers
    Column("question", TextColumn, primary_key=True),  # that the choice was made on: see docs/store.md
    sqlite_with_rowid=False,
)
cases = Table(
    "cases",
    metadata,
    Column("id", TextColumn, primary_key=True),
    Column("question_id", TextColumn, nullable=False, index=True),
    Column("content", LongTextColumn, nullable=False),
)
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", TextColumn, nullable=False, index=True),
    Column("started_at", NumberColumn, nullable=False),
    Column("finished_at", NumberColumn),
    Column("state", TextColumn, nullable=False),  # running, done, failed, budget, interrupted
    Column("facts", LongTextColumn, nullable=False),
)
losses = Table(
    "losses",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", TextColumn, nullable=False, index=True),
    Column("usd", MoneyColumn, nullable=False),  # may be on the bill without having given a reply
    Column("created_at", NumberColumn, nullable=False),
)
unpriced_losses = Table(
    "unpriced_losses",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", TextColumn, nullable=False, index=True),
    Column("calls", CountColumn, nullable=False),  # so many, at nobody knows how much
    Column("created_at", NumberColumn, nullable=False),
)
reservations = Table(
    "reservations",
    metadata,
    Column("id", TextColumn, primary_key=True),
    Column("experiment", TextColumn, nullable=False, index=True),  # the name of the experiment that pays
    Column("usd", MoneyColumn, nullable=False),  # the most that an attempt can cost which has begun and is not settled
    Column("holder", TextColumn, nullable=False),  # who makes it; gone: it counts as spent
    Column("payer", TextColumn),  # on whose account it is beside, such as a key of a served team
    Column("created_at", NumberColumn, nullable=False),
)
accounts = Table(
    "accounts",
    metadata,
    Column("experiment", TextColumn, primary_key=True),
    Column(
        "held_usd", BalanceColumn, nullable=False
    ),  # calls, losses and reservations: so that nobody has to add them up
)
payments = Table(
    "payments",
    metadata,
    Column("payer", TextColumn, primary_key=True),
    Column("day", TextColumn, primary_key=True),  # of UTC, as 2026-11-15
    Column("usd", MoneyColumn, nullable=False),
)
overcharges = Table(
    "overcharges",
    metadata,
    Column("whose", TextColumn, primary_key=True),  # the digest of a model's name, address and price
    Column("holder", TextColumn, primary_key=True),  # who was billed
    Column("times", AmountColumn, nullable=False),  # how many times the most that a call could cost, at the worst
    sqlite_with_rowid=False,
)
holders = Table(
    "holders",
    metadata,
    Column("id", TextColumn, primary_key=True),
    Column("party", TextColumn, nullable=False),  # those of one party never ask the same, and need not watch each other
    Column("process", LongTextColumn, nullable=False),  # JSON, see store.processes
    Column("beat_at", NumberColumn, nullable=False),  # the last sign of life
    Column("claiming", WholeColumn, nullable=False),  # 1: claims every call before making it, because others are there
)
claims = Table(
    "claims",
    metadata,
    Column("key", TextColumn, primary_key=True),  # a call that somebody is making
    Column("holder", TextColumn, nullable=False, index=True),
)
calls = Table(
    "calls",
    metadata,
    Column("key", TextColumn, primary_key=True),
    Column("experiment", TextColumn, nullable=False, index=True),  # the name of the experiment that paid
    Column("model", TextColumn, nullable=False),
    Column("shape", LongTextColumn, nullable=False),
    Column("text", LongTextColumn, nullable=False),
    Column("finish", SaidColumn, nullable=False),
    Column("prompt_tokens", CountColumn),
    Column("completion_tokens", CountColumn),
    Column("reasoning_tokens", CountColumn),
    Column("cached_tokens", CountColumn),
    Column("latency_s", AmountColumn, nullable=False),
    Column("version", SaidColumn),
    Column("cost_usd", CostColumn),
    Column("thoughts", LongTextColumn),
    Column("logprobs", LongTextColumn),
    Column("created_at", NumberColumn, nullable=False),
    Column(
        "recorded", WholeColumn
    ),  # 1: played back, so the cost was paid when it was made, by whoever did; 2: so, and it took no time; null: paid here
)
served_calls = Table(
    "served_calls",
    metadata,
    Column(
        "key", TextColumn, primary_key=True
    ),  # of a call or a failure; empty: the question itself, until it is forgotten
    Column("experiment", TextColumn, primary_key=True),  # the name that the question was served under
    Column("question", TextColumn, primary_key=True),
    Column("repeat", CountColumn, primary_key=True),
    Column("created_at", NumberColumn, nullable=False),
    sqlite_with_rowid=False,
)
unscrubbed = Table(
    "unscrubbed",
    metadata,
    Column("experiment", TextColumn, primary_key=True),  # the name that it was served under
    Column("mark", TextColumn, primary_key=True),  # of one episode; empty: several, or what came late for one
    Column("asker", TextColumn),  # who may ask whether it is gone; null: whoever sees all
    Column("episodes", CountColumn, nullable=False),  # how much was forgotten
    Column("questions", CountColumn, nullable=False),
    Column("calls", CountColumn, nullable=False),
    Column("forgotten_at", NumberColumn, nullable=False),
    sqlite_with_rowid=False,
)
failures = Table(
    "failures",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", TextColumn, nullable=False),
    Column("experiment", TextColumn, nullable=False, index=True),
    Column("model", TextColumn, nullable=False),
    Column("kind", TextColumn, nullable=False),
    Column("message", LongTextColumn, nullable=False),
    Column("created_at", NumberColumn, nullable=False),
)
episodes = Table(
    "episodes",
    metadata,
    Column("cell", TextColumn, primary_key=True),
    Column("question", TextColumn, primary_key=True),
    Column("repeat", CountColumn, primary_key=True),
    Column("outcome", OutcomeColumn, nullable=False),
    Column("answer", LongTextColumn),
    Column("verdict", LongTextColumn, nullable=False),
    Column("transcript", LongTextColumn, nullable=False),
    Column("seconds", AmountColumn, nullable=False),
    Column("created_at", NumberColumn, nullable=False, index=True),  # served traffic is shown, and forgotten, by age
    Column("unreached", LongTextColumn),  # JSON: who could not be reached, so that it is played again; null: nobody
)
scores = Table(
    "scores",
    metadata,
    Column("cell", TextColumn, primary_key=True),
    Column("case", TextColumn, primary_key=True),
    Column("repeat", CountColumn, primary_key=True),
    Column("grader", TextColumn, primary_key=True),
    Column("value", GradeColumn),
    Column("stage", TextColumn, nullable=False),
    Column("detail", LongTextColumn),
    Column("failure", LongTextColumn),  # what went wrong in a grader that is not ours, whoever graded in its place
    sqlite_with_rowid=False,
)
judgements = Table(
    "judgements",
    metadata,
    Column("case", TextColumn, primary_key=True),
    Column("answer", LongTextColumn, primary_key=True),  # normalised: equal answers are judged once
    Column("judge", TextColumn, primary_key=True),
    Column("right", WholeColumn),  # null: the judge gave no usable word, and `detail` says why
    Column("detail", LongTextColumn),
    Column("judge_name", TextColumn),  # as the file names it; `judge` tells models and prompts under one name apart
    Column("call_key", TextColumn),  # the call that holds the reply
    Column("tries", CountColumn),  # how often one that gave no usable word was asked
    Column("points", LongTextColumn),  # of a long answer: by criterion of its rubric, what it gets and why
    sqlite_with_rowid=False,
)
judge_calls = Table(
    "judge_calls",
    metadata,
    Column("case", TextColumn, primary_key=True),  # whose question and answers stand in what the judge was asked
    Column("key", TextColumn, primary_key=True),  # of a call or a failure; it may have given no usable word
    Index("ix_judge_calls_key", "key"),
    sqlite_with_rowid=False,
)
grades = Table(
    "grades",
    metadata,
    Column("case", TextColumn, primary_key=True),
    Column("answer", LongTextColumn, primary_key=True),  # normalised: equal answers are graded once
    Column("grader", TextColumn, primary_key=True),  # one that is not ours: match needs no record
    Column("value", GradeColumn),  # null: it leaves the answer to the judges
    Column("stage", TextColumn, nullable=False),
    Column("detail", LongTextColumn),
    sqlite_with_rowid=False,
)
settlements = Table(
    "settlements",
    metadata,
    Column("case", TextColumn, primary_key=True),
    Column("answer", LongTextColumn, primary_key=True),
    Column("right", WholeColumn, nullable=False),  # a person's word, which stands over every judge's
    Column("settled_at", NumberColumn, nullable=False),
    Column("turned", WholeColumn),  # 1: an earlier word said the opposite
    sqlite_with_rowid=False,
)
preferences = Table(
    "preferences",
    metadata,
    Column("question", TextColumn, primary_key=True),
    Column("first", TextColumn, primary_key=True),  # digests of the two texts, in the order in which they were shown
    Column("second", TextColumn, primary_key=True),
    Column("judge", TextColumn, primary_key=True),  # tells models and prompts under one name apart; or person:NAME
    Column("preferred", TextColumn),  # first, second, tie; null: no usable word, and `reason` says why
    Column("reason", LongTextColumn),
    Column("judge_name", TextColumn, nullable=False),
    Column("call_key", TextColumn),  # the call that holds the reply; null: a person's word
    Column("tries", CountColumn),  # how often one that gave no usable word was asked
    Column("said_at", NumberColumn, nullable=False),
    sqlite_with_rowid=False,
)
titles = Table(
    "titles",
    metadata,
    Column("episode", TextColumn, primary_key=True),  # its public id
    Column("person", TextColumn, primary_key=True),  # by the name of the key: each has its own
    Column("title", LongTextColumn, nullable=False),
    Column("named_at", NumberColumn, nullable=False),
    sqlite_with_rowid=False,
)
votes = Table(
    "votes",
    metadata,
    Column("first", TextColumn, primary_key=True),  # the public ids of two episodes of one question, in the order shown
    Column("second", TextColumn, primary_key=True),
    Column("person", TextColumn, primary_key=True),
    Column("question", TextColumn, nullable=False),
    Column("preferred", TextColumn, nullable=False),  # first, second, tie
    Column("said_at", NumberColumn, nullable=False),
    sqlite_with_rowid=False,
)
matches = Table(
    "matches",
    metadata,
    Column("question", TextColumn, primary_key=True),
    Column("repeat", CountColumn, primary_key=True),
    Column(
        "content", LongTextColumn, nullable=False
    ),  # texts that mean the same, as groups: for measurement, not for play
    sqlite_with_rowid=False,
)
declarations = Table(
    "declarations",
    metadata,
    Column("experiment", TextColumn, primary_key=True),  # its name: another file under it is the same undertaking
    Column("kind", TextColumn, primary_key=True),  # hypothesis, primary
    Column("text", LongTextColumn, primary_key=True),
    Column("declared_at", NumberColumn, nullable=False),
    Column("frozen", WholeColumn, nullable=False),  # 1: written down before the first call; 0: exploratory
    sqlite_with_rowid=False,
)

absences = Table(
    "absences",
    metadata,
    Column("key", TextColumn, primary_key=True),  # digest of the experiment's name and of all that was asked in a round
    Column("players", LongTextColumn, nullable=False),  # who was late for it, as JSON
    Column("created_at", NumberColumn, nullable=False),
)

name_places(metadata)
