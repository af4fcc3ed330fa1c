"""The captured transformer block with inputs of Python's, against the same in NumPy. Usage: transformer_test.py TRANSFORMER_BLOCK, beside
which the runner lies."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import lightmetal

TOKENS, WIDTH, HEADS, SEED = 64, 128, 4, 3
FILE = pathlib.Path()


# ---- The weights, as the example draws them (examples/transformer_block/weights.cpp) ----


def bfloat16(values):
    """The nearest bfloat16, ties to even, as TT-Metalium makes it of a float. As float64."""
    bits = values.view(np.uint32)
    nearest = bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    return (nearest & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


class Draws:
    """Matrices of uniform values, each from a seed of its own: what std::mt19937 and std::uniform_real_distribution<float> give."""

    def __init__(self, seed):
        self.seed = seed

    def matrix(self, rows, columns, spread, centre=0.0):
        words = np.random.RandomState(self.seed).randint(0, 2**32, rows * columns, dtype=np.uint32)
        self.seed += 1
        spread = np.float32(spread)
        unit = words.astype(np.float32) / np.float32(2**32)
        return bfloat16(unit * (2 * spread) + (np.float32(centre) - spread)).reshape(rows, columns)

    def linear(self, inputs, outputs):
        return self.matrix(inputs, outputs, np.sqrt(np.float32(3) / np.float32(inputs))), self.matrix(1, outputs, 0.1)

    def layer_norm(self, width):
        return self.matrix(1, width, 0.5, 1.0), self.matrix(1, width, 0.5)


def draw_weights():
    draws = Draws(1000 * SEED)
    return {
        "attention_norm": draws.layer_norm(WIDTH),
        "qkv": draws.linear(WIDTH, 3 * WIDTH),
        "projection": draws.linear(WIDTH, WIDTH),
        "mlp_norm": draws.layer_norm(WIDTH),
        "mlp_up": draws.linear(WIDTH, 4 * WIDTH),
        "mlp_down": draws.linear(4 * WIDTH, WIDTH),
    }


# ---- The block in double precision ----


def layer_norm(x, gamma, beta):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * gamma + beta


def attention(qkv):
    queries, keys, values = (part.reshape(TOKENS, HEADS, -1).transpose(1, 0, 2) for part in np.split(qkv, 3, axis=1))
    scores = np.exp(queries @ keys.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS))
    return (scores / scores.sum(axis=2, keepdims=True) @ values).transpose(1, 0, 2).reshape(TOKENS, WIDTH)


def gelu(x):
    """By the tanh form, which is within 5e-4 of the exact one."""
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


def block(x, weights):
    def linear(values, name):
        weight, bias = weights[name]
        return values @ weight + bias

    x = x + linear(attention(linear(layer_norm(x, *weights["attention_norm"]), "qkv")), "projection")
    return x + linear(gelu(linear(layer_norm(x, *weights["mlp_norm"]), "mlp_up")), "mlp_down")


def correlation(a, b):
    return np.corrcoef(a.ravel(), b.ravel())[0, 1]


# ---- ----


class TransformerBlock(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.executable = lightmetal.load(FILE)
        cls.weights = draw_weights()

    @classmethod
    def tearDownClass(cls):
        cls.executable.close()

    def test_its_input_and_its_result_have_names(self):
        self.assertEqual(self.executable.entries, ("block",))
        described = [(tensor.role, tensor.dtype, tensor.shape) for tensor in self.executable.tensors.values()]
        self.assertEqual(list(self.executable.tensors), ["x", "y"])
        self.assertEqual(described, [("input", "bfloat16", (TOKENS, WIDTH)), ("output", "bfloat16", (TOKENS, WIDTH))])

    def test_without_a_value_its_input_is_that_of_the_capture(self):
        x = Draws(1000 * SEED + 999).matrix(TOKENS, WIDTH, np.sqrt(np.float32(3)))
        y = self.executable.run()["y"]
        self.assertGreater(correlation(y, block(x, self.weights)), 0.99)
        np.testing.assert_array_equal(self.executable.run({"x": x.astype(np.float32)})["y"], y)

    def test_ten_inputs_give_what_numpy_computes(self):
        results = []
        for seed in range(10):
            x = np.random.default_rng(seed).standard_normal((TOKENS, WIDTH), dtype=np.float32) * (1 + seed)
            y = self.executable.run({"x": x})["y"]
            self.assertGreater(correlation(y, block(x.astype(np.float64), self.weights)), 0.99, f"seed {seed}")
            results.append(y)
        # What does not depend on its input would correlate with nothing.
        self.assertLess(max(correlation(results[0], result) for result in results[1:]), 0.5)

    def test_the_runner_gives_for_an_input_by_name_what_python_gives(self):
        x = np.random.default_rng(10).standard_normal((TOKENS, WIDTH), dtype=np.float32)
        given, found = FILE.with_name("x.npy"), FILE.with_name("y.npy")
        np.save(given, x)
        subprocess.run([RUNNER, "run", FILE, "--input", f"x={given}", "--output", f"y={found}", "--entry", "block"], check=True, stdout=subprocess.DEVNULL)
        y = np.load(found)
        self.assertGreater(correlation(y, block(x.astype(np.float64), self.weights)), 0.99)
        np.testing.assert_array_equal(y, self.executable.run({"x": x})["y"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        FILE = pathlib.Path(folder) / "block.lmb"
        RUNNER = pathlib.Path(sys.argv[1]).with_name("lightmetal_runner")
        shape = {"tokens": TOKENS, "width": WIDTH, "heads": HEADS, "seed": SEED, "iterations": 1}
        command = [sys.argv.pop(1), "--capture", FILE] + [word for name, value in shape.items() for word in (f"--{name}", str(value))]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        unittest.main()
