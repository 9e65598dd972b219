#!/usr/bin/env python3
"""Which share of the lines the tests have run, by room; from a build with the preset `coverage`.

    coverage.py BUILD [ROOM]     with ROOM: its files, and the lines that no test ran

A line that stands in several programs (an inline function of a header) counts once, and as run when one of them ran it.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = ("src", "cli", "server")


def notes(build):
    """The .gcno files of the library and the program: tests are not measured."""
    for folder, _, names in os.walk(build):
        if os.sep + "tests" not in folder[len(build):]:
            yield from (os.path.join(folder, name) for name in names if name.endswith(".gcno"))


def read(note):
    done = subprocess.run(["gcov", "--json-format", "--stdout", note], capture_output=True, cwd="/", check=False)
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]


def count(build):
    runs = collections.defaultdict(dict)  # by file, by line
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for documents in pool.map(read, notes(build)):
            for document in documents:
                for file in document["files"]:
                    path = os.path.join(document["current_working_directory"], file["file"])
                    name = os.path.relpath(os.path.realpath(path), ROOT)
                    if name.split(os.sep)[0] in PARTS:
                        for line in file["lines"]:
                            known = runs[name].get(line["line_number"], 0)
                            runs[name][line["line_number"]] = max(known, line["count"])
    return runs


def share(lines):
    return sum(n > 0 for n in lines), len(lines)


def put(name, ran, n):
    print(f"{name:32} {100 * ran / n:6.1f} %  {ran:6,} of {n:6,} lines")


def main():
    runs = count(os.path.abspath(sys.argv[1]))
    rooms = collections.defaultdict(list)
    for name, lines in sorted(runs.items()):
        room = os.path.dirname(name)
        rooms[room] += lines.values()
        if sys.argv[2:] == [room]:
            put(os.path.basename(name), *share(lines.values()))
            missed = [number for number, n in sorted(lines.items()) if n == 0]
            print("   ", " ".join(map(str, missed)))
    if len(sys.argv) == 2:
        for room, lines in sorted(rooms.items(), key=lambda item: share(item[1])[0] / len(item[1])):
            put(room, *share(lines))
        put("all", *share([n for lines in rooms.values() for n in lines]))


main()
