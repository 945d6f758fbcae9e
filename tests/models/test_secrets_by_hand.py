"""One secret, and exactly what is left of a text that holds it, each way of writing it once. Mixtures are tried elsewhere."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest

from moot.models.secrets import Secrets, parts_of_header, secret_headers
from moot.models.spelt import packed_parts
from moot.models.spelt_letters import ends_in_letter, how_odd
from moot.types import Reply

KEY = "Zq9+abc/DEF7x=QpL0kdk"
HEX = KEY.encode().hex()
PACKED = base64.b64encode(f"user:{KEY}".encode()).decode()


def told(secrets: Secrets, text: str, size: int = 1) -> str:
    """As it is written, some letters at a time."""
    so_far = secrets.words_so_far()
    return "".join(so_far.take(text[start : start + size]) for start in range(0, len(text), size))


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        "Zq9%2Babc%2FDEF7x%3DQpL0kdk",
        "Zq9%252babc%252fDEF7x%253dQpL0kdk",
        "Zq9&#43;abc&#47;DEF7x&#61;QpL0kdk",
        "Zq9&plus;abc&sol;DEF7x&equals;QpL0kdk",
        "Zq9&#x2B;abc&amp;#x2f;DEF7x&#061;QpL0kdk",
        "Zq9\\u002babc\\/DEF7x\\x3dQpL0kdk",
        "\\u{5a}q9\\\\u002babc/DEF7x=QpL0kdk",
        HEX,
        HEX.upper(),
    ],
)
def test_a_key_is_cut_out_and_nothing_around_it(written: str) -> None:
    secrets = Secrets([KEY])
    assert secrets.without(Reply(f"got <{written}> here")).text == "got <⟨…✂…⟩> here"
    assert secrets.hidden_in(f"got <{written}> here") == "got <…> here"
    for size in (1, 7):
        assert told(secrets, f"got <{written}> here", size) == "got <"
    assert told(secrets, f"got <{written}> here", 1_000) == "", "the whole reply has it hidden"


def test_a_key_that_is_packed_with_others_is_cut_out_with_what_hangs_on_it() -> None:
    left = Secrets([KEY]).without(Reply(f"sent {PACKED} to us")).text
    assert left.startswith("sent ")
    assert left.endswith(" to us")
    assert "⟨…✂…⟩" in left
    assert len(left) < len("sent  to us") + 5 + 12, "no more than the packed user is left"


def test_a_reply_without_a_key_is_the_reply_itself() -> None:
    reply = Reply("Zq9+abc is no key", thoughts="nor is 7x=QpL0kdk", logprobs=[{"token": "Zq9"}])
    assert Secrets([KEY]).without(reply) is reply
    assert Secrets(()).without(Reply(KEY)).text == KEY
    assert told(Secrets([KEY]), "Zq9+abc is no key") == "Zq9+abc is no key"
    assert told(Secrets(()), KEY) == KEY


def test_a_key_is_cut_out_of_every_part_of_a_reply() -> None:
    secrets = Secrets([KEY])
    reply = Reply("fine", finish="stop", thoughts="hm", version="v1", logprobs=[{"token": "fine"}])
    for part, cut in (("text", "a ⟨…✂…⟩ b"), ("thoughts", "a ⟨…✂…⟩ b"), ("finish", "a … b"), ("version", "a … b")):
        left = secrets.without(replace(reply, **{part: f"a {KEY} b"}))  # type: ignore[arg-type]
        assert left == replace(reply, **{part: cut, "logprobs": None})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "spoken",
    [
        [{"token": KEY}],
        [{"token": "Zq9+abc/"}, {"token": "DEF7x=QpL0kdk"}],
        ["Zq9+abc/", "DEF7x=QpL0kdk"],
        {"content": [{"top": [{KEY: -0.1}]}]},
        [{"bytes": list(KEY[:9].encode())}, {"bytes": list(KEY[9:].encode())}],
        [*KEY.encode()],
    ],
    ids=["a token", "tokens", "texts", "a name, deep", "bytes of tokens", "bytes"],
)
def test_a_key_that_only_tokens_say_takes_them_along(spoken: object) -> None:
    reply = Reply("fine", logprobs=spoken)
    assert Secrets([KEY]).without(reply) == Reply("fine")


def test_a_short_key_is_taken_out_where_it_stands_by_itself() -> None:
    secrets = Secrets(["tea4"])
    for text, left in (
        ("tea4", "⟨…✂…⟩"),
        ("my tea4, please", "my ⟨…✂…⟩, please"),
        ("tea45 and steatea4", "tea45 and steatea4"),
        ("tea4_cup a_tea4", "tea4_cup a_tea4"),
        ("%20tea4%20 \\ntea4", "%20⟨…✂…⟩%20 \\n⟨…✂…⟩"),
        ("%41tea4 %5Ftea4", "%41tea4 %5Ftea4"),
        ("74656134 0x74656134", "⟨…✂…⟩ ⟨…✂…⟩"),
        ("a74656134", "a74656134"),
    ):
        assert secrets.without(Reply(text)).text == left, text
    assert told(secrets, "my tea4") == "my ", "more may come"
    assert told(secrets, "my tea45!") == "my tea45!"
    assert told(secrets, "my tea4, please") == "my "


def test_what_says_that_there_is_no_key_is_none_and_a_password_is_one_whatever_it_says() -> None:
    assert Secrets(["none", "", None]).hidden_in("none of it") == "none of it"
    assert Secrets([], passwords=["none", None]).hidden_in("none of it") == "… of it"


def test_a_key_that_is_written_by_numbers_is_known_by_its_letters_too() -> None:
    secrets = Secrets(["open%2Fsesame%20now"])
    for text in ("open%2Fsesame%20now", "open/sesame now", "open%2fsesame+now"):
        assert secrets.without(Reply(f"<{text}>")).text == "<⟨…✂…⟩>"


def test_what_is_hidden_in_messages_alone() -> None:
    address = "https://team.example/v1"
    secrets = Secrets([], in_messages=[address, "short", None, ""])
    assert secrets.hidden_in(f"no to {address}/chat, short") == "no to …/chat, short"
    assert secrets.hidden_in("no to https://team.example/") == "no to …", "a message may have been cut there"
    assert secrets.hidden_in("no to https://x") == "no to …x"
    assert secrets.without(Reply(address)).text == address
    eleven, twelve = "a" * 11, "b" * 12
    assert Secrets([], in_messages=[eleven, twelve]).hidden_in(f"{eleven} {twelve}") == f"{eleven} …"


def test_a_message_that_is_cut_in_the_middle_of_a_key() -> None:
    secrets = Secrets([KEY])
    assert secrets.hidden_in("no to Zq9+abc/DE") == "no to …"
    assert secrets.hidden_in("no to Zq9+abc") == "no to Zq9+abc", "seven letters are a word"
    assert secrets.beginning_of(f"no to {KEY}", 100) == "no to …"
    assert secrets.beginning_of("no to Zq9+", 100) == "no to …", "from four letters on, at the end of what is quoted"
    assert secrets.beginning_of("no to Zq9", 100) == "no to Zq9"
    assert secrets.beginning_of("a" * 50, 10) == "a" * 10


def test_a_long_text_is_shortened_without_a_part_of_a_key() -> None:
    secrets = Secrets([KEY])
    assert secrets.shortened(KEY, 100) == KEY, "it is looked through with the whole reply"
    short = secrets.shortened("a" * 20 + KEY + "b" * 90, 30)
    assert short.startswith("a" * 20 + "…")
    assert "Z" not in short
    assert secrets.name(7) is None
    assert secrets.name("") is None
    assert secrets.name("tom") == "tom"


def test_what_headers_hold() -> None:
    pair = base64.b64encode(b"team:sesame").decode()
    assert parts_of_header(f"Basic {pair}") == [f"Basic {pair}", pair, "team:sesame", "sesame"]
    assert parts_of_header("Bearer  abc ") == ["Bearer  abc ", "abc"]
    assert parts_of_header("abc") == ["abc", ""]
    assert secret_headers({"Authorization": "Bearer abc", "Accept": "text/plain"}) == ["Bearer abc", "abc"]


@pytest.mark.parametrize("before", range(6))
def test_the_part_of_what_is_packed_that_hangs_on_the_secret_alone(before: int) -> None:
    raw = b"twelve-bytes-and"
    whole = base64.b64encode(b"x" * before + raw + b"yz").decode()
    assert any(part in whole for part in packed_parts(raw))
    assert [len(part) for part in packed_parts(raw)] == [21, 20, 21]


def test_how_odd_a_text_is() -> None:
    texts = ("plain", "a \\ b", "50 %", "a & b", "%2b", "\\u0041", "&#43;", "&amp;", "\\/")
    assert [how_odd(text) for text in texts] == [0, 1, 1, 1, 2, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("", False),
        ("a", True),
        ("a_", True),
        ("7", True),
        ("a ", False),
        ("a-", False),
        ("%20", False),
        ("%41", True),
        ("%5f", True),
        ("%2D", False),
        ("%2520", False),
        ("\\n", False),
        ("\\\\n", False),
        ("\\x20", False),
        ("\\u0041", True),
        ("&#32", False),
        ("&#065", True),
        ("&#x2d", False),
        ("%C3", False),
        ("%7f", False),
        ("%7A", True),
    ],
)
def test_whether_a_word_goes_on(text: str, ends: bool) -> None:
    assert ends_in_letter(text) is ends


@pytest.mark.parametrize("long", [300, 20_000])
def test_a_long_text_that_comes_at_once_is_told_up_to_what_may_be_a_key(long: int) -> None:
    secrets, plain = Secrets([KEY, "tea4"]), "word " * (long // 5)
    assert told(secrets, plain, len(plain)) == plain
    for end in ("Zq9+ab", "Zq9%2", "\\u005aq9", "tea4", "te", "Zq9&plu"):
        assert told(secrets, plain + end, long + len(end)) == plain, end
    assert told(secrets, f"{plain}Zq9+abx", long + 7) == f"{plain}Zq9+abx"
    assert told(secrets, f"{plain}steatea4", long + 8) == f"{plain}steatea4"
    assert told(secrets, f"Zq9+abc/ {plain}", long + 9) == f"Zq9+abc/ {plain}", "it did not go on"
    assert told(secrets, f"{plain}{KEY} {plain}", 2 * long + len(KEY) + 1) == ""
    so_far = secrets.words_so_far()
    assert so_far.take(f"{plain}Zq9+abc/DEF7x=") == plain
    assert so_far.take("QpL0kdk and more") == ""
    assert so_far.take(plain) == "", "nothing more is told"
    so_far = secrets.words_so_far()
    assert so_far.take(f"{plain}Zq9+abc/DEF7x=") + so_far.take("QpL0kd? and more " * 9) == (
        f"{plain}Zq9+abc/DEF7x=" + "QpL0kd? and more " * 9
    )


def test_the_alphabet_of_addresses_is_another_only_where_it_was_packed() -> None:
    """A plus in a key is a plus; in what is packed it may be a minus."""
    assert Secrets([KEY]).without(Reply(KEY.replace("+", "-"))).text == KEY.replace("+", "-")
    odd = "~~~???>>>~~~???>>>"
    packed = base64.urlsafe_b64encode(f"user:{odd}".encode()).decode()
    assert {"-", "_"} & set(packed)
    for written in (packed, base64.b64encode(f"user:{odd}".encode()).decode()):
        left = Secrets([odd]).without(Reply(f"sent {written} to us")).text
        assert "⟨…✂…⟩" in left
        assert len(left) < len("sent ⟨…✂…⟩ to us") + 12
