"""A second way to every figure: slow and plain, from what a report exports, by the definitions and not by moot's own code.

Nothing here imports `moot.measures` or `moot.stats`, and a test sees to it. Where the two ways differ, one of them is wrong.
"""
