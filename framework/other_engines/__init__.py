"""Other engines: names and options of other engines, and errors that say what to write here.

The modules whose names end in ``_names`` are the tables, one for each room. `other_names` makes
class decorators from the tables.

Without graphics: all.
"""
