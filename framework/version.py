"""Which version this is, for what is written to files."""

__version__ = "0.1.0"
