"""What announces an answer and what takes it back, as patterns.

None repeats what it contains: each has a bound, or stops at whatever the next search begins with.
"""

from __future__ import annotations

import re

from moot.prompts.foreign_text import UNSEEN as _UNSEEN

THOUGHT_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
THOUGHT_BEGINS = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
UNSEEN = re.compile(rf"[\s{_UNSEEN}]*")
"""Nothing that anybody sees, such as a byte order mark: thoughts that begin behind it begin the text."""

NOUN = r"(?:answer|option|choice|response|alternative)"
PRAISE = r"(?:correct|right|best|final|chosen|appropriate|accurate|likely|suitable|closest|nearest)"
CUE = re.compile(
    rf"""(?=[abcfilmnorsвгиоп])(?<![\w/-])(?:
        (?P<plain> answer(?!\s+(?:choices|options|candidates|explanation|format)) | ответ(?:ом)? )
      | {PRAISE}\s(?:option|choice|response|alternative|letter)
      | (?:my|our)\s(?:choice|pick|vote|verdict|selection|conclusion)
      | (?:верный|верным|правильный|правильным|подходящий|итоговый)\sвариант(?:ом)?
      | вариант\sответа
      | (?P<verb> I(?:\swill|\swould|['’]ll|['’]d)?\s
            (?:choose|chose|pick|select|selected|go\swith|vote\sfor|stick\swith|settle\son)
        | выбираю | выберу | голосую\sза | ans\s?[:.=] )
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
BOXED = re.compile(r"\\f?boxed\s{0,3}\{")
PRAISED = re.compile(
    rf"""(?=[A-ZА-Яocв])(?<![\w-])(?:(?P<noun>(?:[Oo]ption|[Cc]hoice|[Вв]ариант)\s)\W{{0,3}})?(?P<letter>[A-ZА-Я])\W{{0,4}}?\s(?:is|[—–])\s
    (?:therefore\s|thus\s|indeed\s|clearly\s)?(?:(?P<the>(?:the\s)?(?:only\s)?{PRAISE}\s{NOUN})|(?P<bare>correct|right|верный|правильный))
    \s{{0,2}}(?=[.,;!)*\n]|$|because|since|as\b)""",
    re.VERBOSE,
)
LINK = re.compile(
    r"(?P<gap>[^\n.:：;?!=|→>]{0,80}?)"
    r"(?:(?<!\w)(?:is|be|remains|was|это|является|будет)(?!['’\w])|[:：—|→]|(?<!<)=|–(?!\d)|\s-{1,2}>?\s|['’]s(?=\s))"
    r"|[\s*_]{0,3}>"
)
"""A sign of comparison is none: "the answer has x > 3". The one that ends `<answer>` is."""

FILL = re.compile(
    r"(?:[\s*_`#~:：=—|→,}…]|[->–](?!\s{0,20}[\d.√$\\])|\.{2,3}|(?:therefore|thus|then|hence|clearly|simply|most\slikely"
    r"|probably|likely|definitely|indeed|actually|still|closest\sto|I\s(?:believe|think|would\ssay)|the|correct|right|option|choice|letter|вариант|буква"
    r"|под\sбуквой|пункт|именно|конечно|скорее\sвсего)(?!\w))*",
    re.IGNORECASE,
)
"""What leads to an option, to yes or to no; a minus before a number is the number's (`free_words` for free answers)."""
OPEN = re.compile(
    r"(?:\\(?:f?boxed|text|textbf|textit|mathbf|mathrm|mathit|bf|rm)\s?\{|\\[(\[,;!]|<[a-z]{1,10}>"
    r"|[(\[{*_`\"'«“„‘$<]|\s){0,12}"
)
SHUT = re.compile(r"(?:\s?\\[)\]]|[)\]}*_`\"'»”“’$]){0,12}")
STOP = re.compile(r"[ \t]*(?:[.,;:!|<—–\n]|-\s|$|\((?!\w\)))")
GOES_ON = re.compile(
    r"[ \t]{1,3}(?:because|since|as|for|due|which|with|based|given|and\s(?:not|the|this|that|it|my|I)"
    r"|is\s(?:the\s)?(?:correct|right|best|my)"
    r"|так\sкак|потому|поскольку|ибо|и\sэто)(?!\w)",
    re.IGNORECASE,
)
SECOND = re.compile(
    r"\s{0,3}(?:(?P<joined>or|and|и|или|/|&|и/или|and/or)\s{0,3}|,\s{0,3}(?:or\s|and\s|или\s)?)[(*\"'\[]{0,3}(?P<letter>[A-ZА-Я])(?![\w'’-])"
)
AFTER_SECOND = re.compile(r"[)*\"'\]]{0,3}\s{0,2}(?:[.,;!\n]|$|or\b|and\b|или\b)")
DENIAL = re.compile(
    r"(?:none|neither|either|both|nothing|unknown|unclear|impossible|indeterminate|undetermined|unavailable"
    r"|not\s(?:among|in|listed|given|provided|available|one|any|present|possible|clear|known|determinable|certain|sure)"
    r"|cannot\s|ни\sодин|неизвестн|не\sуказан|отсутств|нет\sсреди)",
    re.IGNORECASE,
)
NEGATED = re.compile(r"(?:\bnot\b|n['’]t\b|\bnever\b|\bcannot\b|\bне\b|\bни\b|\bif\b)", re.IGNORECASE)
OF_OTHERS = re.compile(
    r"(?:\b(?:wrong|incorrect|if|whether|unless|suppose|assuming|previous|initial|earlier|original|first|another|tempting|common"
    r"|his|her|their|your|says|said|claims|claimed|argues|argued|неверный|неправильный|если|его|её|их|прежний)|['’]s|s['’])"
    r"[,:]?\s(?:that\s|что\s)?[\"“«'*]{0,3}(?:the\s|a\s|an\s)?(?:\w{1,12}\s)?$",
    re.IGNORECASE,
)
TAG = re.compile(r"<[a-z]{1,10}>", re.IGNORECASE)
BEFORE = 48
"""How far back it is looked who is speaking."""
LEAD = re.compile(
    r"[\W_]*(?:(?:so|therefore|thus|hence|in conclusion|and|the|my|our|final|correct|right|best|short|итак|значит|поэтому"
    r"|следовательно|мой|наш|правильный|верный|окончательный|итоговый|краткий)[\W_]+)*",
    re.IGNORECASE,
)
"""What may stand before "answer" where the answer is free: elsewhere any words could follow."""

AROUND = r"[\s()\[\]{}*_`\"'«»“”„.,:;#>$\\|-]{0,20}"
ALONE = re.compile(rf"{AROUND}([A-Za-zА-Яа-я])(?!#){AROUND}")
NAMED = re.compile(r"[\W_]{0,8}([A-Za-z])[).:\]*_]{1,4}\s{0,4}(\S.*)", re.DOTALL)
SAID = re.compile(r"([^\W\d_]{2,5})(?!\w)")
SECOND_WORD = re.compile(r"\s{0,2}(?:or|and|/|или|и)\s{0,2}([^\W\d_]{2,5})(?!\w)")
CLAUSE_ENDS = re.compile(r"[.!;,](?=\s|$)|\s(?:because|since|as|which|\()|[*_]{2}")
OPERATOR = re.compile(r"[ \t]*(?:[=+^>*/×·]|<(?!/)|-\d)")
NOT_ALONE = ("'", "’", "_", "(", "{", "^", "\\", "%", "°")
EDGES = " \t\r\n*_`\"'«»“”„"
