"""The version number of this framework, which recordings and save files also contain."""

__version__ = "0.1.0"
