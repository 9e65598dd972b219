#!/usr/bin/env bash
# The tests of the Python package with packages as their makers give them out: the newest pandas, polars, pyarrow and
# scikit-learn that pip can fetch, in an environment of their own. The suite has doubles of them, because Debian does not
# have them all; this is for a machine with a network, by hand.
#   python/tests/real.sh [PYTHON]        after ./run build or ./run test
# Ends with 77 where none of them can be installed.
set -euo pipefail
python=${1:-python3}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${KANON_BUILD:-$source/build}
if [[ ! -f $build/python/kanon/_kanon.abi3.so ]]; then
    echo "there is no package in $build/python; make it with: cmake --build $build --target kanon_python_package" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/env"
missing=() found=()
for package in pytest matplotlib pandas polars pyarrow scikit-learn; do
    if "$folder/env/bin/pip" install --quiet --disable-pip-version-check "$package" 2>>"$folder/log"; then
        found+=("$package")
    else
        missing+=("$package")
    fi
done
if ((${#missing[@]} > 0)); then
    echo "not tried, because pip could not install them: ${missing[*]}"
    tail -1 "$folder/log"
fi
[[ " ${found[*]} " == *' pytest '* && ${#found[@]} -gt 1 ]] || exit 77
"$folder/env/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE '^(pandas|polars|pyarrow|scikit-learn|numpy|matplotlib) '
cd "$source"
export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 KANON=$build/kanon
"$folder/env/bin/python" -m pytest -q -rs -p no:cacheprovider python/tests/real_packages.py python/tests
