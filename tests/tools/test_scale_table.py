"""Chunks are counted as they are handed out, and a changed table or constant is seen."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks/ensembles"))
import scale_table  # noqa: E402


def one_by_one(runs: int, cores: int) -> int:
    """MissingRuns::take, until nothing is left."""
    left, count = runs, 0
    while left > 0:
        left -= min(max(left // (8 * cores), 1), 256)
        count += 1
    return count + cores


class ScaleTable(unittest.TestCase):
    def test_requests(self):
        for runs in (1, 100, 12345, 10**6):
            for cores in (1, 7, 100, 1000):
                self.assertEqual(scale_table.n_requests(runs, cores), one_by_one(runs, cores))

    def test_numbers(self):
        self.assertEqual([scale_table.duration(s) for s in (0.0123, 0.7, 3, 100, 4000, 1e6)],
                         ["12 ms", "700 ms", "3 s", "1.7 min", "1.1 h", "12 d"])

    def test_what_limits(self):
        constants = {"run_s": 1e-3, "overhead_s": 0.0, "record_bytes": 50.0, "request_s": 1e-6, "booking_s": 1e-7,
                     "bandwidth_bytes_per_s": 1e9}
        few = scale_table.limits(constants, 10**6, 10, True)
        self.assertEqual(max(few, key=few.get), "runs")
        many = scale_table.limits(constants, 10**6, 10**5, True)
        self.assertEqual(max(many, key=many.get), "coordinator")
        slow = scale_table.limits(constants | {"bandwidth_bytes_per_s": 1e6}, 10**6, 10**4, False)
        self.assertEqual(max(slow, key=slow.get), "disk")

    def test_another_table_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            document = Path(folder) / "docs/reference/sweeps.md"
            document.parent.mkdir(parents=True)
            shutil.copy(ROOT / "docs/reference/sweeps.md", document)
            command = [sys.executable, "-B", scale_table.__file__, folder]
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)
            document.write_text(document.read_text().replace("core hours", "hours"))
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 1)
            subprocess.run([*command, "--fix"], check=True, capture_output=True)
            self.assertEqual(document.read_text(), (ROOT / "docs/reference/sweeps.md").read_text())


if __name__ == "__main__":
    unittest.main()
