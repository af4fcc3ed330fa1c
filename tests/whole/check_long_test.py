#!/usr/bin/env python3
"""The steps of scripts/check_long: their list, and which of them a change asks for. Usage: check_long_test.py SOURCE_FOLDER"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop())
SCRIPT = (SOURCE / "scripts/check_long").read_text()


def listed(tree, *arguments):
    called = subprocess.run([tree / "scripts/check", "long", "list", *arguments], capture_output=True, text=True)
    assert called.returncode == 0, called.stderr
    return called.stdout.split()


def table():
    """The folders of each step, as the script's table has them."""
    library = re.search(r'^library="(.*)"$', SCRIPT, re.M).group(1)
    rows = re.findall(r'^  "(\w+): (.*)"$', SCRIPT, re.M)
    return [(name, folders.replace("$library", library).split()) for name, folders in rows]


class Faults(unittest.TestCase):
    def test_every_fault_can_be_put_back_and_names_its_test(self):
        faults = sorted((SOURCE / "tests/random_programs/faults").iterdir())
        self.assertGreater(len(faults), 3)
        for fault in faults:
            applied = subprocess.run(["git", "apply", "--check", fault], cwd=SOURCE, capture_output=True, text=True)
            self.assertEqual(applied.returncode, 0, applied.stderr)
            self.assertRegex(fault.read_text(), r"\A.+\.\nTest: random_\w+\n\n")


class Steps(unittest.TestCase):
    def test_every_step_is_named_once_and_has_a_function(self):
        names = listed(SOURCE)
        self.assertEqual(names, [name for name, _ in table()])
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(sorted(names), sorted(re.findall(r"^step_(\w+)\(\)", SCRIPT, re.M)))

    def test_every_folder_of_the_table_exists(self):
        always = re.search(r'^always="(.*)"$', SCRIPT, re.M).group(1).split()
        for name, folders in [*table(), ("always", always)]:
            for folder in folders:
                self.assertTrue((SOURCE / folder).exists(), f"{name}: {folder}")

    def test_every_test_that_is_marked_long_belongs_to_one_step(self):
        marked = set()
        for file in (SOURCE / "tests").rglob("*.cmake"):
            marked.update(re.findall(r"add_test\(NAME (\w+\.\w+)(?:\.\S+)? .*CONFIGURATIONS long\)", file.read_text()))
        run = re.findall(r"long_test (\S+);", SCRIPT)
        self.assertEqual(sorted(run), sorted(marked))

    def test_a_step_takes_at_most_an_hour(self):
        self.assertLessEqual(int(re.search(r"^minutes=(\d+)$", SCRIPT, re.M).group(1)), 60)
        self.assertRegex(SCRIPT, r"timeout .*\$\{minutes\}m .* --one")

    def test_names_that_there_are_not_are_refused(self):
        for arguments in (["nothing"], ["--since", "nothing"], ["--since"]):
            called = subprocess.run([SOURCE / "scripts/check", "long", "list", *arguments], capture_output=True, text=True)
            self.assertEqual((called.returncode, called.stdout), (2, ""), arguments)


class Since(unittest.TestCase):
    """In a small repository of its own, which has the scripts and a file in each folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        (self.tree / "scripts").mkdir()
        for script in ("check", "check_long", "builds.sh"):
            shutil.copy(SOURCE / "scripts" / script, self.tree / "scripts" / script)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "begin")

    def git(self, *arguments):
        identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.tree, check=True)

    def add(self, path):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("changed\n")

    def since(self):
        return listed(self.tree, "--since", "HEAD")

    def test_nothing_that_changed_asks_for_nothing(self):
        self.assertEqual(self.since(), [])

    def test_each_step_is_asked_for_by_each_of_its_folders_and_by_no_other(self):
        folders = {folder for _, of_step in table() for folder in of_step}
        for folder in sorted(folders):
            path = folder if pathlib.Path(folder).suffix or folder.startswith("scripts/") else folder + "/x.cc"
            self.add(path)
            expected = [name for name, of_step in table() if any(path == each or path.startswith(each + "/") for each in of_step)]
            self.assertEqual(self.since(), expected, path)
            self.git("add", ".")
            self.assertEqual(self.since(), expected, path + " staged")
            self.git("commit", "-q", "-m", path)
            self.assertEqual(listed(self.tree, "--since", "HEAD~1"), expected, path + " committed")

    def test_a_folder_with_a_longer_name_is_another_one(self):
        self.add("apiary/x.cc")
        self.assertEqual(self.since(), [])

    def test_what_all_builds_read_asks_for_every_step(self):
        self.add("CMakeLists.txt")
        self.assertEqual(self.since(), [name for name, _ in table()])

    def test_named_steps_are_chosen_among(self):
        self.add("tests/operators/x.cc")
        self.assertEqual(listed(self.tree, "--since", "HEAD", "operators", "large"), ["operators"])


if __name__ == "__main__":
    unittest.main()
