"""pyright reads typed_calls.py: every wrong call is found, and no right one is refused.

    types.py TYPED_CALLS PACKAGES [PYRIGHT]

Without pyright (KANON_PYRIGHT, or on the PATH; ./run test-all fetches it) it says so, and ends with 77.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile


def main(source, packages):
    checker = os.environ.get("KANON_PYRIGHT") or shutil.which("pyright")
    if not checker or not os.path.exists(checker) or not shutil.which("node"):
        print("skipped: there is no pyright (./run test-all fetches it with npm)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(source, os.path.join(folder, "calls.py"))
        with open(os.path.join(folder, "pyrightconfig.json"), "w", encoding="utf-8") as file:
            json.dump({"include": ["calls.py"], "extraPaths": [packages], "typeCheckingMode": "standard"}, file)
        command = ["node", checker] if checker.endswith(".js") else [checker]
        ran = subprocess.run(
            [*command, "--outputjson", "--pythonpath", sys.executable, "-p", folder],
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
    try:
        told = json.loads(ran.stdout)["generalDiagnostics"]
    except (ValueError, KeyError):
        print(ran.stdout, ran.stderr, sep="\n")
        return 1
    found = {one["range"]["start"]["line"] + 1: one["message"] for one in told if one["severity"] == "error"}
    with open(source, encoding="utf-8") as file:
        lines = dict(enumerate(file.read().splitlines(), 1))
    wrong = {number for number, line in lines.items() if line.endswith("# wrong")}
    for number in sorted(set(found) ^ wrong):
        print(f"{number}: {lines[number]}\n    " + found.get(number, "nothing was found to be wrong here"))
    print(f"{len(wrong)} wrong calls, {len(wrong & set(found))} of them found")
    return int(set(found) != wrong or len(wrong) < 20)


sys.exit(main(*sys.argv[1:3]))
