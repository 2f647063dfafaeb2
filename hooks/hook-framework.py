"""PyInstaller's hook for the package `framework`: its shaders, fonts and other files.

The package registers the folder of this file as an entry point of PyInstaller, so that a plain
`pyinstaller game.py` finds the hook, too.
"""

from framework.tools.freezing import EXCLUDED, files_of_framework, modules_of_framework

datas = files_of_framework()
hiddenimports = modules_of_framework()
excludedimports = list(EXCLUDED)
