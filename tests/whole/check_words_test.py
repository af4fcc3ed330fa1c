#!/usr/bin/env python3
"""What scripts/check_words counts and refuses. Usage: check_words_test.py SOURCE_FOLDER"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop())
SCRIPT = SOURCE / "scripts/check_words"

# For each habit a comment that has it once.
EXAMPLES = {
    "clause_opener": "Whether two files are equal.",
    "clause_subject": "Returns a name. Who calls it owns it.",
    "behind": "The commands behind a read.",
    "lies": "The buffer lies in DRAM.",
    "none": "Returns null if there is none.",
    "came_to": "The sum came to four.",
    "whoever": "Called by whoever waits.",
    "of_opening": "Returns a name. Of a buffer only.",
    "one_behind_other": "Writes pages one behind the other.",
    "archaic": "Loads the trace anew.",
    "trailing_too": "Copies the header, too.",
    "whole_number": "Rounds to a whole number.",
    "text_for_string": "Returns the text of a line.",
    "long_sentence": "Returns " + "the first of " * 10 + "them.",
}
# Habits that an example cannot but have beside its own.
ALSO = {"one_behind_other": {"behind"}}


class CheckWords(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.git("init", "-q")
        self.commit("base: Begin")
        self.base = self.git("rev-parse", "HEAD").strip()
        self.budget()

    def git(self, *arguments):
        identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
        called = subprocess.run(["git", *identity, *arguments], cwd=self.tree, check=True, capture_output=True, text=True)
        return called.stdout

    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def write(self, path, text):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.git("add", path)

    def budget(self, **counts):
        pairs = {"commits_after": self.base, **dict.fromkeys(EXAMPLES, 0), **counts}
        self.write("scripts/check_words.txt", "".join(f"{name} {count}\n" for name, count in pairs.items()))

    def run_script(self, *arguments):
        return subprocess.run([SCRIPT, self.tree, *arguments], capture_output=True, text=True)

    def over_budget(self):
        called = self.run_script()
        found = dict(re.findall(r"check_words: (\w+): expected at most 0, found (\d+)", called.stderr))
        self.assertEqual(called.returncode, 1 if found else 0, called.stderr)
        return {name: int(count) for name, count in found.items()}

    def test_each_habit_is_counted_in_each_kind_of_file(self):
        for habit, words in EXAMPLES.items():
            expected = dict.fromkeys({habit, *ALSO.get(habit, ())}, 1)
            for path, text in {
                "a.cc": f"// {words}\nint a;\n",
                "b.h": f"int b;  // {words}\n",
                "c.fbs": f"// {words}\n",
                "d.py": f"# {words}\nd = 1\n",
                "e.cmake": f"# {words}\n",
                "docstring.py": f'def f():\n    """{words}"""\n',
                "f": f"#!/usr/bin/env bash\n# {words}\n",
                "g.md": f"# Title\n\n{words}\n",
            }.items():
                with self.subTest(habit=habit, path=path):
                    self.write(path, text)
                    self.assertEqual(self.over_budget(), expected)
                    self.git("rm", "-q", "--cached", path)

    def test_a_comment_of_two_lines_is_one_block(self):
        self.write("a.cc", "// Returns the name\n// Of the buffer.\n")
        self.assertEqual(self.over_budget(), {})

    def test_code_is_not_counted(self):
        self.write("a.cc", 'int text = lies; call("a // text");\n// Returns `text`.\n')
        self.write("a.md", "Run this:\n\n```\nWhat lies behind\n```\n\nThen `text`.\n")
        self.write("a.bin", "// behind\n")
        self.assertEqual(self.over_budget(), {})

    def test_files_that_git_does_not_track_are_not_counted(self):
        (self.tree / "a.cc").write_text("// It lies there.\n")
        self.assertEqual(self.over_budget(), {})

    def test_a_count_up_to_its_budget_passes(self):
        self.write("a.cc", "// It lies there.\n\n// It lay there.\n")
        self.budget(lies=2)
        self.assertEqual(self.run_script().returncode, 0)
        self.budget(lies=1)
        self.assertIn("lies: expected at most 1, found 2", self.run_script().stderr)

    def test_budgets_only_fall(self):
        self.write("a.cc", "// It lies there.\n")
        self.budget(lies=5, behind=0)
        self.run_script("--lower")
        self.write("a.cc", "// It lies there.\n\n// It lay behind it.\n")
        called = self.run_script("--lower")
        self.assertIn("lies: expected at most 1, found 2", called.stderr)
        self.assertIn("behind: expected at most 0, found 1", called.stderr)
        self.assertIn("lies 1\n", (self.tree / "scripts/check_words.txt").read_text())

    def test_show_prints_the_places(self):
        self.write("a.cc", "// It lies there.\n")
        self.assertIn("a.cc: It lies there.", self.run_script("--show", "lies").stdout)

    def test_subjects_of_commits_follow_the_rule(self):
        self.commit("schema: Add the effect of each command")
        self.commit("api, docs: Rename the folder")
        self.assertEqual(self.run_script().returncode, 0)
        for subject in ("Add the effect", "schema: add the effect", "schema: Add " + "x" * 70):
            self.commit(subject)
            called = self.run_script()
            self.assertEqual(called.returncode, 1)
            self.assertIn(f'"{subject}"', called.stderr)

    def test_a_history_that_does_not_reach_back_is_said(self):
        self.base = "0" * 40
        self.budget()
        called = self.run_script()
        self.assertEqual(called.returncode, 0)
        self.assertIn("were not checked", called.stdout)


if __name__ == "__main__":
    unittest.main()
