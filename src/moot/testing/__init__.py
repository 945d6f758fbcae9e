"""Contract suites: what everything of a kind must do, whoever wrote it. Run them on a plug-in of your own.

    async def test_mine():
        await check_strategy(MyStrategy())

Each raises `AssertionError` with a sentence that says which promise was broken.
"""

from moot.testing.logs import check_log_format as check_log_format
from moot.testing.measures import check_measure as check_measure
from moot.testing.plugins import check_ballot_rule as check_ballot_rule
from moot.testing.plugins import check_grader as check_grader
from moot.testing.plugins import check_model as check_model
from moot.testing.plugins import check_store as check_store
from moot.testing.selectors import check_selector as check_selector
from moot.testing.strategies import QUESTIONS as QUESTIONS
from moot.testing.strategies import check_strategy as check_strategy
from moot.testing.strategies import obliging as obliging
from moot.testing.strategies import scripted_team as scripted_team
