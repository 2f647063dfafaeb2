"""Version: the version number of the framework. Recordings and save files store this version
number.
"""

__version__ = "0.1.0"
