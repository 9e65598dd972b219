#!/usr/bin/env python3
"""What a release of a frame of pandas costs: CPU seconds, and memory beside the frame.

    PYTHONPATH=build/python /usr/bin/python3 bench/python_frames.py [ROWS]

The frame has nine columns: two of numbers, one of reals that are nearly all different, six of texts.
"""

import resource
import sys
import time
import warnings

import numpy
import pandas

import kanon

TEXTS = {"sex": 2, "race": 5, "marital": 7, "education": 16, "work": 8, "occupation": 14}


def frame(n):
    chance = numpy.random.default_rng(1)
    columns = {"age": chance.integers(17, 90, n)}
    for name, n_values in TEXTS.items():
        texts = numpy.array([f"{name} {i}" for i in range(n_values)], dtype=object)
        columns[name] = texts[chance.integers(0, n_values, n)]
    return pandas.DataFrame({**columns, "hours": chance.integers(1, 99, n), "pay": chance.normal(size=n)}, copy=False)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    people = frame(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
    own, before = people.memory_usage().sum(), peak()
    warnings.simplefilter("ignore", kanon.Note)
    began = time.process_time()
    release = kanon.anonymize(
        people, qi=["age", "sex", "race", "marital", "education"], hierarchies={"age": "intervals:5,10,20"}, level={"age": "1..3"},
        k=5, suppress="1%", keep=["work", "occupation", "hours", "pay"],
    )  # fmt: skip
    spent = time.process_time() - began
    print(f"{len(people):,} rows: {spent:.2f} CPU s; the frame has {own / 1e6:.0f} MB, and {(peak() - before) / own:.2f} "
          f"times as much came on top of {before / 1e6:.0f} MB; {len(release.table):,} rows are released")  # fmt: skip


main()
