#!/usr/bin/python3
"""scripts/mutants gives the known verdicts on tests/small_project. Usage: mutants_test.py SOURCE_FOLDER"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
# Mistakes of this project have the numbers that those of the small one have.
for name in [name for name in os.environ if name.startswith("LIGHTMETAL_MUTANT")]:
    del os.environ[name]
sys.path.insert(0, str(SOURCE / "scripts"))
from mutation import rewrite, suite  # noqa: E402
from mutation.rewrite import Edit, Place  # noqa: E402

PROJECT = SOURCE / "tests/small_project"
# (file, line, kind, what stands there, what a mistake makes of it): verdict
CLAMP, COUNT, STATUS, DISTANCE = ("killed", "clamp"), ("killed", "count"), ("killed", "status"), ("killed", "difference")
SURVIVED, NOT_REACHED, PYTHON = ("survived", ""), ("not reached", ""), ("killed", "python")
CC, PY = "lib/small.cc", "lib/small.py"
EXPECTED = [
    (CC, 6, "a negated condition", "value < least", "!(value < least)", CLAMP),
    (CC, 6, "the edge of a comparison", "value < least", "(value) <= (least)", SURVIVED),  # equivalent: the results are equal
    (CC, 6, "an early return left out", "return least;", "", CLAMP),
    (CC, 7, "a negated condition", "value > most || most == 0", "!(value > most || most == 0)", CLAMP),
    (CC, 7, "another logic", "value > most || most == 0", "(value > most) && (most == 0)", CLAMP),
    (CC, 7, "the edge of a comparison", "value > most", "(value) >= (most)", SURVIVED),  # equivalent
    (CC, 7, "the edge of a comparison", "most == 0", "(most) != (0)", CLAMP),
    (CC, 7, "plus one", "0", "0 + 1", SURVIVED),  # no test has a most of 0
    (CC, 7, "an early return left out", "return most;", "", CLAMP),
    (CC, 12, "a lock left out", "const std::lock_guard lock(mutex);", "", SURVIVED),  # no test has two threads
    (CC, 13, "a negated condition", "value + n > limit", "!(value + n > limit)", COUNT),
    (CC, 13, "the edge of a comparison", "value + n > limit", "(value + n) >= (limit)", COUNT),
    (CC, 13, "an early return left out", "return false;", "", COUNT),
    (CC, 13, "the other default", "false", "true", COUNT),
    (CC, 14, "a statement left out", "value += n;", "", COUNT),
    (CC, 15, "the other default", "true", "false", COUNT),
    (CC, 19, "a negated condition", "!CHECKED(value)", "!(!CHECKED(value))", STATUS),
    (CC, 19, "a negated condition", "!CHECKED(value)", "static_cast<bool>(CHECKED(value))", STATUS),
    (CC, 19, "an early return left out", "return absl::Status{false};", "", STATUS),
    (CC, 19, "an error that succeeds", "absl::Status{false}", "absl::OkStatus()", STATUS),
    (CC, 19, "the other default", "false", "true", STATUS),
    (CC, 23, "swapped arguments", "from", "to", DISTANCE),
    (CC, 25, "the edge of a comparison", "value == kMost", "(value) != (kMost)", NOT_REACHED),
    ("lib/small.h", 27, "plus one", "3", "3 + 1", COUNT),
    ("lib/small.h", 28, "plus one", "0", "0 + 1", COUNT),
    (PY, 2, "a negated condition", "value < 2", "not (value < 2)", PYTHON),
    (PY, 2, "the edge of a comparison", "value < 2", "(value) <= (2)", PYTHON),
    (PY, 2, "plus one", "2", "2 + 1", PYTHON),
    (PY, 3, "plus one", "0", "0 + 1", PYTHON),
]


class Mutants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.tree = pathlib.Path(cls.folder.name) / "tree"
        shutil.copytree(PROJECT, cls.tree)
        cls.git("init", "-q", ".")
        cls.git("add", ".")
        cls.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "small")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def git(cls, *arguments):
        subprocess.run(["git", "-C", cls.tree, *arguments], check=True)

    def mutants(self, *arguments):
        out = pathlib.Path(self.folder.name) / "out.json"
        command = [SOURCE / "scripts/mutants", "--tree", self.tree, "--work", f"{self.folder.name}/work", "--json", out, *arguments]
        called = subprocess.run(command, capture_output=True, text=True)
        return called, json.loads(out.read_text())["mistakes"] if out.exists() else None

    def rows(self, mistakes):
        return [(row["file"], row["line"], row["kind"], row["edits"][0]["was"], row["edits"][0]["becomes"], (row["state"], row["by"]))
                for row in sorted(mistakes, key=lambda row: (row["file"], row["number"]))]

    def test_each_mistake_has_the_known_verdict(self):
        called, mistakes = self.mutants("--folder", "lib")
        self.assertEqual(called.returncode, 0, called.stderr)
        self.maxDiff = None
        self.assertEqual(self.rows(mistakes), EXPECTED)
        self.assertIn("lib            24 killed    4 survived    1 not reached\n24 of 29 killed (83%), seed 1\n", called.stdout)
        self.assertIn("lib/small.cc:12: a lock left out: survived\n    const std::lock_guard lock(mutex);  ->  nothing\n", called.stdout)

    def test_too_few_killed_fail(self):
        self.assertEqual(self.mutants("--folder", "lib/small.py", "--least", "100")[0].returncode, 0)
        self.assertEqual(self.mutants("--folder", "lib/small.cc", "--least", "100")[0].returncode, 1)

    def test_a_seed_draws_the_same_places_again(self):
        first, second, other = (self.rows(self.mutants("--sample", "5", "--seed", seed)[1]) for seed in ("7", "7", "8"))
        self.assertEqual(len(first), 5)
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_mistakes_that_are_given_are_put_in(self):
        given = pathlib.Path(self.folder.name) / "given.json"
        mistakes = [{"file": CC, "line": 13, "was": "value + n", "becomes": "value - n", "kind": "expression"},
                    {"file": CC, "line": 14, "was": "value += n;", "becomes": "value = n; limit += n;", "kind": "statement"}]
        given.write_text(json.dumps(mistakes))
        rows = self.rows(self.mutants("--given", given)[1])
        self.assertEqual(rows, [(CC, 13, "expression", "value + n", "value - n", COUNT),
                                (CC, 14, "statement", "value += n;", "value = n; limit += n;", COUNT)])
        given.write_text(json.dumps([dict(mistakes[0], line=12)]))
        self.assertIn(f"{CC}:12: expected 'value + n' to begin there", self.mutants("--given", given)[0].stderr)

    def test_a_second_run_compiles_nothing(self):
        def times():
            return {path: path.stat().st_mtime_ns for path in pathlib.Path(self.folder.name, "work/build").rglob("*.o")}
        self.mutants("--folder", "lib/small.cc")
        first = times()
        self.assertTrue(first)
        self.mutants("--folder", "lib/small.cc")
        self.assertEqual(times(), first)

    def test_only_a_kind_that_is_named_is_put_in(self):
        mistakes = self.mutants("--folder", "lib", "--kind", "edge|lock")[1]
        self.assertEqual({row["kind"] for row in mistakes}, {"the edge of a comparison", "a lock left out"})

    def test_only_lines_that_a_change_touches_get_mistakes(self):
        path = self.tree / CC
        text = path.read_text()
        path.write_text(text.replace("value += n;", "value += n + 0;"))
        try:
            mistakes = self.mutants("--change", "HEAD")[1]
        finally:
            path.write_text(text)
        self.assertEqual({(row["file"], row["line"]) for row in mistakes}, {(CC, 14)})

    def test_a_call_without_places_is_refused(self):
        called, _ = self.mutants()
        self.assertEqual(called.returncode, 2)
        called, _ = self.mutants("--folder", "nowhere")
        self.assertIn("mutants: --folder nowhere: expected production sources below it, found none", called.stderr)


class Judging(unittest.TestCase):
    @staticmethod
    def failing(*mistakes):
        """A test that fails with these mistakes, of which 0 is a run without one."""
        test = suite.Test("fails", [], "", {}, "")
        test.run = lambda variables, limit: (int(variables["LIGHTMETAL_MUTANT"]) not in mistakes, 0.0)
        return test

    def test_a_test_that_also_fails_without_the_mistake_is_named_and_does_not_count(self):
        verdict = suite.judge(7, [self.failing(0, 7), self.failing(8)], 60, None)
        self.assertEqual((verdict.state, verdict.tests, verdict.unsteady), ("survived", 2, "fails"))

    def test_one_that_fails_with_the_mistake_alone_ends_the_search(self):
        verdict = suite.judge(7, [self.failing(8), self.failing(7), self.failing(7)], 60, None)
        self.assertEqual((verdict.state, verdict.by, verdict.tests, verdict.unsteady), ("killed", "fails", 2, ""))


class Rewriting(unittest.TestCase):
    def rewritten(self, text, *edits):
        places = {number: Place(1, "", (edit,)) for number, edit in enumerate(edits, 1)}
        return rewrite.rewritten(text, places, rewrite.Language("@{number}", "<{on}?{mistake}:{right}>", "[{on}{right}]"))

    def test_an_inner_mistake_is_in_the_right_branch_of_the_outer_one(self):
        self.assertEqual(self.rewritten("a < b && c", Edit(0, 10, "x"), Edit(0, 5, "y"), Edit(9, 10, "z")),
                         ("<@1?x:<@2?y:a < b> && <@3?z:c>>", {1, 2, 3}))

    def test_mistakes_at_one_place_are_nested(self):
        self.assertEqual(self.rewritten("a", Edit(0, 1, "x"), Edit(0, 1, "y")), ("<@1?x:<@2?y:a>>", {1, 2}))

    def test_a_mistake_that_crosses_an_earlier_one_is_left_out(self):
        self.assertEqual(self.rewritten("abc", Edit(0, 2, "x"), Edit(1, 3, "y")), ("<@1?x:ab>c", {1}))

    def test_a_statement_is_left_out(self):
        self.assertEqual(self.rewritten("a; b;", Edit(3, 5)), ("a; [@1b;]", {1}))


if __name__ == "__main__":
    unittest.main()
