"""A team that stands ready: asked, served, played with; and what it was asked before."""
