"""The OpenAI chat form, seen from a server: requests read, replies and refusals written, a client who goes away noticed.

Both servers speak it: `moot serve`, behind which a team sits, and `moot simulate`, behind which simulated models do.
"""
