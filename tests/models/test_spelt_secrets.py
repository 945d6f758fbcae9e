"""A secret that comes back is one in whichever letters it is written: whole, in part so, packed with others, or in pieces."""

from __future__ import annotations

import base64
import html
import json
import re
import textwrap
import time
from collections.abc import Callable
from html.entities import html5
from itertools import pairwise
from urllib.parse import quote, quote_plus, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.models.secrets import Secrets, parts_of_header, secrets_of_proxy
from moot.types import Reply

KEY = "Zq9+abc/DEF7x=QpL0kdk"
ODD_KEYS = (
    "pw%2F31%25-and-more",
    "a&amp;b&lt-and-more",
    r"DOMAIN\user\\pass-2b",
    "u0041x41-25-2525%25",
    "пароль-ключ-né",
)
NAMES = {letter: name for name, letter in sorted(html5.items()) if name.endswith(";")}


def percent(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode())


LETTERS: dict[str, Callable[[str], str]] = {
    "as it is": lambda letter: letter,
    "percent": percent,
    "percent, lower case": lambda letter: percent(letter).lower(),
    "percent, twice": lambda letter: percent(letter).replace("%", "%25"),
    "decimal entity": lambda letter: f"&#{ord(letter)};",
    "padded entity": lambda letter: f"&#{ord(letter):04d};",
    "hexadecimal entity": lambda letter: f"&#x{ord(letter):X};",
    "named entity": lambda letter: f"&{NAMES[letter]}" if letter in NAMES else f"&#{ord(letter)};",
    "entity within a page": lambda letter: f"&amp;#{ord(letter)};",
    "entity in Go's JSON": lambda letter: f"\\u0026#{ord(letter)};",
    "JSON": lambda letter: f"\\u{ord(letter):04x}",
    "JSON within JSON": lambda letter: f"\\\\u{ord(letter):04X}",
    "JavaScript": lambda letter: f"\\x{ord(letter):02x}" if ord(letter) < 256 else f"\\u{{{ord(letter):x}}}",
}
SAFE = ("-", "_", ".")


def mostly_as_it_is(way: Callable[[str], str]) -> Callable[[str], str]:
    return lambda letter: letter if letter.isalnum() or letter in SAFE else way(letter)


def spelling(way: Callable[[str], str]) -> Callable[[str], str]:
    return lambda key: "".join(map(way, key))


WHOLE: dict[str, Callable[[str], str]] = {
    "quote": quote,
    "quote all": lambda key: quote(key, safe=""),
    "quote_plus": quote_plus,
    ".NET": lambda key: re.sub("%..", lambda found: found[0].lower(), quote(key, safe="")),
    "page": html.escape,
    "Go's page": lambda key: html.escape(key).replace("+", "&#43;"),
    "JSON": lambda key: json.dumps(key)[1:-1],
    "PHP's JSON": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    **{f"{name}, some letters": spelling(mostly_as_it_is(way)) for name, way in LETTERS.items()},
    **{f"{name}, all letters": spelling(way) for name, way in LETTERS.items()},
}


def packed(
    before: str, behind: str = "", *, url: bool = False, width: int = 0, end: str = "\n"
) -> Callable[[str], str]:
    def pack(key: str) -> str:
        raw = f"{before}{key}{behind}".encode()
        whole = (base64.urlsafe_b64encode if url else base64.b64encode)(raw).decode()
        return end.join(textwrap.wrap(whole, width)) if width else whole

    return pack


PACKED = {
    "alone": packed(""),
    "for an address": packed("", url=True),
    "Bearer": packed("Bearer "),
    "no user": packed(":"),
    "user": packed("user:"),
    "user, for an address": packed("us:", url=True),
    "with more behind": packed("user:", "@host"),
    "in a JSON": packed('{"key": "', '", "a": 1}'),
    "in lines": packed("Authorization: Bearer ", " and so on, for a while", width=76, end="\r\n"),
    "in short lines": packed("user:" * 4, "more" * 9, width=20),
    "in lines within JSON": packed("user:" * 11, "more" * 9, width=64, end="\\n"),
}


