"""The commands as `moot --help` lists them: by what one wants to do, what comes first first, a line each."""

from __future__ import annotations

GROUPS = {
    "Begin": {
        "init": "Find models and questions, and write an experiment file.",
        "demo": "Two real runs, recorded: what moot tells. No model is needed.",
        "doctor": "Is every model there, and what would the run cost?",
        "import": "Logs of evaluations you have, as questions and replies.",
    },
    "Run": {
        "plan": "How many questions are needed to see a gain.",
        "run": "Run an experiment, or go on where it stopped.",
        "watch": "A page of a running experiment.",
        "runs": "The experiments and served teams of a store.",
        "grade": "Grade again from the store: by match, judges and persons.",
    },
    "Look": {
        "report": "The verdict, accuracy with intervals, outcomes and cost.",
        "compare": "Two strategies on the same questions.",
        "show": "One question, whole: every prompt, reply and grade.",
        "select": "Choose complementary proposers, and test the choice.",
        "advise": "Which team and rule to take, from the drafts that are there.",
        "fit": "Learn from graded questions which answer to take.",
        "export": "The store as recorded replies.",
    },
    "Ask and serve": {
        "ask": "Ask a team one question and watch it answer.",
        "log": "Earlier questions and their answers, found by their words.",
        "play": "The quiz as a game: the team against the audience.",
        "serve": "A team as one model behind an API, and a page to watch it.",
        "mcp": "A team as a tool for agents.",
        "purge": "Forget what a served team was asked.",
    },
    "Beside": {
        "models": "Packaged local models: list them, get one.",
        "simulate": "Serve simulated models, with latency and faults on order.",
        "schema": "Print the JSON Schema of the experiment file.",
    },
}
