#!/usr/bin/env python3
"""scripts/check_units finds a name that means another thing in a unit, and a source that compiles in its unit alone.
Usage: check_units_test.py SOURCE_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(units LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(units STATIC first.cc second.cc)
set_target_properties(units PROPERTIES UNITY_BUILD ON)
"""
FIRST = "namespace outer::inner { struct Event {}; void first(Event) {} }\n"


class CheckUnits(unittest.TestCase):
    def check(self, second):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "CMakeLists.txt").write_text(PROJECT)
            (folder / "first.cc").write_text(FIRST)
            (folder / "second.cc").write_text(second)
            subprocess.run(["cmake", "-S", folder, "-B", folder / "build", "-DCMAKE_CXX_COMPILER=clang++-14"], check=True, stdout=subprocess.DEVNULL)
            return subprocess.run([SOURCE / "scripts/check_units", folder / "build"], capture_output=True, text=True)

    def test_sources_that_mean_the_same_pass(self):
        called = self.check("namespace outer { struct Event {}; void second(Event) {} }\n")
        self.assertEqual((called.returncode, called.stdout), (0, "check_units: 2 sources mean alone what they mean in their 1 units\n"))

    def test_a_type_of_another_source_is_found(self):
        called = self.check("namespace outer { struct Event {}; namespace inner { void second(Event) {} } }\n")
        self.assertEqual(called.returncode, 1)
        self.assertIn("only in the unit: _ZN5outer5inner6secondENS0_5EventE", called.stdout)
        self.assertIn("only alone: _ZN5outer5inner6secondENS_5EventE", called.stdout)

    def test_a_source_that_needs_another_one_is_found(self):
        called = self.check("void second() { outer::inner::first({}); }\n")
        self.assertEqual(called.returncode, 1)
        self.assertIn("second.cc does not compile alone:", called.stdout)

    def test_a_using_directive_that_reaches_another_source_is_found(self):
        for second in ("namespace outer {}\nusing namespace outer;\n", "namespace outer::inner { namespace { using namespace outer; } }\n"):
            called = self.check(second)
            self.assertEqual(called.returncode, 1, second)
            self.assertIn("second.cc: using namespace outer: it also reaches the other sources of the unit", called.stdout)

    def test_a_using_directive_in_a_function_or_a_namespace_of_its_own_passes(self):
        for second in ("namespace outer {}\nvoid second() { using namespace outer; }\n",
                       "namespace outer::inner {}\nnamespace outer::second { using namespace outer::inner; }\n",
                       "const char* second = \"{ using namespace outer; \";  // using namespace outer;\n"):
            called = self.check(second)
            self.assertEqual(called.returncode, 0, second + called.stdout)

    def test_a_build_without_units_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "compile_commands.json").write_text("[]")
            called = subprocess.run([SOURCE / "scripts/check_units", folder], capture_output=True, text=True)
            self.assertEqual((called.returncode, called.stderr), (1, f"{folder}: expected units of a unity build, found none\n"))


if __name__ == "__main__":
    unittest.main()
