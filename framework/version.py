"""Version: the version of the framework, for files that store it."""

__version__ = "0.1.0"
