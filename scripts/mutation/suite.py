"""The tests of a build: how to run one, which mistakes it reaches, and which are nearest to a source."""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

LEAST_SECONDS = 10  # a test may take this long with a mistake, or
TIMES_AS_LONG = 5   # so many times what it takes without


@dataclasses.dataclass
class Test:
    name: str
    command: list
    folder: str
    environment: dict
    switch: str              # the folder of Python's switch
    seconds: float = 0.0     # what it takes without a mistake
    reached: frozenset = frozenset()

    def run(self, variables, limit):
        """Runs the test with more variables. Returns whether it passes within `limit` seconds, and the seconds."""
        started = time.monotonic()
        environment = {**os.environ, **self.environment, **variables}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [self.switch, environment.get("PYTHONPATH")]))
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(self.command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
            # Its children end with it.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        return code == 0, time.monotonic() - started

    def limit(self):
        return max(LEAST_SECONDS, TIMES_AS_LONG * self.seconds)


def environment_of(properties):
    """Returns the variables of the environment that a test's properties set."""
    variables = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
    for word in properties.get("ENVIRONMENT_MODIFICATION", []):
        name, change = word.split("=", 1)
        operation, value = change.split(":", 1)
        if operation != "set":
            raise ValueError(f"expected ENVIRONMENT_MODIFICATION with set, found {word}")
        variables[name] = value
    return variables


def tests_of(build, left_out):
    """The tests of a build but those with a label that `left_out` matches."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    for test in json.loads(listed)["tests"]:
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        if "command" not in test or properties.get("DISABLED") or any(re.fullmatch(left_out, label) for label in properties.get("LABELS", [])):
            continue
        yield Test(test["name"], test["command"], properties.get("WORKING_DIRECTORY", str(build)), environment_of(properties),
                   str(build.parent / "python"))


# ---- What they reach ----

def measure(tests, jobs, in_kernels, report):
    """Gives each test its seconds and what it reaches, with the mistakes in kernels if there are any. Returns those that pass."""
    passed = []
    variables = {"LIGHTMETAL_MUTANTS_IN_KERNELS": "1"} if in_kernels else {}

    def one(test):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "reached"
            ok, test.seconds = test.run({"LIGHTMETAL_MUTANTS_REACHED": str(path), **variables}, 3600)
            if path.exists():
                test.reached = frozenset(number for number, byte in enumerate(path.read_bytes()) if byte)
        return test, ok

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, (test, ok) in enumerate(pool.map(one, tests), 1):
            if ok:
                passed.append(test)
            report(f"{number} of {len(tests)} tests" + ("" if ok else f": {test.name} fails without a mistake, and is left out"), not ok)
    return passed


# ---- The nearest first ----

def words_of(text):
    return set(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r" \1", text).lower())) - {"test", "tests", "cc", "h", "py", "bin", "the", "a", "of", "is", "and"}


def nearest_first(tests, source, folders):
    """Those tests first that share words with the path of the source, then those of its folder, then the others; the shorter ones first."""
    words = words_of(source)
    folder = source.split("/")[0]

    def distance(test):
        program = pathlib.Path(test.command[0]).name
        shared = len(words & words_of(program + " " + test.name))
        return (-shared if shared > 1 else 0, folders.get(program) != folder, test.seconds)

    return sorted(tests, key=distance)


def folders_of(tree):
    """The folder below tests/ for the name of each test program that has a source of its name."""
    return {path.stem: path.parent.name for path in pathlib.Path(tree, "tests").glob("*/*.cc")}


# ---- Mistakes ----

@dataclasses.dataclass
class Verdict:
    state: str        # killed, survived, not reached
    by: str = ""      # the test that fails
    tests: int = 0    # how many ran
    of: int = 0       # how many reach the place
    seconds: float = 0.0
    unsteady: str = ""  # the last test that failed with the mistake, and then without it


def judge(number, tests, seconds, cache):
    """Runs `tests` until one fails with mistake `number`, or for `seconds`. Kernels that a mistake spoils stay in a cache of its own."""
    verdict = Verdict("survived" if tests else "not reached", of=len(tests))
    with tempfile.TemporaryDirectory(dir=cache.parent if cache else None) as folder:
        variables = {"LIGHTMETAL_MUTANT": str(number)}
        if cache:
            variables["LIGHTMETAL_CACHE_DIR"] = f"{folder}/cache"
            shutil.copytree(cache, f"{folder}/cache", symlinks=True, copy_function=os.link)
        for test in tests:
            if verdict.seconds >= seconds:
                break
            ok, taken = test.run(variables, test.limit())
            verdict.tests += 1
            verdict.seconds += taken
            if ok:
                continue
            # A test that also fails without the mistake says nothing: the machine may be busy.
            if test.run({**variables, "LIGHTMETAL_MUTANT": "0"}, test.limit())[0]:
                verdict.state, verdict.by = "killed", test.name
                break
            verdict.unsteady = test.name
    return verdict
