"""Talk: who speaks when, who hears what, and how a discussion ends in a decision.

The parts know nothing of each other: a paradigm names speakers and hearers, a style words the prompt, a drafting says how
the first turn goes, a protocol decides. The strategy `discuss` puts them together.
"""
