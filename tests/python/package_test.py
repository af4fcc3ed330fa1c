"""The package lightmetal, on the files of a program that writes some. Usage: package_test.py WRITE_PROGRAMS [unittest options]"""
import atexit
import ctypes
import gc
import os
import pathlib
import shutil
import signal
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


class Wrapped:
    """Only an array's own protocol, which keeps the class of the array."""

    def __init__(self, array):
        self.array = array

    def __array__(self, *arguments, **options):
        return self.array


class DLTensor(ctypes.Structure):
    """As dlpack.h has it."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    """As dlpack.h has it."""

    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class HandMade:
    """A DLPack producer without NumPy: unsigned words that lie in memory of its own, `offset` bytes from its beginning."""

    CPU, CUDA = 1, 2
    UINT = 1

    def __init__(self, words, shape, strides=None, offset=0, device_type=CPU):
        self.memory = (ctypes.c_uint32 * len(words))(*words)
        self.device_type = device_type
        self.taken, self.ended = 0, 0
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        tensor = DLTensor(data=ctypes.addressof(self.memory), device_type=device_type, ndim=len(shape), code=self.UINT, bits=32, lanes=1,
                          shape=self.shape, strides=self.strides, byte_offset=offset)
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._end)
        self.managed = DLManagedTensor(tensor, None, ctypes.cast(self.deleter, ctypes.c_void_p))

    def _end(self, managed):
        self.ended += 1

    def __dlpack_device__(self):
        return self.device_type, 0

    def __dlpack__(self, **options):
        self.taken += 1
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)


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

    def test_every_way_to_open_a_file_takes_bytes_and_the_options(self):
        plain, signed = (FOLDER / "scaling.lmb").read_bytes(), (FOLDER / "signed.lmb").read_bytes()
        keys = [(FOLDER / f"{name}.pub").read_text() for name in ("other", "signer")]
        with lightmetal.open_device(plain, chip_id=2) as device:
            ways = {"load": lightmetal.load, "open_device": lightmetal.open_device, "Device.load": device.load}
            for name, way in ways.items():
                with self.subTest(name):
                    way(signed, required_keys=keys).close()
                    way(plain, memory_limit=16 << 30).close()
                    way(plain[:-60], allow_incomplete=True).close()
                    self.assertSays(lightmetal.UnauthenticatedError, "is not signed by", way, signed, required_keys=keys[:1])
                    self.assertSays(lightmetal.PermissionDeniedError, "carries no signature", way, plain, required_keys=keys)
                    self.assertSays(lightmetal.ResourceExhaustedError, "", way, plain, memory_limit=1)
                    self.assertSays(lightmetal.Error, "was not closed", way, plain[:-60])
        for way in (lightmetal.load, lightmetal.open_device):
            self.assertSays(lightmetal.NotFoundError, "no_such_backend", way, plain, "no_such_backend")
            self.assertSays(lightmetal.InvalidArgumentError, "chip 2147483648", way, plain, chip_id=2**31)

    def test_several_files_live_side_by_side_on_chips_of_their_own(self):
        with load("scaling") as first, load("two_entries", chip_id=1) as second:
            self.assertEqual(first.run()["y"][0, 0], 1015)
            self.assertEqual(second.run(entry="twice")["y"][0, 0], 2)
            self.assertSays(lightmetal.Error, "open already", load, "scaling")
            for way_out in ("chip_id", "open_device"):
                self.assertSays(lightmetal.Error, way_out, load, "scaling")
                self.assertSays(lightmetal.Error, way_out, lightmetal.open_device, FOLDER / "scaling.lmb")

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

    def test_dlpack_producers_need_no_numpy(self):
        words = np.arange(200, dtype=np.uint32)
        with load("scaling") as executable:
            for strides, offset, x in (
                (None, 0, words[:64].reshape(4, 16)),
                ((16, 1), 12, words[3:67].reshape(4, 16)),
                ((1, 4), 0, words[:64].reshape(16, 4).T),
                ((48, 2), 0, words[:192].reshape(4, 48)[:, :32:2]),
            ):
                producer = HandMade(words, (4, 16), strides, offset)
                y = executable.run({"x": producer})["y"]
                np.testing.assert_array_equal(y, executable.run({"x": x})["y"])
                gc.collect()
                self.assertEqual((producer.taken, producer.ended), (1, 1))

    def test_dlpack_memory_is_not_copied(self):
        from lightmetal import _tensors

        with load("scaling") as executable:
            tensor = executable.inputs["x"]
        producer = HandMade(range(64), (4, 16))
        self.assertEqual(_tensors.input_memory(tensor, producer).ctypes.data, ctypes.addressof(producer.memory))

    def test_dlpack_producers_that_do_not_fit(self):
        with load("scaling") as executable:
            self.assertSays(lightmetal.InvalidArgumentError, r"shape \[64\], expected \[4, 16\]", executable.run, {"x": HandMade(range(64), (64,))})
            self.assertSays(lightmetal.InvalidArgumentError, "x cannot be taken by DLPack", executable.run,
                            {"x": HandMade(range(64), (4, 16), device_type=HandMade.CUDA)})

    def test_what_is_masked_out_is_refused_and_a_mask_of_nothing_is_not(self):
        x = counting((4, 16))
        some = np.ma.array(x, mask=x == 7)
        with load("scaling") as executable:
            expected = executable.run({"x": x})["y"]
            np.testing.assert_array_equal(executable.run({"x": np.ma.array(x, mask=np.zeros_like(x))})["y"], expected)
            np.testing.assert_array_equal(executable.run({"x": some.filled(7)})["y"], expected)
            for masked in (some, some.T.T, some.astype(np.float32), list(some), Wrapped(some)):
                self.assertSays(lightmetal.InvalidArgumentError, "x are masked in part", executable.run, {"x": masked})
            self.assertSays(lightmetal.InvalidArgumentError, "y is masked in part", executable.run, out={"y": some.copy()})
        with lightmetal.open_device(FOLDER / "scaling.lmb") as device, device.load(FOLDER / "scaling.lmb") as executable:
            tensor = executable.upload("x")
            self.assertSays(lightmetal.InvalidArgumentError, "x are masked in part", tensor.write, some)

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

    def test_arrays_of_float32_are_filled_in_any_order(self):
        x = np.arange(198, dtype=np.float32).reshape(self.SHAPE)
        with load("bfloat16") as executable:
            for out in (np.zeros(self.SHAPE, np.float32), np.zeros(self.SHAPE[::-1], np.float32).T):
                self.assertIs(executable.run({"x": x}, out={"y": out})["y"], out)
                np.testing.assert_array_equal(out, x)

    def test_tensors_on_a_device_take_and_give_float32(self):
        x = np.arange(198, dtype=np.float32).reshape(self.SHAPE)
        with lightmetal.open_device(FOLDER / "bfloat16.lmb") as device, device.load(FOLDER / "bfloat16.lmb") as executable:
            given = executable.upload("x", x)
            y = executable.run({"x": given}, on_device=True)["y"]
            for tensor in (given, y):
                self.assertEqual((tensor.dtype, tensor.shape, tensor.numpy().dtype), ("bfloat16", self.SHAPE, np.float32))
                np.testing.assert_array_equal(tensor.numpy(), x)
            given.write((-x).tolist())
            np.testing.assert_array_equal(executable.run({"x": given})["y"], -x)

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


class SharedDevice(Refusal):
    """Executables that share a device."""

    def setUp(self):
        self.device = lightmetal.open_device(FOLDER / "scaling.lmb")
        self.first, self.second = self.device.load(FOLDER / "scaling.lmb"), self.device.load((FOLDER / "next.lmb").read_bytes())
        self.w = counting((4, 16), first=1000), counting((4, 16), first=7)

    def tearDown(self):
        for thing in (self.first, self.second, self.device):
            thing.close()

    def host_bytes(self):
        return self.device.stats["host_to_device_bytes"] + self.device.stats["device_to_host_bytes"]

    def test_outputs_go_into_inputs_without_the_host(self):
        for first in (0, 100):
            x = counting((4, 16), first=first)
            between = self.first.run({"x": x}, on_device=True)
            before = self.host_bytes()
            after = self.second.run({"x": between["y"]}, on_device=True)["y"]
            self.assertEqual(self.host_bytes(), before)
            self.assertEqual(self.device.stats["host_round_trips"], 0)
            np.testing.assert_array_equal(after.numpy(), 5 * (3 * x + self.w[0]) + self.w[1])
            self.assertEqual(self.host_bytes(), before + 256)

    def test_arrays_come_and_go_as_on_a_device_of_ones_own(self):
        x = counting((4, 16), first=3)
        y = np.zeros_like(x)
        self.assertIs(self.first.run({"x": x}, out={"y": y})["y"], y)
        np.testing.assert_array_equal(y, 3 * x + self.w[0])
        np.testing.assert_array_equal(self.second.run({"x": x.tolist()})["y"], 5 * x + self.w[1])

    def test_a_forked_child_gets_errors_and_ends(self):
        given = self.first.upload("x", counting((4, 16)))
        uses = (lambda: self.first.run(), lambda: self.first.run({"x": given}, on_device=True), given.numpy, lambda: given.write(counting((4, 16))),
                lambda: self.first.upload("x"), lambda: self.device.load(FOLDER / "scaling.lmb"), lambda: self.device.stats)
        sys.stdout.flush()
        for use in uses:
            child = os.fork()
            if child == 0:
                signal.alarm(60)  # ends a child that hangs
                refused = False
                try:
                    use()
                except lightmetal.FailedPreconditionError as error:
                    refused = "forked" in str(error)
                self.tearDown()
                atexit._run_exitfuncs()
                os._exit(7 if refused else 1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        np.testing.assert_array_equal(given.numpy(), counting((4, 16)))

    def test_tensors_are_written_once_and_used_often(self):
        x = counting((4, 16), first=40)
        given = self.first.upload("x", x)
        self.assertEqual((given.dtype, given.shape), ("uint32", (4, 16)))
        filled = self.first.upload("y")
        for _ in range(3):
            self.assertIs(self.first.run({"x": given}, out={"y": filled})["y"], filled)
            np.testing.assert_array_equal(filled.numpy(), 3 * x + self.w[0])
        given.write(HandMade(range(64), (4, 16)))
        np.testing.assert_array_equal(self.first.run({"x": given})["y"], 3 * counting((4, 16)) + self.w[0])
        np.testing.assert_array_equal(np.asarray(given), counting((4, 16)))
        np.testing.assert_array_equal(np.asarray(given, dtype=float), counting((4, 16)).astype(float))
        with self.assertRaisesRegex(ValueError, "not in the memory of the host"):
            given.__array__(copy=False)
        out = np.zeros_like(x)
        self.assertIs(given.numpy(out), out)
        np.testing.assert_array_equal(out, counting((4, 16)))

    def test_only_outputs_without_a_place_of_their_own_are_new_tensors(self):
        x, y = counting((4, 16), first=6), np.zeros((4, 16), np.uint32)
        self.assertIs(self.first.run({"x": x}, out={"y": y}, on_device=True)["y"], y)
        np.testing.assert_array_equal(y, 3 * x + self.w[0])
        self.assertEqual(self.first.run({"x": x}, outputs=[], on_device=True), {})
        filled = self.first.upload("y")
        self.assertEqual(list(self.first.run({"x": x}, outputs=[], out={"y": filled})), ["y"])
        np.testing.assert_array_equal(filled.numpy(), y)

    def test_a_state_goes_to_the_device_and_comes_back(self):
        with lightmetal.open_device(FOLDER / "counter.lmb", chip_id=1) as device, device.load(FOLDER / "counter.lmb") as counter:
            state = counter.upload("state", np.full(64, 40, np.uint32))
            self.assertIs(counter.run({"state": state}, out={"state": state})["state"], state)
            self.assertEqual(counter.run(on_device=True)["state"].numpy()[63], 42)
            self.assertEqual(state.numpy()[0], 41)

    def test_what_lies_in_another_way_is_converted(self):
        x = counting((4, 16), first=8)
        with self.device.load(FOLDER / "next_in_tiles.lmb") as in_tiles:
            y = self.first.run({"x": x}, on_device=True)["y"]
            np.testing.assert_array_equal(in_tiles.run({"x": y})["y"], 5 * (3 * x + self.w[0]) + 7)
            self.assertGreater(self.device.stats["relayouts"], 0)
            self.assertSays(lightmetal.FailedPreconditionError, "lies in another way", self.first.run, out={"y": in_tiles.upload("y")})

    def test_tensors_that_do_not_fit(self):
        x = self.first.upload("x", counting((4, 16)))
        with load("scaling", chip_id=1) as alone:
            self.assertSays(lightmetal.FailedPreconditionError, "x lies on another device", alone.run, {"x": x})
            self.assertSays(lightmetal.FailedPreconditionError, "shared devices", alone.upload, "x")
            self.assertSays(lightmetal.FailedPreconditionError, "shared devices", alone.run, on_device=True)
        self.assertSays(lightmetal.NotFoundError, '"z"', self.first.upload, "z")
        self.assertSays(lightmetal.NotFoundError, '"w"', self.first.upload, "w")
        self.assertSays(lightmetal.InvalidArgumentError, "float32, expected uint32", self.first.upload, "x", np.zeros((4, 16), np.float32))
        self.assertSays(lightmetal.InvalidArgumentError, "float32, expected uint32", x.write, np.zeros((4, 16), np.float32))
        self.assertSays(lightmetal.InvalidArgumentError, "y is no input", self.first.run, {"y": x})
        self.assertSays(lightmetal.FailedPreconditionError, "LIGHTMETAL_ALLOCATOR_OFFSET", self.device.load, FOLDER / "scaling.lmb")

    def test_what_is_on_a_device_outlives_its_handle(self):
        tensor = self.first.run(on_device=True)["y"]
        self.device.close()
        self.assertIn("closed", repr(self.device))
        self.assertSays(lightmetal.InvalidArgumentError, "the device is closed", self.device.load, FOLDER / "next.lmb")
        self.assertSays(lightmetal.InvalidArgumentError, "the device is closed", lambda: self.device.stats)
        np.testing.assert_array_equal(self.second.run({"x": tensor})["y"], 5 * tensor.numpy() + self.w[1])
        self.first.close()
        self.second.close()
        self.assertEqual(tensor.numpy()[0, 0], 1015)
        del tensor
        gc.collect()
        self.device = lightmetal.open_device(FOLDER / "scaling.lmb")  # the chip is free again

    def test_stats_are_counted(self):
        before = self.device.stats
        self.first.run(outputs=[])
        written = self.device.stats["host_to_device_bytes"] - before["host_to_device_bytes"]
        self.first.run({"x": counting((4, 16))})
        after = self.device.stats
        self.assertEqual(after["host_to_device_bytes"] - before["host_to_device_bytes"], written + 256)
        self.assertEqual(after["device_to_host_bytes"] - before["device_to_host_bytes"], 256)
        self.assertTrue(all(isinstance(value, int) for value in after.values()))

    def test_threads_hand_tensors_around(self):
        wrong = []

        def work(first):
            x = counting((4, 16), first=first)
            for _ in range(20):
                y = self.first.run({"x": x}, on_device=True)["y"]
                if not np.array_equal(self.second.run({"x": y})["y"], 5 * (3 * x + self.w[0]) + self.w[1]):
                    wrong.append(first)

        threads = [threading.Thread(target=work, args=(1000 * number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


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


#: Runs executables on three threads of a kind until the process ends in a way.
ENDS = """
import ctypes, os, signal, sys, threading, time
import numpy as np
import lightmetal

