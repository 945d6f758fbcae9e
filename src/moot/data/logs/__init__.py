"""Logs that other tools have written of evaluations: what each model was asked and said, as our questions and recorded replies.

A format is one file here, or a package of somebody else's (entry point group ``moot.logs``). What several logs say together is
put together in one place (`imported.py`), whatever the format.
"""
