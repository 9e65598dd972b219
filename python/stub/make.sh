#!/usr/bin/env bash
# Makes the stub of the package in a folder.
#   make.sh PYTHON FOLDER TARGET
set -euo pipefail
python=("$1") folder=$2 target=$3
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $(ldd "$folder/kanon/_kanon.abi3.so") == *libasan* ]]; then # as in tests/run.sh
    python=(env LD_PRELOAD="$(gcc -print-file-name=libasan.so)"
        ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" "${python[@]}")
fi
PYTHONPATH=$folder PYTHONDONTWRITEBYTECODE=1 "${python[@]}" "$source/make.py" "$source/template.pyi" \
    "$target.new"
mv "$target.new" "$target"