folder, way, shared = sys.argv[1], sys.argv[2], sys.argv[3] == "shared"
device = lightmetal.open_device(f"{folder}/scaling.lmb") if shared else None
load = (lambda name, chip: device.load(name)) if shared else (lambda name, chip: lightmetal.load(name, chip_id=chip))
executables = [load(f"{folder}/{name}.lmb", chip) for chip, name in enumerate(("scaling", "next"))]
begun = threading.Semaphore(0)

def work(executable):
    while True:
        try:
            executable.run({"x": np.zeros((4, 16), np.uint32)})
        except lightmetal.Error:
            return
        begun.release()

for number in range(3):
    threading.Thread(target=work, args=(executables[number % 2],), daemon=True).start()
for _ in range(9):
    begun.acquire()
exit_of_c = ctypes.CDLL(None).exit
if way == "sys.exit":
    sys.exit(7)
elif way == "os._exit":
    os._exit(7)
elif way == "an exception":
    raise SystemError
elif way == "a signal":
    os.kill(os.getpid(), signal.SIGTERM)
elif way == "an interrupt":
    os.kill(os.getpid(), signal.SIGINT)
elif way == "a close":
    for executable in executables:
        executable.close()
    sys.exit(7)
elif way == "forgetting":
    del executables
    sys.exit(7)
