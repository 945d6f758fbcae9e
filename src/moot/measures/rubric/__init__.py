"""Points that judges give long answers: by criterion, by judge, and by length."""
