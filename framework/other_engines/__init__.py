"""Other engines: raise errors for names and options of other engines. The error messages contain
the name or option that this framework uses instead.

The modules with names that end in ``_names`` contain tables, one for each room. `other_names`
creates class decorators from the tables.

Without graphics: all.
"""
