#!/usr/bin/env python3
"""The CMake option for capture, by our name and by upstream's. Usage: capture_option_test.py SOURCE_FOLDER CMAKE"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CMAKE = sys.argv.pop()
SOURCE = pathlib.Path(sys.argv.pop())
OURS, UPSTREAMS = "LIGHTMETAL_ENABLE_CAPTURE", "TT_ENABLE_LIGHT_METAL_TRACE"


class CaptureOption(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("")

    def write(self, before):
        text = f'cmake_minimum_required(VERSION 3.22)\nproject(option LANGUAGES NONE)\n{before}\ninclude({SOURCE}/cmake/CaptureOption.cmake)\n'
        (self.folder / "CMakeLists.txt").write_text(text + f'message(STATUS "capture=${{{OURS}}}")\n')

    def configure(self, **options):
        given = [f"-D{name}={value}" for name, value in options.items()]
        return subprocess.run([CMAKE, "-S", self.folder, "-B", self.folder / "build", *given], capture_output=True, text=True)

    def capture(self, **options):
        called = self.configure(**options)
        self.assertEqual(called.returncode, 0, called.stderr)
        return re.search("capture=(.*)", called.stdout).group(1)

    def test_capture_is_on_unless_one_of_the_names_says_otherwise(self):
        self.assertEqual(self.capture(), "ON")

    def test_either_name_switches_it(self):
        for name in (OURS, UPSTREAMS):
            for value in ("OFF", "ON"):
                self.assertEqual(self.capture(**{name: value}), value, name)

    def test_a_value_stays_in_the_build_folder(self):
        self.capture(**{UPSTREAMS: "OFF"})
        self.assertEqual(self.capture(), "OFF")
        self.assertEqual(self.capture(**{OURS: "ON"}), "ON")

    def test_a_project_around_ours_may_set_it(self):
        self.write(f"set({UPSTREAMS} OFF)")
        self.assertEqual(self.capture(), "OFF")

    def test_names_that_contradict_each_other_are_refused_and_others_are_not(self):
        called = self.configure(**{OURS: "ON", UPSTREAMS: "OFF"})
        self.assertNotEqual(called.returncode, 0)
        self.assertIn("give one of them", " ".join(called.stderr.split()))
        for ours, upstreams in (("ON", "1"), ("OFF", "FALSE")):
            with tempfile.TemporaryDirectory() as build:
                given = [f"-D{OURS}={ours}", f"-D{UPSTREAMS}={upstreams}"]
                subprocess.run([CMAKE, "-S", self.folder, "-B", build, *given], capture_output=True, check=True)

    def test_the_tree_has_the_option_from_there(self):
        self.assertIn("include(cmake/CaptureOption.cmake)", (SOURCE / "CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main()