def tells(text: str, key: str) -> bool:
    """Whether whoever reads it, and reads it again, finds the key."""
    forms = [text]
    for form in forms[:]:
        forms += [unquote(form), html.unescape(form), unquote(unquote(form)), html.unescape(html.unescape(form))]
    return any(key in form for form in forms)


@pytest.mark.parametrize("key", [KEY, *ODD_KEYS])
@pytest.mark.parametrize("way", WHOLE)
def test_in_any_letters(way: str, key: str) -> None:
    written = WHOLE[way](key)
    secrets = Secrets([key])
    for text in (written, f"got <<{written}>>", f'{{"answer": "{written}"}}', f"%{written}%2", f"\\u00{written}&#"):
        for told in (
            secrets.without(Reply(text)).text,
            secrets.hidden_in(text),
            "".join(map(secrets.words_so_far().take, text)),
        ):
            assert written not in told, text
            assert not tells(told, key), text


@pytest.mark.parametrize("key", [KEY, "sk-proj-AbC_dEf-123456789012", "twelve-bytes"])
@pytest.mark.parametrize("way", PACKED)
def test_packed_with_others(way: str, key: str) -> None:
    written = PACKED[way](key)
    secrets = Secrets([key])
    for spelling in (written, quote(written, safe=""), written.replace("/", "\\/"), written.replace("+", "\\u002b")):
        text = f"you sent Basic {spelling}, really"
        for told in (
            secrets.without(Reply(text)).text,
            secrets.hidden_in(text),
            "".join(map(secrets.words_so_far().take, text)),
        ):
            assert "…" in told or not told.endswith("really")
            left = re.sub(r"%0[AD]|\\r|\\n|\s", "", unquote(told).replace("\\/", "/").replace("\\u002b", "+"))
            for run in re.findall(r"[A-Za-z0-9+/_-]{8,}", left):
                for start in range(4):
                    piece = run[start:].replace("-", "+").replace("_", "/")
                    assert key[4:-4].encode() not in base64.b64decode(
                        piece[: len(piece) // 4 * 4] + "====", validate=False
                    )


@given(st.data())
def test_any_mixture_with_anything_beside_it_in_any_pieces(data: st.DataObject) -> None:
    key = data.draw(st.text("aB3+/=-%&\\u xé0259", min_size=12, max_size=24).filter(lambda key: len(set(key)) > 6))
    if data.draw(st.booleans()):
        written = "".join(data.draw(st.sampled_from(list(LETTERS.values())))(letter) for letter in key)
    else:
        written = data.draw(st.sampled_from(list(PACKED.values())))(key)
    beside = st.lists(
        st.sampled_from(["a", "%", "%2", "&", "&#", "\\", "\\u00", " ", "25", ";", "\n", "é"]), max_size=6
    )
    before, behind = ("".join(data.draw(beside)) for _ in range(2))
    text = f"{before}{written}{behind}"
    secrets = Secrets([key])
    whole = secrets.without(Reply(text)).text
    assert written not in whole
    assert "…" in whole
    assert written not in secrets.hidden_in(text)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    so_far = secrets.words_so_far()
    told = "".join(so_far.take(text[start:end]) for start, end in pairwise(sorted({0, len(text), *cuts})))
    assert whole.startswith(told)


def test_a_proxy_is_sent_its_user_and_password_packed() -> None:
    for address in ("http://team:Pass-word-16%2F@proxy:1", "http://t:short7@proxy:1", "http://:secret@proxy:1"):
        proxy = urlsplit(address)
        pair = f"{unquote(proxy.username or '')}:{unquote(proxy.password or '')}"
        secrets = Secrets(secrets_of_proxy(proxy))
        sent = base64.b64encode(pair.encode()).decode()
        for text in (f"forbidden: Proxy-Authorization: Basic {sent}", f"<b>{sent}</b>", f"for {pair}!"):
            assert sent.rstrip("=")[:8] not in secrets.hidden_in(text)
            assert sent.rstrip("=") not in secrets.without(Reply(text)).text
            assert pair not in secrets.without(Reply(text)).text
            assert unquote(proxy.password or "") not in secrets.hidden_in(text)
    assert secrets_of_proxy(urlsplit("http://proxy:1")) == []


def test_a_header_of_the_scheme_basic_is_its_pair_too() -> None:
    pair = "team:open-sesame-42"
    secrets = Secrets(parts_of_header(f"Basic {base64.b64encode(pair.encode()).decode()}"))
    assert "sesame" not in secrets.without(Reply("user team with the password open-sesame-42")).text
    assert "sesame" not in secrets.hidden_in("no to team:open-sesame")
    assert parts_of_header("Basic ?") == ["Basic ?", "?"]


def test_in_hexadecimal_digits() -> None:
    secrets = Secrets([KEY])
    for digits in (KEY.encode().hex(), KEY.encode().hex().upper()):
        assert secrets.without(Reply(f"bytes {digits}.")).text == "bytes ⟨…✂…⟩."


def packed_alone(key: str) -> str:
    return base64.b64encode(key.encode()).decode().rstrip("=")


SHORT = ("hush", "s3cr3", "s3cr3t", "sk-12345", "пароль", "elevenbytes")
ALONE: dict[str, Callable[[str], str]] = {
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal, upper case": lambda key: key.encode().hex().upper(),
    "hexadecimal behind 0x": lambda key: f"0x{key.encode().hex()}",
    "hexadecimal behind 0X, upper case": lambda key: f"0X{key.encode().hex().upper()}",
    "base64": packed_alone,
    "base64 for addresses": lambda key: packed_alone(key).replace("+", "-").replace("/", "_"),
}


@pytest.mark.parametrize("key", SHORT)
@pytest.mark.parametrize("way", ALONE)
def test_a_short_one_that_was_packed_alone(way: str, key: str) -> None:
    """From eight letters on: fewer are numbers and words like others."""
    written = ALONE[way](key)
    secrets = Secrets([key])
    digits = written.removeprefix("0x").removeprefix("0X")
    for text in (
        written,
        f"no to {written}",
        f'{{"got": "{written}"}}',
        f"key={written};",
        f"({written}) twice: {written}",
    ):
        for told in (
            secrets.hidden_in(text),
            secrets.without(Reply(text)).text,
            "".join(map(secrets.words_so_far().take, text)),
        ):
            assert (digits in told) == (len(digits) < 8), text
        if len(digits) >= 8:
            assert written not in secrets.hidden_in(text)
    beside = f"a{digits}b {digits}7"
    assert secrets.without(Reply(beside)).text == beside or len(key.encode()) >= 12, "inside of a word it is that word"


@pytest.mark.parametrize(("key", "number"), [("1", "31"), ("42", "3432"), ("tea", "746561")])
def test_a_number_is_no_key_of_one_to_three_letters(key: str, number: str) -> None:
    reply = Reply(f"It is {number}.")
    assert Secrets([key]).without(reply) is reply


BEFORE = (
    *(
        "next=/login%3Fkey%3D",
        "%253D",
        "Bearer%20",
        "Bearer\\n",
        "Bearer\\\\t",
        "\\u003d",
        "\\x20",
        "a_key&#61;",
        "a_key&#61",
    ),
    *("a_key&#x3D", "&amp;#61;", "&amp;amp;#061", "%E2%80%9C", "\u201c", "%2525%253D"),
)
"""Other letters by their numbers: what stands behind them is no part of a word."""


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("key", ["hush", "s3cr3t", "a/b+c=d"])
def test_a_short_one_behind_another_letter_by_its_number(key: str, before: str) -> None:
    secrets = Secrets([key])
    for written in (key, quote(key, safe=""), quote(quote(key, safe=""), safe="")):
        text = f"it got {before}{written}%26more"
        so_far = secrets.words_so_far()
        for told in (
            secrets.hidden_in(text),
            secrets.without(Reply(text)).text,
            "".join(map(secrets.words_so_far().take, text)),
            "".join(so_far.take(part) for part in (text[:9], text[9:])),
        ):
            assert written not in told
    within = f"it got %41{key}, \\u0041{key}, x%5f{key} and &#65;{key}"
    reply = Reply(within.replace(f";{key}", f"{key}"))
    assert Secrets([key]).without(reply) is reply, "and a letter by its number is one"


def by_numbers(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


AGAIN: dict[str, Callable[[str], str]] = {
    "all, twice": lambda key: by_numbers(by_numbers(key)),
    "all, in lower case, twice": lambda key: by_numbers(by_numbers(key).lower()).lower(),
    "what is odd, and then all": lambda key: by_numbers(quote(key, safe="")),
    "all, and then what is odd, twice": lambda key: quote(quote(by_numbers(key))),
}


@pytest.mark.parametrize("way", AGAIN)
@pytest.mark.parametrize("key", [KEY, "sk-proj-AbC_dEf-123456789012", "пароль-ключ-né", "pw%2F31%25-and-more"])
def test_in_an_address_within_an_address(key: str, way: str) -> None:
    written = AGAIN[way](key)
    secrets = Secrets([key])
    for text in (written, f"https://elsewhere.invalid/{written}", f"/login?next=%2F%3Fkey%3D{written}%26a"):
        for told in (
            secrets.hidden_in(text),
            secrets.without(Reply(text)).text,
            "".join(map(secrets.words_so_far().take, text)),
        ):
            assert written not in told
            assert not tells(told, key)
    for_ever = by_numbers(by_numbers(by_numbers(written)))
    assert secrets.hidden_in(f"moved to {for_ever}") == "moved to …"


ORDINARY = (
    "100% of 42 people said R&D &amp; 4%2 \\frac{4}{2} \\(x\\) &lt;b&gt; AT&T 50%25 &#8217; C:\\users\\ab",
    "The word ab stands in a cab; abc, Abba, aB; x42y, 142, 420 and 4.2 are no 42nd of it.",
    "Y2Fi YWI= QUI= NDI= dGVh c2VjcmV0cw== QmVhcmVy",
)


@pytest.mark.parametrize("key", ["hush", "tea", "s3cr3t", "secret", "Bearer-x"])
def test_ordinary_words_are_left_alone(key: str) -> None:
    for text in ORDINARY:
        reply = Reply(text)
        assert Secrets([key]).without(reply) is reply
    assert Secrets([key]).without(Reply(f"a{key}b")).text == f"a{key}b"
    assert Secrets([key]).without(Reply(f"it is {key}.")).text == "it is ⟨…✂…⟩."


def test_a_message_that_was_cut_is_hidden_too() -> None:
    secrets = Secrets([KEY])
    for way in WHOLE.values():
        told = secrets.hidden_in(f"no to {way(KEY)[:-1]}")
        assert told.startswith("no to …")
        assert len(told) < 20, "of a letter that was cut in the middle its first digits may be left"
    assert secrets.hidden_in("no to " + packed("Bearer ")(KEY)[:24]).endswith("…")


HOSTILE = {
    "the beginning": KEY[:-1],
    "the beginning by numbers": quote(KEY, safe="")[:-1],
    "its first letter": KEY[0],
    "backslashes": "\\",
    "percent": "%25",
    "ampersands": "&amp;",
    "JSON": "\\u005a",
    "packed": base64.b64encode(KEY.encode()).decode()[:-3],
    "lines": base64.b64encode(KEY.encode()).decode()[0] + "\n",
    "halves": "\\u00",
}


@pytest.mark.long
@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("key", [KEY, "%25%25%25%25%25%25%25%25", "&amp;&amp;&amp;&amp;", "\\" * 12 + "x" * 4])
def test_no_text_takes_longer_than_its_length(unit: str, key: str) -> None:
    """By how it grows: four times as much may take no more than some eight times as long."""

    def cpu_s(size: int) -> float:
        text = (HOSTILE[unit] * size)[:size]
        secrets = Secrets([key])
        secrets.without(Reply(text[:100]))
        secrets.hidden_in(text[:100])
        begun = time.thread_time()
        secrets.without(Reply(text))
        secrets.hidden_in(text)
        so_far = secrets.words_so_far()
        for start in range(0, size, 5):
            so_far.take(text[start : start + 5])
        return time.thread_time() - begun

    short_s = min(cpu_s(3_000) for _ in range(2))  # first: letters are compiled as they are met
    assert min(cpu_s(12_000) for _ in range(3)) < 8 * max(0.02, short_s)
