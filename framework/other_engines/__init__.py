"""Other engines: errors for names and options of other engines. The error messages contain the
matching name or option of this framework.

The modules with names that end in ``_names`` contain tables, one for each room. `other_names`
creates class decorators from the tables.

Without graphics: all.
"""
