"""Runs the program in a folder of its own."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = str(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else "saltus"
ROOT = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(".")

DECAY = """model Decay "dies away"
  parameter Real k(unit = "1/s") = 2 "rate";
  Real x(start = 1, fixed = true, unit = "m") "what is left";
equation
  der(x) = -k * x;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end Decay;
"""

RELAY = """model Relay
  parameter Real a = 0.02;
  Real y(start = 0, fixed = true), v(start = 1, fixed = true);
equation
  der(y) = v;
  der(v) = -0.4 * v - sign(y + a * v);
  annotation(experiment(StopTime = 8));
end Relay;
"""

# Takes for ever: an oscillator over a long time.
ENDLESS = """model Endless
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = (1 - x * x) * v - x;
  annotation(experiment(StopTime = 1e7));
end Endless;
"""


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        for name, text in (("decay", DECAY), ("relay", RELAY), ("endless", ENDLESS)):
            (self.folder / f"{name}.mo").write_text(text)

    def tearDown(self) -> None:
        self.temporary.cleanup()

    def call(self, *arguments, code: int = 0, timeout: float = 120, **keywords) -> subprocess.CompletedProcess:
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True, timeout=timeout,
                              capture_output=True, **keywords)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done


def main() -> None:
    unittest.main(argv=sys.argv[:1])
