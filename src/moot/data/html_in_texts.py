"""Answers as a page has them: <b>Paris</b>, AT&amp;T. Flashcards and quiz sites export them so, and nobody says them."""

from __future__ import annotations

import html
import re

_RAISED = re.compile(r"<sup>([^<>]*)</sup>", re.IGNORECASE)
_BREAK = re.compile(r"<br ?/?>|</(?:div|p|li)>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|big|center|code|div|em|font|h[1-6]|i|li|p|small|span|strong|sub|u|ul|ol)(?: [^<>]*)?>", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}[0-9]{0,2}|#[0-9]{1,6}|#[xX][0-9A-Fa-f]{1,6});")


def without_html(text: str) -> str:
    """What a page shows of it: what is raised keeps its sign, and 10<sup>6</sup> is no 106."""
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub(" ", _RAISED.sub(r"^\1", text)))
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity.group()), text)
    return text.replace("\u00a0", " ").strip()


def says_something(text: str) -> bool:
    return any(map(str.isalnum, text))
