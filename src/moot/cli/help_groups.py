"""The commands as `moot --help` lists them: by what one wants to do, what comes first first, a line each."""

from __future__ import annotations

GROUPS = {
    "Get started": {
        "init": "Find models and questions, and write an experiment file.",
        "demo": "Show two recorded real runs. No model is needed.",
        "doctor": "Check every model, and what the run would cost.",
        "import": "Turn evaluation logs into questions and replies.",
    },
    "Run": {
        "plan": "Work out how many questions it takes to see a gain.",
        "run": "Run an experiment, or resume it where it stopped.",
        "watch": "Follow a running experiment on a page.",
        "runs": "List the experiments and served teams of a store.",
        "grade": "Grade again from the store: by match, judges or people.",
    },
    "Results": {
        "report": "Show the verdict, accuracy with intervals, and cost.",
        "compare": "Compare two strategies on the same questions.",
        "show": "Show one question with every prompt, reply and grade.",
        "select": "Choose complementary proposers, and test the choice.",
        "advise": "Recommend a team and a rule from existing drafts.",
        "fit": "Learn from graded questions which answer to take.",
        "export": "Export the store as recorded replies.",
    },
    "Ask and serve": {
        "ask": "Ask a team one question and watch it answer.",
        "log": "Search earlier questions and their answers.",
        "play": "Play the quiz as a game: the team against the audience.",
        "serve": "Serve a team as one model behind an API, with a page.",
        "mcp": "Offer a team as a tool for agents.",
        "purge": "Delete what a served team was asked.",
    },
    "Other": {
        "models": "List and download packaged local models.",
        "simulate": "Serve simulated models, with latency and faults on demand.",
        "schema": "Print the JSON Schema of the experiment file.",
    },
}
