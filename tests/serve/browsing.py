"""A real browser, and how a page is read in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (apt)")


@contextmanager
def browsing() -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in ("--headless=new", "--no-sandbox", "--window-size=1300,1000"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def until(browser: Any, found: Any) -> Any:
    return WebDriverWait(browser, 120, poll_frequency=0.05).until(found)


def text(browser: Any, ident: str) -> str:
    return str(browser.execute_script("return document.getElementById(arguments[0]).textContent", ident))


def opened(browser: Any, url: str) -> None:
    """The page, with the teams that can be asked."""
    browser.get(url)
    until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#model option"))


def asked(browser: Any, url: str, question: str, model: str | None = None) -> None:
    opened(browser, url)
    ask(browser, question, model)


def ask(browser: Any, question: str, model: str | None = None) -> None:
    if model:
        browser.execute_script("document.getElementById('model').value = arguments[0]", model)
    browser.find_element(By.ID, "question").send_keys(question, Keys.ENTER)
    until(browser, lambda page: "call" in text(page, "cost"))


def console(browser: Any) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def hushed(browser: Any) -> None:
    """No page is open, and what earlier ones asked for is not told any more."""
    browser.get("about:blank")
    requested(browser)


def requested(browser: Any) -> list[str]:
    """The addresses that were asked for since this was last called."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"]
