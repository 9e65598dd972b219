"""Allocations of the library and of module.c fail, one by one: MemoryError, no crash, nothing leaks.

    fault.py FAULTY_MODULE STEP

The module is _kanon with tests/fault/wrap.c in it (kanon_python_fault). Every STEP-th allocation is tried.
"""

import ctypes
import gc
import importlib.util
import os
import re
import signal
import sys


def load(path):
    """The package with this module in place of its own, and the faults."""
    spec = importlib.util.spec_from_file_location("kanon._kanon", path)
    sys.modules["kanon._kanon"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    faults = ctypes.CDLL(path)
    faults.fault_fail_allocation_at.argtypes = [ctypes.c_uint64]
    faults.fault_happened.restype = ctypes.c_bool
    return faults


class Usage(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
        "keepcost")]  # fmt: skip


libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Usage


def in_use():
    re.purge()  # names of folders are in patterns
    gc.collect()
    usage = libc.mallinfo2()
    return usage.uordblks + usage.hblkhd


# The allocator's own caches would look as if they were in use.
TUNABLES = "glibc.malloc.tcache_count=0"
if os.environ.get("GLIBC_TUNABLES") != TUNABLES:
    os.execve(sys.executable, [sys.executable, *sys.argv], dict(os.environ, GLIBC_TUNABLES=TUNABLES))
faults = load(sys.argv[1])
import kanon  # noqa: E402

PEOPLE = {
    "zip": ["53111", "53112", "53111", "89073", "89074", "89074"],
    "age": [30, 31, 30, 40, 41, 40],
    "note": ["a", "", None, "a", "b", "c"],
    "real": [0.5, 1.5, None, 2.5, 0.5, 0.5],
}
LINES = {"zip": lambda code: [code[:2], "*"], "age": {30: "3", 31: "3", 40: "4", 41: "4"}}
GIVEN = dict(qi=["zip", "age"], k=2, hierarchies=LINES, threads=1, suppress="50%")


class Producer:
    def __arrow_c_stream__(self, requested_schema=None):
        return kanon._tables.Data(PEOPLE).stream()


def raising(*told):
    raise LookupError("enough")


def interrupting(*told):
    signal.raise_signal(signal.SIGINT)


RELEASE = kanon.anonymize(PEOPLE, keep=["note", "real"], **GIVEN).table
JOBS = {
    "anonymize": lambda: kanon.anonymize(PEOPLE, keep=["note", "real"], **GIVEN).table,
    "report": lambda: kanon.anonymize(PEOPLE, keep="note", report=True, certificate=True, **GIVEN).table,
    "producer": lambda: kanon.anonymize(Producer(), keep="note", **GIVEN).table.to_dict(),
    "mondrian": lambda: kanon.anonymize(PEOPLE, qi="age", k=2, algorithm="mondrian", threads=1).table,
    "search": lambda: kanon.search(PEOPLE, **GIVEN).result["solution"],
    "verify": lambda: kanon.verify(RELEASE, qi=["zip", "age"], k=2, threads=1, original=PEOPLE,
                                   hierarchies=LINES).holds,
    "utility": lambda: kanon.utility(PEOPLE, original=PEOPLE, threads=1).result["columns"],
    "risk": lambda: kanon.risk(PEOPLE, qi=["age"], k=2, threads=1).result["risk"],
    "attack": lambda: kanon.attack(RELEASE, qi=["age"], register=PEOPLE, original=PEOPLE, nearest=True, threads=1).result["register"],
    "profile": lambda: kanon.profile(PEOPLE, threads=1).result["columns"],
    "hierarchy": lambda: kanon.hierarchy_build(PEOPLE, {"age": "intervals:10"}),
    "raising": lambda: kanon.anonymize(PEOPLE, progress=raising, **GIVEN),
    "interrupted": lambda: kanon.anonymize(PEOPLE, progress=interrupting, **GIVEN),
}  # fmt: skip
STEP = int(sys.argv[2])
EXPECTED = {"raising": LookupError, "interrupted": KeyboardInterrupt}


def run(name, n, expected):
    """The n-th allocation fails; whether there was one."""
    faults.fault_reset()
    faults.fault_fail_allocation_at(n)
    try:
        found = JOBS[name]()
    except MemoryError:
        found = MemoryError
    except EXPECTED.get(name, ()) as error:
        found = type(error)
    has_failed = faults.fault_happened()
    faults.fault_reset()
    if found is MemoryError and not has_failed:
        raise SystemExit(f"{name}: MemoryError without a fault")
    if found is not MemoryError and found != expected:
        raise SystemExit(f"{name}: with fault {n} it gives {found!r}")
    return has_failed


def leaks(name, n, expected, times):
    """Bytes per run."""
    run(name, n, expected)
    before = in_use()
    for _ in range(times):
        run(name, n, expected)
    return (in_use() - before) / times


def expected_of(name):
    try:
        return JOBS[name]()
    except EXPECTED.get(name, ()) as error:
        return type(error)


for name in JOBS:
    expected = expected_of(name)
    n = 1
    while run(name, n, expected):
        # The interpreter grows something now and then; a leak is there each time.
        if all(leaks(name, n, expected, times) > 0 for times in (1, 2, 4, 8)):
            raise SystemExit(f"{name}: fault {n} leaks")
        n += STEP
    print(f"{name}: up to {n} allocations")
    if n < 50:
        raise SystemExit(f"{name}: too few allocations were seen; is this the faulty module?")
