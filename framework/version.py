"""Version: the version number of this framework. Recordings and save files contain this version
number.
"""

__version__ = "0.1.0"
