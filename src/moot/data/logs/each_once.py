"""One reply of a model to a question and sample, where logs have more than one.

What failed may have been submitted again, as the expired part of a batch is: then the log of the first time has its failure, and
a later one the reply. The reply stands. Two replies are another thing: nobody here can tell which of them counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moot.data.logs.log import LoggedReply
from moot.errors import FileError
from moot.stats.counted_words import count


def each_once(replies: Sequence[LoggedReply]) -> tuple[list[LoggedReply], int]:
    """And of how many a failure has given way to what came of asking again."""
    kept: dict[tuple[str, str, int], LoggedReply] = {}
    resubmitted: set[tuple[str, str, int]] = set()
    for reply in replies:
        key = (reply.model, reply.question.name, reply.sample)
        earlier = kept.setdefault(key, reply)
        if earlier is reply:
            continue
        if not (earlier.failed or reply.failed) or not _of_one_question(earlier, reply):
            raise _twice(earlier, reply)
        if earlier.failed:
            kept[key] = reply
        if earlier.failed != reply.failed:
            resubmitted.add(key)
    return list(kept.values()), len(resubmitted)


def _of_one_question(one: LoggedReply, other: LoggedReply) -> bool:
    """Within a file an id may stand for two questions by mistake."""
    return one.file != other.file or one.question == other.question


def _twice(earlier: LoggedReply, reply: LoggedReply) -> FileError:
    again = f"a second reply of {reply.model!r} to {reply.question.name!r}, sample {reply.sample}"
    if earlier.file == reply.file:
        return FileError(f"{again}: an id has to mean one question", file=reply.file, line=reply.line)
    problem = (
        f"{again}: {earlier.file} has one already; expected one log of a model and task, or one reply where what failed"
    )
    more = "was asked again (repeats are samples within a log; moot import with --model gives another name)"
    return FileError(f"{problem} {more}", file=reply.file)


def resubmitted_words(replies: int) -> Iterator[str]:
    if replies:
        yield f"{count(replies, 'reply', 'replies')} came when what had failed was asked again: the failure is left out"
