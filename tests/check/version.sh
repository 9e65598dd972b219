#!/usr/bin/env bash
# Every place that names the version names the same one. The Python package takes it from the header.
#
#   version.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
version=$(sed -nE 's/^project\(kanon VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[[ -n $version ]] || {
    echo 'CMakeLists.txt names no version'
    exit 1
}
n_problems=0
expect() { # place, what it says
    if [[ $2 != "$version" ]]; then
        echo "$1 says version '$2', and CMakeLists.txt $version"
        n_problems=$((n_problems + 1))
    fi
}
expect include/kanon.h "$(sed -nE 's/^#define KANON_VERSION "(.*)"$/\1/p' include/kanon.h)"
# major * 10000 + minor * 100 + patch, as text again
number=$(sed -nE 's/^#define KANON_VERSION_NUMBER ([0-9]+)$/\1/p' include/kanon.h)
expect 'KANON_VERSION_NUMBER in include/kanon.h' "$((${number:-0} / 10000)).$((${number:-0} / 100 % 100)).$((${number:-0} % 100))"
expect packaging/debian/changelog "$(sed -nE '1s/^kanon \((.*)-[0-9]+\) .*/\1/p' packaging/debian/changelog)"
expect packaging/r/DESCRIPTION "$(sed -nE 's/^Version: (.*)$/\1/p' packaging/r/DESCRIPTION)"
expect CITATION.cff "$(sed -nE 's/^version: (.*)$/\1/p' CITATION.cff)"
# After a release its heading stays, and the next one begins as "Unreleased".
heading=$(awk '/^## / { print substr($0, 4); exit }' CHANGELOG.md)
[[ $heading == Unreleased ]] || expect CHANGELOG.md "$heading"
((n_problems == 0)) && echo "version $version"
