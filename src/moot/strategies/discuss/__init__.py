"""Discuss: agents talk a task over for some turns, and a protocol decides. Who speaks when, who hears what, how it ends."""
