"""Small source trees for the tests of the checkers."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))


class TreeTest(unittest.TestCase):
    """Gives each test an empty folder `self.root`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path: str, text: str, executable: bool = False) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if executable:
            file.chmod(0o755)
        return file

    def tool(self, name: str, *arguments, env=None) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, TOOLS / name, *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
