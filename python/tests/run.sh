#!/usr/bin/env bash
# Runs the tests of the Python package with an interpreter, on the package of a build.
#   run.sh PYTHON BUILD SOURCE
set -euo pipefail
python=$1 build=$2 source=$3
if ! "$python" -c 'import pytest' 2>/dev/null; then
    echo "skipped: $python has no pytest (python3-pytest)"
    exit 77
fi
export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 KANON=$build/kanon
cd "$source"
"$python" -m pytest -q -p no:cacheprovider python/tests
for example in examples/*.py; do
    "$python" "$example" >/dev/null
done
