#!/usr/bin/env bash
# `pip install .` of a copy of the source, in an environment of its own and without the network, and the
# package's tests on what it installed.
#   pip.sh PYTHON KANON SOURCE
set -euo pipefail
python=$1 kanon=$2 source=$3
for module in venv ensurepip setuptools wheel pytest; do
    if ! "$python" -c "import $module" 2>/dev/null; then
        echo "skipped: $python has no $module (python3-venv, python3-setuptools, python3-wheel, python3-pytest)"
        exit 77
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/source"
tar -C "$source" --exclude=./.git --exclude='./build*' --exclude=__pycache__ -cf - . | tar -C "$folder/source" -xf -
# The system's setuptools and wheel build it: nothing is fetched. What the compiler makes of the
# code when it takes its time is tried elsewhere.
export CMAKE_ARGS=-DCMAKE_C_FLAGS_RELEASE=-O0
"$python" -m venv --system-site-packages "$folder/venv"
cd "$folder/source"
"$folder/venv/bin/pip" install --quiet --no-index --no-build-isolation --no-deps .
cd "$folder"
unset PYTHONPATH
where=$("$folder/venv/bin/python" -c 'import kanon; print(kanon.__file__)')
if [[ $where != "$folder"/venv/* ]]; then
    echo "kanon was not installed: $where"
    exit 1
fi
for file in py.typed __init__.pyi _kanon.abi3.so; do
    [[ -f ${where%/*}/$file ]] || { echo "$file is not in the package"; exit 1; }
done
cd "$source"
KANON=$kanon PYTHONDONTWRITEBYTECODE=1 "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider \
    "$folder/source/python/tests"