elif way == "exit of C":
    exit_of_c(7)
elif way == "exit of C on a thread":
    threading.Thread(target=exit_of_c, args=(7,)).start()
signal.pause()
"""


class Ends(unittest.TestCase):
    """A process that ends while executables run on other threads keeps its exit code."""

    CODES = {"sys.exit": 7, "os._exit": 7, "an exception": 1, "a signal": -signal.SIGTERM, "an interrupt": -signal.SIGINT, "a close": 7,
             "forgetting": 7, "exit of C": 7, "exit of C on a thread": 7}

    def test_of_every_way_keep_the_exit_code(self):
        for way, code in self.CODES.items():
            for whose in ("own", "shared"):
                with self.subTest(way=way, devices=whose):
                    done = subprocess.run([sys.executable, "-c", ENDS, FOLDER, way, whose], stderr=subprocess.PIPE, text=True, timeout=100)
                    self.assertEqual(done.returncode, code, done.stderr)

    def test_leave_an_executable_to_the_threads_that_are_inside_of_it(self):
        # What is registered first is called last: as late as a thread that nobody waits for may still run.
        code = (f"import atexit; atexit.register(lambda: print(e.run()['y'][0, 0], x.numpy()[0, 0])); import lightmetal; "
                f"d = lightmetal.open_device({str(FOLDER / 'scaling.lmb')!r}); e = d.load({str(FOLDER / 'scaling.lmb')!r}); x = e.upload('x')")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1015 0\n", ""))


class Package(unittest.TestCase):
    def test_every_error_has_the_number_of_the_header(self):
        from lightmetal import _errors

        header = (pathlib.Path(__file__).parents[2] / "embedding/include/lightmetal.h").read_text()
        for number, error in _errors.BY_STATUS.items():
            self.assertIn(f" LM_{error.status} = {number}", header)

    def test_the_document_runs(self):
        document = (pathlib.Path(__file__).parents[2] / "docs/embedding.md").read_text()
        blocks = [part.split("```")[0] for part in document.split("```python\n")[1:]]
        environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(lightmetal.__file__).resolve().parents[1])}
        for block, printed in zip(blocks, ("('scale',)", "]] 0\n")):
            done = subprocess.run([sys.executable, "-c", block], cwd=FOLDER, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(printed, done.stdout)
        self.assertEqual(len(blocks), 2)


if __name__ == "__main__":
    FOLDER = pathlib.Path(tempfile.mkdtemp())  # which no forked child removes at its exit
    try:
        subprocess.run([sys.argv.pop(1), FOLDER], check=True)
        unittest.main()
    finally:
        shutil.rmtree(FOLDER)
