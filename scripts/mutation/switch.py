"""The switch of scripts/mutants for Python: as switch.h is for C++. No normal build has it."""
import mmap
import os

MISTAKES = 1 << 16
ACTIVE = int(os.environ.get("LIGHTMETAL_MUTANT", 0))


def _counts():
    path = os.environ.get("LIGHTMETAL_MUTANTS_REACHED")
    if path is None:
        return bytearray(MISTAKES)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    os.ftruncate(file, MISTAKES)
    return mmap.mmap(file, MISTAKES)


REACHED = _counts()


def on(number):
    REACHED[number] = 1
    return ACTIVE == number
