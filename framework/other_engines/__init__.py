"""Other engines: errors for names and options of other engines. The errors contain the name or
option of this framework.

The modules with names that end in ``_names`` contain tables, one for each room. `other_names`
creates class decorators from these tables.

Without graphics: all.
"""
