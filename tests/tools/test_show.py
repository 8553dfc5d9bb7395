"""tools/show judges a topic by what it prints, promises and returns."""

import json
import os
import unittest

from tree import TreeTest

HEAD = "#!/bin/sh\n# speed of sound\n# items: 1-2\n"


class Show(TreeTest):
    def show(self, *arguments):
        return self.tool("show", *arguments, env={**os.environ, "SALTUS_TOPICS": str(self.root),
                                                  "SALTUS_RESULTS": str(self.root / "results")})

    def topic(self, body, head=HEAD):
        self.write("sound", head + body, executable=True)
        return self.show("sound")

    def test_lists_topics_with_their_description(self):
        self.write("sound", HEAD, executable=True)
        self.write("notes.txt", "not\nexecutable\n")
        result = self.show()
        self.assertEqual(result.returncode, 0)
        first, hint = result.stdout.splitlines()
        self.assertEqual(first.split(), ["sound", "speed", "of", "sound"])
        self.assertIn("tools/show TOPIC", hint)

    def test_good_topic(self):
        result = self.topic("echo words; echo '1: 3.1 (<= 4) ok'; echo '2: 0 bad (0) ok'\n")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(result.stdout, "words\n1: 3.1 (<= 4) ok\n2: 0 bad (0) ok\n")

    def test_several_lines_of_one_item(self):
        result = self.topic("echo '1: a (b) ok'; echo '1: c (d) short'; echo '2: 0 (0) ok'\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("item 1 is short", result.stdout)

    def test_short_item_fails(self):
        result = self.topic("echo '1: 5 (<= 4) short'; echo '2: 0 (0) ok'\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("item 1 is short", result.stdout)

    def test_missing_item_fails(self):
        result = self.topic("echo '1: 3 (<= 4) ok'\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("item 2 is missing", result.stdout)

    def test_item_that_was_not_promised_fails(self):
        result = self.topic("for n in 1 2 3; do echo \"$n: 3 (<= 4) ok\"; done\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("item 3 was not promised", result.stdout)

    def test_misspelt_verdict_fails(self):
        result = self.topic("echo '1: 3 (<= 4) okay'; echo '1: 3 (<= 4) ok'; echo '2: 0 (0) ok'\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("not of the form", result.stdout)

    def test_failing_program_fails(self):
        result = self.topic("echo '1: 3 (<= 4) ok'; echo '2: 0 (0) ok'; exit 3\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("status 3", result.stdout)

    def test_topic_without_promise_fails(self):
        result = self.topic("echo '1: 3 (<= 4) ok'\n", head="#!/bin/sh\n# no items\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no line '# items", result.stdout)

    def test_unknown_topic_fails_and_names_the_known(self):
        self.write("sound", HEAD, executable=True)
        result = self.show("light")
        self.assertEqual(result.returncode, 2)
        self.assertIn("there are: sound", result.stdout)

    def test_what_was_measured_is_written_down(self):
        self.topic("echo '1: 3.1 (<= 4) ok'; echo '2: 5 (<= 4) short'\n")
        found = json.loads((self.root / "results/sound.json").read_text())
        self.assertEqual([(i["item"], i["figure"], i["bound"], i["verdict"]) for i in found["items"]],
                         [(1, "3.1", "<= 4", "ok"), (2, "5", "<= 4", "short")])
        self.assertTrue(found["whole"])

    def test_numbers_of_counted_items_are_figures(self):
        self.topic("echo '1: 3.1 s (<= 4) ok'; echo '2: ratios 1.62, 1.3 at 1e-6; 10,000 cases (<= 2) ok'\n",
                   head=HEAD + "# counted: 2\n")
        found = json.loads((self.root / "results/sound.json").read_text())
        self.assertEqual(found["figures"], {"2.0": 1.62, "2.1": 1.3, "2.2": 1e-6, "2.3": 10000.0})

    def test_a_call_for_one_item_promises_that_one_only(self):
        self.write("sound", HEAD + "echo '2: 3 (<= 4) ok'\n", executable=True)
        self.assertEqual(self.show("sound", "2").returncode, 0)
        self.assertEqual(self.show("sound").returncode, 1)
        self.write("sound", HEAD + "true\n", executable=True)
        self.assertEqual(self.show("sound", "2").returncode, 1)

    def test_all_topics_in_one_table_each_run_once_per_commit(self):
        self.write("sound", HEAD + "echo ran >>\"$(dirname \"$0\")/ran\"; echo '1: 3 (<= 4) ok'; echo '2: 0 (0) ok'\n",
                   executable=True)
        self.write("light", HEAD.replace("1-2", "1") + "echo '1: 9 (<= 4) short'\n", executable=True)
        first = self.show("--all")
        self.assertEqual(first.returncode, 1)
        table = first.stdout[first.stdout.index("=== all topics"):].splitlines()[1:]
        self.assertEqual([line.split()[:3] for line in table],
                         [["light", "1", "short"], ["sound", "1", "ok"], ["sound", "2", "ok"]])
        self.show("--all")
        self.assertEqual((self.root / "ran").read_text(), "ran\n")
        self.show("--all", "--again")
        self.assertEqual((self.root / "ran").read_text(), "ran\nran\n")

    def test_an_item_that_is_short_for_a_known_reason_is_accepted_in_the_table(self):
        self.write("sound", HEAD + "echo '1: 3 (<= 4) ok'; echo '2: 5 (<= 4) short'\n", executable=True)
        self.assertEqual(self.show("--table").returncode, 1)  # nothing was measured
        self.assertEqual(self.show("--all").returncode, 1)
        self.write("short.json", '{"sound 2": {"while": "5", "why": "by its exit: the wind"}}')
        table = self.show("--table")
        self.assertEqual(table.returncode, 0)
        self.assertIn("by its exit: the wind", table.stdout)
        for other in ('{"sound 1": {"while": "3", "why": "another item"}}', '{"sound 2": {"while": "6", "why": "another figure"}}'):
            self.write("short.json", other)
            self.assertEqual(self.show("--table").returncode, 1)

    def test_a_table_of_some_topics_may_be_an_item_of_another(self):
        self.write("sound", HEAD + "echo '1: 3 (<= 4) ok'; echo '2: 5 (<= 4) ok'\n", executable=True)
        self.write("light", HEAD.replace("1-2", "1") + "echo '1: 9 (<= 4) short'\n", executable=True)
        self.assertEqual(self.show("--all", "sound").returncode, 0)
        table = self.show("--table", "--item", "9", "sound")
        self.assertEqual(table.returncode, 0)
        self.assertTrue(table.stdout.splitlines()[-1].startswith("9: sound: 2 items ok, 0 short"), table.stdout)
        self.assertTrue(table.stdout.endswith(" ok\n"))
        self.assertEqual(self.show("--table", "--item", "9").returncode, 1)  # light was not measured
        self.show("--all")
        self.assertTrue(self.show("--table", "--item", "9").stdout.endswith(" short\n"))
        self.assertEqual(self.show("--table", "heat").returncode, 2)

    def test_items_measured_again_replace_those_of_the_whole_topic(self):
        self.topic("echo '1: 3 (<= 4) ok'; echo '2: 5 (<= 4) short'\n")
        self.write("sound", HEAD + "echo '2: 4 (<= 4) ok'\n", executable=True)
        self.show("sound", "2")
        found = json.loads((self.root / "results/sound.json").read_text())
        self.assertEqual([(i["item"], i["figure"]) for i in found["items"]], [(1, "3"), (2, "4")])
        self.assertTrue(found["whole"])
        self.assertEqual(found["problems"], [])

    def timed(self, *verdicts):
        """A topic whose second item is measured with these verdicts, one after the other."""
        lines = "\n".join(f"  {k}) echo '2: {k} s (<= 4) {verdict}' ;;" for k, verdict in enumerate(verdicts))
        self.write("sound", HEAD + "# timed: 2\nfolder=$(dirname \"$0\"); n=$(cat \"$folder/n\" 2>/dev/null || echo 0)\n"
                   f"echo $((n + 1)) >\"$folder/n\"\n[ $n = 0 ] && echo '1: 3 (<= 4) ok'\ncase $n in\n{lines}\nesac\n", executable=True)
        return self.show("sound")

    def test_the_median_of_three_decides_a_timed_item(self):
        result = self.timed("short", "ok", "ok")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("2: 2 s; 2 of 3 measurements ok (<= 4) ok", result.stdout)

    def test_two_measurements_that_agree_are_enough(self):
        self.assertEqual(self.timed("ok", "ok", "short").returncode, 0)
        self.assertEqual((self.root / "n").read_text(), "2\n")

    def test_a_timed_item_that_is_missed_most_of_the_time_is_short(self):
        result = self.timed("ok", "short", "short")
        self.assertEqual(result.returncode, 1)
        self.assertIn("1 of 3 measurements ok, a miss within their spread", result.stdout)


if __name__ == "__main__":
    unittest.main()
