"""Error messages for users of other engines, which contain the right name or option of Subtick.

For example, if a program uses an attribute that exists only in Godot or Arcade, the error message
contains the name of Subtick's attribute.

Each module whose name ends in ``_names`` contains a table for one feature. `other_names` creates
class decorators from the tables.

All modules of this package work without graphics.
"""
