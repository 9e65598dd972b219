#!/usr/bin/env bash
# Runs the tests of the Python package with an interpreter, on the package of a build; or lets every
# STEP-th allocation of it fail; or has its types checked.
#   run.sh PYTHON BUILD SOURCE [fault STEP | types]
set -euo pipefail
python=$1 build=$2 source=$3 what=${4:-package}
export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 KANON=$build/kanon
cd "$source"
# Not by a pipe: who ends it early makes ldd fail.
if [[ $(ldd "$build/python/kanon/_kanon.abi3.so") == *libasan* ]]; then
    # The interpreter has to start with the sanitizer's library. What it leaves behind at its end are not
    # our leaks; those are looked for by tests/fault, and by fault.py without a sanitizer.
    sanitizer=$(gcc -print-file-name=libasan.so)
    python=(env LD_PRELOAD="$sanitizer" ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
        KANON_SANITIZED=1 "$python")
fi
if [[ $what == fault ]]; then
    exec "${python[@]}" python/tests/fault.py "$build/python-fault/_kanon.abi3.so" "$5"
fi
if [[ $what == types ]]; then
    exec "${python[@]}" python/tests/types.py python/tests/typed_calls.py "$build/python"
fi
if ! "${python[@]}" -c 'import pytest' 2>/dev/null; then
    echo "skipped: $1 has no pytest (python3-pytest)"
    exit 77
fi
"${python[@]}" -m pytest -q -p no:cacheprovider python/tests
for example in examples/*.py; do
    "${python[@]}" "$example" >/dev/null
done
