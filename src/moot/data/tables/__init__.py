"""Tables of questions as people have them: their own columns, delimiters and spreadsheets, turned into rows of our form.

A file whose columns are not ours is read once more than one whose are: first to find out which column is what and how
answers are written, by all of its rows, and then as any other. Nothing is guessed without being said.
"""
