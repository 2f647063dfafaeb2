"""Other engines: if a program uses a name or an option that only other engines have, raise an error
that contains this framework's name or option.

The modules whose names end in ``_names`` contain tables, one for each feature.
`other_names` creates class decorators from the tables.

All modules of this package work without graphics.
"""
