#!/usr/bin/env python3
"""Numbers about the house that anybody can count, and what they must be.

    house.py ROOT [BUILD]   counts in the checkout ROOT, with the object files of BUILD
    house.py --self-test    plants one violation of each kind, and expects it to be found

  files of a room                                       at most MOST_FILES
  circles between rooms, by includes and by calls       0
  lists of setting names outside job/settings           0

A room is a folder of src or server, or a folder within one (tests/check/layers.sh says which may
include which). A call goes from the room of an object file that needs a symbol to the room of the
one that defines it: so a function that is declared below and defined above is seen as well. Stands
beside layers.sh, which sees single includes and knows the order of rooms, and kinds.sh, which finds
kinds that are recognised outside their families.

Exit status 0 when all hold; every violation is named with its place.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

MOST_FILES = 30
FOLDERS = ("include", "src", "server", "cli", "python")
# A list is an initializer with so many names of settings among its texts, alone or with words beside
# them. Arguments of calls are not: code that asks for one setting does that one thing.
LIST_NAMES = 2
# Initializers that are none, by file: words that settings happen to have, too, or one setting each.
NO_LISTS = {
    "src/analyze/links/links_names.c": "words in names of columns, which some settings are called as well",
    "src/data/table.c": "what results call the roles of columns",
    "src/io/arrow/arrow_type.c": "types of Arrow by their signs and names",
    "src/job/commands.c": "what each command needs; the other place where settings are declared",
    "src/job/registry/list.c": "keys of the JSON result, by family of kinds",
    "src/job/report/report_check.c": "keys of the JSON result",
    "src/job/risk/risk_tables.c": "which setting names each of the three tables",
    "src/search/regions/partition_space.c": "the values of --split",
    "cli/flags.c": "the letters of the command line",
}


def room_of(path):
    parts = path.split("/")
    if parts[0] == "server":
        return "/".join(parts[: min(2, len(parts) - 1)])
    if parts[0] == "src":
        return "/".join(parts[1 : min(3, len(parts) - 1)])
    return parts[0]


def without_comments(text):
    """The text with its comments blank, so that lines keep their numbers; strings stay."""

    def blank(match):
        return match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0])

    return re.sub(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def without_calls(masked, text):
    """The texts of an initializer that stand in no parentheses; `masked` is `text` without its texts."""
    depths, depth = [], 0
    for sign in masked:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        depths.append(depth)
    return [m[1] for m in re.finditer(r'"((?:[^"\\\n]|\\.)*)"', text) if depths[m.start()] == 0]


class House:
    def __init__(self, root, objects):
        self.root = pathlib.Path(root)
        self.objects = objects  # (path of the source, object file)
        self.sources = {}
        for folder in FOLDERS:
            for path in sorted((self.root / folder).rglob("*.[ch]")):
                self.sources[path.relative_to(self.root).as_posix()] = without_comments(path.read_text())
        self.faults = []

    def place(self, path, at):
        return f"{path}:{self.sources[path][:at].count(chr(10)) + 1}"

    # ---- files ---------------------------------------------------------------------------------

    def count_files(self):
        rooms = Counter(room_of(path) for path in self.sources)
        for room, n in rooms.items():
            if n > MOST_FILES:
                self.faults.append(f"{room}: {n} files, more than {MOST_FILES}; make rooms of it")
        return rooms

    # ---- circles -------------------------------------------------------------------------------

    def resolve(self, path, name):
        for candidate in (str(pathlib.PurePosixPath(path).parent / name), f"src/{name}", name, f"include/{name}"):
            if candidate in self.sources:
                return candidate
        return None

    def find_uses(self):
        """By pair of rooms, where the first uses the second."""
        uses = defaultdict(list)
        for path, text in self.sources.items():
            for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', text, re.M):
                target = self.resolve(path, match[1])
                if target:
                    uses[room_of(path), room_of(target)].append(f"{self.place(path, match.start())} includes {target}")
        defined, needed = {}, []
        for source, symbol, is_defined in self.read_symbols():
            if is_defined:
                defined[symbol] = source
            else:
                needed.append((source, symbol))
        for source, symbol in needed:
            if symbol in defined:
                pair = room_of(source), room_of(defined[symbol])
                uses[pair].append(f"{source} uses {symbol} of {defined[symbol]}")
        return {pair: places for pair, places in uses.items() if pair[0] != pair[1]}

    def read_symbols(self):
        by_object = {str(path): source for source, path in self.objects}
        paths = list(by_object)
        for i in range(0, len(paths), 200):
            out = subprocess.run(["nm", "-A", *paths[i : i + 200]], check=True, capture_output=True, text=True).stdout
            for line in out.splitlines():
                path, _, rest = line.partition(":")
                words = rest.split()
                if len(words) >= 2 and words[-2] in "UTDRBVWC":
                    yield by_object[path], words[-1], words[-2] != "U"

    def find_circles(self):
        uses = self.find_uses()
        below = defaultdict(set)
        for above, under in uses:
            below[above].add(under)

        def reaches(room):
            seen, left = set(), [room]
            while left:
                for under in below[left.pop()] - seen:
                    seen.add(under)
                    left.append(under)
            return seen

        reached = {room: reaches(room) for room in list(below)}
        circles = {frozenset(r for r in reached[room] if room in reached.get(r, ())) for room in reached}
        circles.discard(frozenset())
        for circle in circles:
            self.faults.append("a circle between rooms: " + ", ".join(sorted(circle)))
            for pair in sorted(uses):
                if pair[0] in circle and pair[1] in circle:
                    self.faults.append(f"    {pair[0]} > {pair[1]}, {len(uses[pair])} times: {uses[pair][0]}")
        return len(circles)

    # ---- lists of settings ---------------------------------------------------------------------

    def setting_names(self):
        names = set()
        for path, text in self.sources.items():
            if re.match(r"src/job/settings/settings_\w+\.c$", path):
                names.update(re.findall(r'\.name = "([a-z][a-z0-9-]*)"', text))
        return names

    def initializers(self, path):
        """Every initializer in braces, the outermost of each: its place, and its texts. Options of kinds
        (kan_option_spec) are left out: these are settings, declared."""
        text = self.sources[path]
        masked = re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', lambda m: "_" * len(m[0]), text)
        end = 0
        for match in re.finditer(r"(kan_option_spec \w+\[\] )?(=|\))\s*\{", masked):
            start = match.end() - 1
            if start < end:
                continue
            at, depth = start, 0
            while at < len(masked):
                depth += {"{": 1, "}": -1}.get(masked[at], 0)
                at += 1
                if depth == 0:
                    break
            if match[2] == ")" and ";" in masked[start:at]:
                continue  # the body of a function
            end = at
            if not match[1]:
                yield match.start(), without_calls(masked[start:at], text[start:at])

    def find_lists(self):
        names, n, used = self.setting_names(), 0, set()
        if not names:
            self.faults.append("src/job/settings/settings_*.c: no setting is found there")
        for path in self.sources:
            if path.startswith("src/job/settings/"):
                continue
            for start, texts in self.initializers(path):
                found = [word for word in texts if word in names]
                if len(set(found)) < LIST_NAMES:
                    continue
                if path in NO_LISTS:
                    used.add(path)
                    continue
                n += 1
                self.faults.append(
                    f"{self.place(path, start)}: a list of setting names ({', '.join(found)}); "
                    "let settings declare a trait, and ask for it"
                )
        for path in sorted(NO_LISTS.keys() & self.sources.keys() - used):
            self.faults.append(f"{path}: has no list; take it out of NO_LISTS in tests/check/house.py")
        return n


def objects_of(root, build):
    """The object files of the program and the library, each with its source, if that is still there."""
    found = []
    for path in pathlib.Path(build).glob("CMakeFiles/*.dir/**/*.o"):
        source = path.as_posix().partition(".dir/")[2][: -len(".o")]
        if source.startswith(("src/", "server/", "cli/")) and (pathlib.Path(root) / source).is_file():
            found.append((source, path))
    return found


def check(root, objects):
    house = House(root, objects)
    rooms = house.count_files()
    circles = house.find_circles()
    lists = house.find_lists()
    fullest = max(rooms, key=rooms.get) if rooms else "none"
    print(f"rooms: {len(rooms)}, the fullest is {fullest} with {rooms[fullest]} files (at most {MOST_FILES})")
    print(f"circles between rooms: {circles} (by includes, and by symbols of {len(objects)} object files)")
    print(f"lists of setting names outside job/settings: {lists}")
    return house.faults


# ---- self test -----------------------------------------------------------------------------------

CLEAN = {
    "src/core/run.h": "int kan_run(void);\n",
    "src/core/run.c": '#include "core/run.h"\nint kan_run(void) { return 1; }\n',
    "src/job/settings/settings_output.c": "static const int s[] = {\n"
    '    {.name = "output"},\n    {.name = "report"},\n    {.name = "key"},\n    {.name = "force"},\n};\n',
    "src/job/settings/settings.h": '#include "core/run.h"\nint kan_settings(void);\n',
    "src/job/settings/settings.c": '#include "job/settings/settings.h"\nint kan_settings(void) { return kan_run(); }\n'
    '/* a list: */ static const char *const own[] = {"output", "report", "key"};\n',
    "src/job/walk.c": '#include "job/settings/settings.h"\nint kan_commands(void) { return kan_settings(); }\n'
    'static const char *const one[] = {"output", "banana", NULL};\n'
    'static const int asked = {.a = kan_find("output"), .b = kan_find("report")};\n'
    'static const kan_option_spec options[] = {{.name = "output"}, {.name = "report"}};\n'
    "/* {\"output\", \"report\", \"key\"} are words of a comment */\n",
}

PLANTED = [
    ("too many files", {f"src/core/more_{i}.c": "\n" for i in range(31)}, "core: 33 files"),
    (
        "a circle by includes",
        {"src/core/bad.c": '#include "job/settings/settings.h"\n'},
        "a circle between rooms: core, job/settings",
    ),
    (
        "a circle by calls alone",
        {"src/job/settings/bad.c": "int kan_commands(void);\nint kan_bad(void) { return kan_commands(); }\n"},
        "uses kan_commands of src/job/walk.c",
    ),
    (
        "a list of settings",
        {"src/job/bad.c": 'static const char *const left_out[] = {"output",\n    "key", "force"};\n'},
        "src/job/bad.c:1: a list of setting names (output, key, force)",
    ),
    (
        "a list of two",
        {"src/job/bad.c": 'static const char *const two[] = {"output", "banana", "report"};\n'},
        "src/job/bad.c:1: a list of setting names (output, report)",
    ),
    (
        "a table with words",
        {"src/job/bad.c": 'static const struct {\n    const char *name, *why;\n} refused[] = {\n'
         '    {"output", "it cannot be (there)"},\n    {"key", "nor this"},\n};\n'},
        "src/job/bad.c:3: a list of setting names (output, key)",
    ),
    (
        "a list that is handed over",
        {"src/job/bad.c": 'int bad(void) {\n    return any((const char *const[]){"output", "key"});\n}\n'},
        "src/job/bad.c:2: a list of setting names (output, key)",
    ),
    (
        "a list of settings on a page",
        {"server/pages/bad.c": '\nconst char *all[] = {"report", "key", "force", NULL};\n'},
        "server/pages/bad.c:2: a list of setting names",
    ),
]


def compile_all(root, files):
    """Object files of what defines or needs a symbol of kan_; others are no C."""
    objects = []
    for path, text in files.items():
        if path.endswith(".c") and re.search(r"\bint kan_\w+\(void\) \{", text):
            out = root / (path + ".o")
            code = without_comments("\n".join(line for line in text.splitlines() if line.startswith(("#", "int "))))
            subprocess.run(
                ["cc", "-c", "-x", "c", "-I", str(root / "src"), "-o", str(out), "-"], input=code, text=True, check=True
            )
            objects.append((path, out))
    return objects


def try_one(files):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return check(root, compile_all(root, files))


def self_test():
    failed = [f"the clean house: {fault}" for fault in try_one(CLEAN)]
    for what, files, want in PLANTED:
        faults = try_one({**CLEAN, **files})
        if not any(want in fault for fault in faults):
            failed.append(f"{what}: not found; expected '{want}' among {faults}")
    print("\n".join(failed) if failed else "every planted violation was found")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        return 2
    faults = check(sys.argv[1], objects_of(*sys.argv[1:3]) if len(sys.argv) == 3 else [])
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
