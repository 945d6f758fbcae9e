"""The safety net: what hearing the others repairs in an answer, and what it spoils."""
