"""tools/same_runs compares hashes of runs: one that differs is noticed, and what the clock has ended does not count."""

import unittest

from tree import TreeTest

RUNS = ["ball\tfinished\t110\t6d66aa90d62a4976", "belt\tfailed\t7\t1bcadde62ce285db"]
BY_CLOCK = ["ball\twall_time_limit\t9\t51459f02a68454d1", "slow\tfinished\t297\tf7b61784d47f6a11"]


class SameRuns(TreeTest):
    def compare(self, before, after):
        files = [self.root / "before.txt", self.root / "after.txt"]
        for file, lines in zip(files, (before, after)):
            file.write_text("".join(f"{line}\n" for line in lines))
        return self.tool("same_runs", "compare", *files)

    def test_the_same_runs_in_another_order(self):
        result = self.compare(RUNS + BY_CLOCK, [*reversed(RUNS), RUNS[0]])
        self.assertEqual((result.returncode, result.stdout), (0, "2 different runs before, 2 after, 2 the same\n"))

    def test_another_hash_is_noticed(self):
        result = self.compare(RUNS, [RUNS[0], RUNS[1][:-1] + "c"])
        self.assertEqual(result.returncode, 1)
        self.assertIn("- belt  failed  7  1bcadde62ce285db\n+ belt  failed  7  1bcadde62ce285dc\n", result.stdout)

    def test_a_run_that_is_missing_is_noticed(self):
        self.assertEqual(self.compare(RUNS, RUNS[:1]).returncode, 1)


if __name__ == "__main__":
    unittest.main()
