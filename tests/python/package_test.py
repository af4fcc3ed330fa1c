"""The package lightmetal, on the files of a program that writes some. Usage: package_test.py WRITE_PROGRAMS [unittest options]"""
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import lightmetal

FOLDER = pathlib.Path()
INTEGERS = ("uint8", "uint16", "int32", "uint32")


def load(name, **options):
    return lightmetal.load(FOLDER / f"{name}.lmb", **options)


def counting(shape, dtype=np.uint32, first=0):
    return np.arange(first, first + int(np.prod(shape)), dtype=dtype).reshape(shape)


class Producer:
    """Only DLPack, nothing else of an array."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Refusal(unittest.TestCase):
    def assertSays(self, kind, text, function, *arguments, **options):
        with self.assertRaisesRegex(kind, text) as raised:
            function(*arguments, **options)
        self.assertIsInstance(raised.exception, lightmetal.Error)


class Load(Refusal):
    def test_a_path_a_text_and_bytes(self):
        path = FOLDER / "scaling.lmb"
        content = path.read_bytes()
        for source in (path, str(path), content, bytearray(content), memoryview(content)):
            with lightmetal.load(source) as executable:
                self.assertEqual(executable.entries, ("scale",))

    def test_tensors_are_described(self):
        with load("float32") as executable:
            self.assertEqual(list(executable.tensors), ["x", "w", "y"])
            self.assertEqual(list(executable.inputs), ["x"])
            self.assertEqual(list(executable.outputs), ["y"])
            x = executable.inputs["x"]
            self.assertEqual((x.name, x.role, x.dtype, x.shape), ("x", "input", "float32", (2, 3, 4, 5)))
            self.assertEqual(executable.tensors["w"].role, "constant")
        with load("counter") as executable:
            self.assertEqual(list(executable.inputs), ["state"])
            self.assertEqual(list(executable.outputs), ["state"])

    def test_files_that_are_none(self):
        self.assertSays(lightmetal.NotFoundError, "missing.lmb", load, "missing")
        self.assertSays(LookupError, "missing.lmb", load, "missing")
        self.assertSays(lightmetal.InvalidArgumentError, "not a Light Metal binary", lightmetal.load, b"nonsense")
        self.assertSays(ValueError, "null character", lightmetal.load, "a\0b")
        content = bytearray((FOLDER / "scaling.lmb").read_bytes())
        content[len(content) // 2] ^= 1
        self.assertSays(lightmetal.Error, "", lightmetal.load, bytes(content))
        with self.assertRaises(TypeError):
            lightmetal.load(5)

    def test_options(self):
        with load("scaling", device="cpu", chip_id=3, memory_limit=1 << 30) as executable:
            self.assertEqual(executable.run()["y"][0, 0], 3 * 5 + 1000)
        self.assertSays(lightmetal.NotFoundError, "no_such_backend", load, "scaling", device="no_such_backend")
        self.assertSays(lightmetal.Error, "key", load, "scaling", required_keys=["no key"])
        self.assertSays(lightmetal.InvalidArgumentError, "chip -1", load, "scaling", chip_id=-1)
        self.assertSays(lightmetal.ResourceExhaustedError, "", load, "scaling", memory_limit=1)

    def test_several_files_live_side_by_side_on_chips_of_their_own(self):
        with load("scaling") as first, load("two_entries", chip_id=1) as second:
            self.assertEqual(first.run()["y"][0, 0], 1015)
            self.assertEqual(second.run(entry="twice")["y"][0, 0], 2)
            self.assertSays(lightmetal.Error, "open already", load, "scaling")

    def test_what_is_forgotten_gives_its_device_back(self):
        executable = load("scaling")
        del executable
        gc.collect()
        load("scaling").close()


class Values(Refusal):
    def test_each_run_has_its_own_input_and_a_default(self):
        w = counting((4, 16), first=1000)
        with load("scaling") as executable:
            for first in range(0, 1000, 100):
                x = counting((4, 16), first=first)
                np.testing.assert_array_equal(executable.run({"x": x})["y"], 3 * x + w)
            np.testing.assert_array_equal(executable.run()["y"], 3 * counting((4, 16), first=5) + w)

    def test_entries_are_run_by_name(self):
        x = counting((4, 16))
        with load("two_entries") as executable:
            self.assertEqual(executable.entries, ("twice", "sevenfold"))
            np.testing.assert_array_equal(executable.run({"x": x}, "sevenfold")["y"], 7 * x)
            np.testing.assert_array_equal(executable.run({"x": x}, entry="twice")["y"], 2 * x)
            self.assertSays(lightmetal.InvalidArgumentError, "there are 2: twice, sevenfold", executable.run)
            self.assertSays(lightmetal.NotFoundError, 'no entry "thrice"', executable.run, entry="thrice")
            self.assertSays(lightmetal.NotFoundError, "no entry", executable.run, entry="twice\0")

    def test_an_in_out_tensor_keeps_its_state(self):
        with load("counter") as executable:
            self.assertEqual(executable.run()["state"][0], 1)
            self.assertEqual(executable.run()["state"][0], 2)
            self.assertEqual(executable.run({"state": np.full(64, 40, np.uint32)})["state"][63], 41)

    def test_every_dtype_and_shape_comes_back(self):
        random = np.random.default_rng(1)
        for name in INTEGERS:
            with self.subTest(name), load(name) as executable:
                tensor = executable.inputs["x"]
                info = np.iinfo(name)
                x = random.integers(info.min, info.max, tensor.shape, dtype=name, endpoint=True)
                y = executable.run({"x": x})["y"]
                self.assertEqual(y.dtype, x.dtype)
                np.testing.assert_array_equal(y, x)
        with load("float32") as executable:
            x = random.standard_normal((2, 3, 4, 5), dtype=np.float32)
            np.testing.assert_array_equal(executable.run({"x": x})["y"], x)

    def test_a_single_element_has_no_dimension(self):
        with load("scalar") as executable:
            for value in (np.float32(2.5), 2.5, np.array(2.5, np.float32)):
                y = executable.run({"x": value})["y"]
                self.assertEqual((y.shape, y[()]), ((), 2.5))

    def test_numbers_of_python_become_what_the_tensor_has(self):
        with load("int32") as executable:
            np.testing.assert_array_equal(executable.run({"x": list(range(-32, 32))})["y"], np.arange(-32, 32))
            for wrong in (1.5, 2**31, float("nan")):
                self.assertSays(lightmetal.InvalidArgumentError, "do not fit into int32", executable.run, {"x": [wrong] * 64})
            self.assertSays(lightmetal.InvalidArgumentError, "expected numbers", executable.run, {"x": ["a"] * 64})
            self.assertSays(lightmetal.InvalidArgumentError, "expected numbers", executable.run, {"x": None})
        with load("float32") as executable:
            x = np.linspace(0, 1, 120).reshape(2, 3, 4, 5)
            np.testing.assert_array_equal(executable.run({"x": x.tolist()})["y"], x.astype(np.float32))

    def test_arrays_in_any_order_give_the_same(self):
        x = counting((4, 16))
        wide = np.zeros((8, 33), np.uint32)
        wide[::2, 1::2] = x
        byte_shifted = np.zeros(257, np.uint8)[1:].view(np.uint32).reshape(4, 16)
        byte_shifted[...] = x
        with load("scaling") as executable:
            expected = executable.run({"x": x})["y"]
            for same in (wide[::2, 1::2], np.asfortranarray(x), x.T.copy().T, x[::-1][::-1], byte_shifted, x[...]):
                np.testing.assert_array_equal(executable.run({"x": same})["y"], expected)
            np.testing.assert_array_equal(executable.run({"x": x[:, ::-1]})["y"], expected - 3 * x + 3 * x[:, ::-1])
            x.flags.writeable = False
            np.testing.assert_array_equal(executable.run({"x": x})["y"], expected)

    def test_arrays_in_c_order_are_not_copied(self):
        from lightmetal import _tensors

        with load("scaling") as executable:
            tensor = executable.inputs["x"]
        x = counting((4, 16))
        for value in (x, Producer(x)):
            self.assertTrue(np.shares_memory(_tensors.input_memory(tensor, value), x))
        self.assertIs(_tensors.Output(tensor, x).memory, x)

    def test_dlpack_producers_are_taken(self):
        x = counting((4, 16))
        with load("scaling") as executable:
            expected = executable.run({"x": x})["y"]
            np.testing.assert_array_equal(executable.run({"x": Producer(x)})["y"], expected)
            self.assertSays(lightmetal.InvalidArgumentError, "float64, expected uint32", executable.run, {"x": Producer(x.astype(float))})

    def test_names_dtypes_and_shapes_that_are_wrong(self):
        x = counting((4, 16))
        with load("scaling") as executable:
            expected = executable.run({"x": x})["y"]
            for wrong in ("float32", "int32", "uint16", "uint64", ">u4"):
                self.assertSays(lightmetal.InvalidArgumentError, "the values for x are .*, expected uint32", executable.run, {"x": x.astype(wrong)})
            self.assertSays(lightmetal.InvalidArgumentError, r"shape \[16, 4\], expected \[4, 16\]", executable.run, {"x": x.T})
            self.assertSays(lightmetal.InvalidArgumentError, r"shape \[\], expected \[4, 16\]", executable.run, {"x": 1})
            self.assertSays(lightmetal.NotFoundError, 'no tensor "z": there are x, w, y', executable.run, {"z": x})
            self.assertSays(lightmetal.InvalidArgumentError, "y is no input: it is an output", executable.run, {"y": x})
            self.assertSays(lightmetal.InvalidArgumentError, "w is no input: it is a constant", executable.run, {"w": x})
            np.testing.assert_array_equal(executable.run({"x": x})["y"], expected)


class Outputs(Refusal):
    def test_arrays_to_fill_are_filled_and_returned(self):
        x = counting((4, 16))
        wide = np.zeros((8, 32), np.uint32)
        with load("scaling") as executable:
            expected = executable.run({"x": x})["y"]
            for out in (np.zeros_like(x), np.zeros_like(x, order="F"), wide[::2, ::2]):
                y = executable.run({"x": x}, out={"y": out})["y"]
                self.assertIs(y, out)
                np.testing.assert_array_equal(out, expected)
            self.assertEqual(wide[1::2].sum(), 0)

    def test_only_what_is_wanted_is_returned(self):
        with load("scaling") as executable:
            self.assertEqual(executable.run(outputs=[]), {})
            self.assertEqual(list(executable.run(outputs=["y"])), ["y"])
            self.assertEqual(list(executable.run(outputs=["y", "y"], out={"y": np.empty((4, 16), np.uint32)})), ["y"])
            self.assertSays(lightmetal.NotFoundError, 'no tensor "z"', executable.run, outputs=["z"])
            self.assertSays(lightmetal.InvalidArgumentError, "x is no output: it is an input", executable.run, outputs=["x"])
            self.assertSays(lightmetal.InvalidArgumentError, "a list of names", executable.run, outputs="y")

    def test_arrays_that_do_not_fit(self):
        read_only = np.zeros((4, 16), np.uint32)
        read_only.flags.writeable = False
        with load("scaling") as executable:
            for wrong, text in (
                (np.zeros((4, 16), np.float32), "float32, expected uint32"),
                (np.zeros((16, 4), np.uint32), r"\[16, 4\], expected \[4, 16\]"),
                (read_only, "cannot be written"),
                ([0] * 64, "a list, expected a numpy.ndarray"),
            ):
                self.assertSays(lightmetal.InvalidArgumentError, text, executable.run, out={"y": wrong})


class Bfloat16(Refusal):
    SHAPE = (2, 3, 33)

    def copied(self, values):
        x = np.zeros(self.SHAPE, np.float32)
        x.reshape(-1)[: len(values)] = values
        with load("bfloat16") as executable:
            y = executable.run({"x": x})["y"]
        self.assertEqual(y.dtype, np.float32)
        return y.reshape(-1)[: len(values)]

    def test_float32_is_rounded_to_nearest_even(self):
        step = 2.0**-7  # between 1 and 2
        for value, rounded in ((1, 1), (1 + step / 2, 1), (1 + 1.5 * step, 1 + 2 * step), (1 + step * 0.5001, 1 + step), (-1 - step / 2, -1)):
            self.assertEqual(self.copied([value])[0], rounded)
        np.testing.assert_array_equal(self.copied([np.inf, -np.inf, 3.4e38, -0.0]), [np.inf, -np.inf, np.inf, 0])
        self.assertTrue(np.signbit(self.copied([-0.0])[0]))

    def test_every_kind_of_nan_stays_one(self):
        nans = np.array([0x7FC00000, 0x7F800001, 0xFF800001, 0xFFFFFFFF, 0x7FFFFFFF], np.uint32).view(np.float32)
        self.assertTrue(np.isnan(self.copied(nans)).all())

    def test_random_values_are_as_near_as_they_can_be(self):
        x = np.random.default_rng(7).standard_normal(198).astype(np.float32)
        np.testing.assert_allclose(self.copied(x), x, rtol=2.0**-8)

    def test_float32_and_numbers_are_taken_and_nothing_else(self):
        with load("bfloat16") as executable:
            y = executable.run({"x": np.full(self.SHAPE, 1.5).tolist()})["y"]
            np.testing.assert_array_equal(y, np.full(self.SHAPE, 1.5, np.float32))
            for wrong in ("float64", "float16", "uint16"):
                self.assertSays(lightmetal.InvalidArgumentError, "expected bfloat16 or float32", executable.run, {"x": np.zeros(self.SHAPE, wrong)})

    def test_the_arrays_of_ml_dtypes_are_passed_as_they_are(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        x = np.random.default_rng(3).standard_normal(self.SHAPE).astype(ml_dtypes.bfloat16)
        with load("bfloat16") as executable:
            np.testing.assert_array_equal(executable.run({"x": x})["y"], x.astype(np.float32))
            for out in (np.zeros_like(x), np.zeros(self.SHAPE[::-1], x.dtype).T):
                self.assertIs(executable.run({"x": x}, out={"y": out})["y"], out)
                np.testing.assert_array_equal(out, x)
            random = np.random.default_rng(5).standard_normal(self.SHAPE).astype(np.float32)
            np.testing.assert_array_equal(executable.run({"x": random})["y"], random.astype(ml_dtypes.bfloat16).astype(np.float32))


class Life(Refusal):
    def test_a_closed_executable_runs_no_more(self):
        with load("scaling") as executable:
            self.assertNotIn("closed", repr(executable))
        executable.close()
        self.assertIn("closed", repr(executable))
        self.assertSays(lightmetal.InvalidArgumentError, "the executable is closed", executable.run)
        self.assertEqual(executable.entries, ("scale",))

    def test_threads_that_share_an_executable_get_their_own_results(self):
        w = counting((4, 16), first=1000)
        wrong = []

        def work(first):
            x = counting((4, 16), first=first)
            for _ in range(20):
                if not np.array_equal(executable.run({"x": x})["y"], 3 * x + w):
                    wrong.append(first)

        with load("scaling") as executable:
            threads = [threading.Thread(target=work, args=(1000 * number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    def test_memory_does_not_grow_with_runs(self):
        def resident():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        with load("scaling") as executable:
            x = counting((4, 16))
            for _ in range(100):
                executable.run({"x": x})
            before = resident()
            for _ in range(2000):
                executable.run({"x": x})
            self.assertLess(resident() - before, 1 << 20)

    def test_a_process_that_forgets_to_close_ends_well(self):
        code = f"import lightmetal; e = lightmetal.load({str(FOLDER / 'scaling.lmb')!r}); print(e.run()['y'][0, 0])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1015\n", ""))


class Package(unittest.TestCase):
    def test_every_error_has_the_number_of_the_header(self):
        from lightmetal import _errors

        header = (pathlib.Path(__file__).parents[2] / "embedding/include/lightmetal.h").read_text()
        for number, error in _errors.BY_STATUS.items():
            self.assertIn(f" LM_{error.status} = {number}", header)

    def test_the_document_runs(self):
        document = (pathlib.Path(__file__).parents[2] / "docs/embedding.md").read_text()
        block = document.split("```python\n")[1].split("```")[0]
        environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(lightmetal.__file__).resolve().parents[1])}
        done = subprocess.run([sys.executable, "-c", block], cwd=FOLDER, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("('scale',)", done.stdout)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv.pop(1), folder], check=True)
        FOLDER = pathlib.Path(folder)
        unittest.main()
