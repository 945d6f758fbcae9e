"""Why there is no share of preferences at equal length and without a place, as it is told."""

NOT_TOLD_APART = (
    "too little tells how much judges go by length: texts differ in it alike in every question, "
    "or nearly every judgement goes one way"
)
SAYS_NOTHING = (
    "at equal length and without a place it could be nearly any share from 0 to 100 %: texts differ in length too much alike, or "
    "too few were compared"
)
ONE_ORDER = "a judge saw these texts in one order nearly alone, so that place cannot be told from quality"
UNHEARD = "nobody has said anything of these texts"
BY_PLACE = "a judge goes by the place so much that its judgements hardly tell of the texts"
ONE_QUESTION = "one question has no interval"
