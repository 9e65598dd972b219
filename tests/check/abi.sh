#!/usr/bin/env bash
# The shared library exports what the public headers declare and nothing else, and all that a release had,
# each under the version node that the list has for it: KANON_0, or KANON_0.3 and so on for what came later
# (cmake/kanon.map). The list of every release is packaging/debian/libkanon0.symbols: each symbol with its node
# and the release that brought it.
#
#   abi.sh LIBKANON.SO [ROOT]
#   abi.sh --self-test         what is wrong is found
set -euo pipefail

list=packaging/debian/libkanon0.symbols

# The three as lines: exported, declared, and "name release node" of the list.
exported_names() { # library
    nm -D --defined-only "$1" | awk '$2 ~ /[TDBRVWi]/ { print $3 }' | LC_ALL=C sort
}
declared_names() { # headers
    local header
    for header in "$@"; do
        "${CC:-cc}" -E -P -I "$(dirname "$header")" "$header"
    done | awk 'BEGIN { RS = ";" }
        /visibility\("default"\)/ {
            gsub(/__attribute__\(\(([^()]|\([^()]*\))*\)\)/, "")
            sub(/\(.*/, "")                   # the parameters
            gsub(/\[[^]]*\]|[[:space:]]+$/, "") # the length of an array
            if (match($0, /kan_[a-z0-9_]+$/)) print substr($0, RSTART)
        }' | LC_ALL=C sort -u
}
listed_names() { # list
    sed -nE 's/^ (kan_[a-z0-9_]+)@(KANON_0[.0-9]*) ([^ ]+)$/\1 \3 \2/p' "$1" | LC_ALL=C sort
}

# Says what is wrong with three lists; `version` is the coming release.
compare() { # exported, declared, listed, version
    local name release node n_problems=0
    problem() {
        echo "$1"
        n_problems=$((n_problems + 1))
    }
    while read -r name; do
        [[ -z $name ]] || problem "${name%@*} leaves the library, and no public header declares it: without KAN_API it stays inside"
    done < <(sed 's/@.*//' "$1" | LC_ALL=C comm -23 - "$2")
    while read -r name; do
        [[ -z $name ]] || problem "$name is declared in a public header and not in the library: define it, or take it out of the header"
    done < <(sed 's/@.*//' "$1" | LC_ALL=C comm -13 - "$2")
    while read -r name; do
        [[ $name == *@@KANON_0* ]] || problem "$name has not the version KANON_0: is the library linked with cmake/kanon.map?"
    done <"$1"
    while read -r name release node; do
        if grep -qx "$name@@$node" "$1"; then
            continue
        elif grep -q "^$name@@" "$1"; then
            problem "$name has another version than $node, which $list has for it: cmake/kanon.map names new functions in a node of their own, and a function never changes its node"
        elif [[ $release == "$4" ]]; then
            problem "$name is gone, and stands in $list for this release, $4: take its line out"
        else
            problem "$name is gone: programs that were linked with release $release or later would no longer start. Keep it, or let the library have another name (SOVERSION 1, KANON_1, libkanon1)"
        fi
    done <"$3"
    while read -r name; do
        grep -q "^$name " "$3" || problem "$name is new: add it to the last node of cmake/kanon.map, and the line ' $name@NODE $4' to $list"
    done < <(sed 's/@.*//' "$1")
    while read -r name release _; do
        [[ $(printf '%s\n%s\n' "$release" "$4" | sort -V | tail -n 1) == "$4" ]] ||
            problem "$list: $name is of release $release, and this is $4"
    done <"$3"
    ((n_problems == 0))
}

self_test() {
    local failed=0
    # shellcheck disable=SC2059 # lines are written with \n
    expect() { # wanted text (empty: no problem), exported, declared, listed
        printf "$2" >"$scratch/exported"
        printf "$3" >"$scratch/declared"
        printf "$4" >"$scratch/listed"
        local said
        if said=$(compare "$scratch/exported" "$scratch/declared" "$scratch/listed" 0.3.0); then
            said=
        fi
        if [[ $said != *"$1"* || ($1 == '' && $said != '') ]]; then
            echo "expected '$1', got '$said'"
            failed=1
        fi
    }
    expect '' 'kan_a@@KANON_0\nkan_b@@KANON_0\n' 'kan_a\nkan_b\n' 'kan_a 0.2.0 KANON_0\nkan_b 0.3.0 KANON_0\n'
    expect 'kan_b leaves the library' 'kan_a@@KANON_0\nkan_b@@KANON_0\n' 'kan_a\n' 'kan_a 0.2.0 KANON_0\nkan_b 0.3.0 KANON_0\n'
    expect 'kan_b is declared' 'kan_a@@KANON_0\n' 'kan_a\nkan_b\n' 'kan_a 0.2.0 KANON_0\n'
    expect 'kan_b is gone: programs' 'kan_a@@KANON_0\n' 'kan_a\n' 'kan_a 0.2.0 KANON_0\nkan_b 0.2.0 KANON_0\n'
    expect 'take its line out' 'kan_a@@KANON_0\n' 'kan_a\n' 'kan_a 0.2.0 KANON_0\nkan_b 0.3.0 KANON_0\n'
    expect "the line ' kan_b@NODE 0.3.0'" 'kan_a@@KANON_0\nkan_b@@KANON_0\n' 'kan_a\nkan_b\n' 'kan_a 0.2.0 KANON_0\n'
    expect 'has not the version' 'kan_a\n' 'kan_a\n' 'kan_a 0.2.0 KANON_0\n'
    expect '' 'kan_a@@KANON_0\nkan_b@@KANON_0.3\n' 'kan_a\nkan_b\n' 'kan_a 0.2.0 KANON_0\nkan_b 0.3.0 KANON_0.3\n'
    expect 'kan_b has another version than KANON_0.3' 'kan_a@@KANON_0\nkan_b@@KANON_0\n' 'kan_a\nkan_b\n' 'kan_a 0.2.0 KANON_0\nkan_b 0.3.0 KANON_0.3\n'
    expect 'is of release 0.10.0, and this is 0.3.0' 'kan_a@@KANON_0\n' 'kan_a\n' 'kan_a 0.10.0 KANON_0\n'

    cat >"$scratch/public.h" <<'END'
#define KAN_API __attribute__((visibility("default")))
#define KAN_MUST_USE __attribute__((warn_unused_result))
typedef struct kan_thing kan_thing;
/* KAN_API kan_comment(void); */
KAN_API const char *kan_one(void);
KAN_API KAN_MUST_USE int kan_two(const kan_thing *a,
                                 void (*call)(kan_thing *b));
KAN_API extern const int kan_three[];
int kan_inside(void);
END
    local names
    names=$(declared_names "$scratch/public.h" | tr '\n' ' ')
    if [[ $names != 'kan_one kan_three kan_two ' ]]; then
        echo "declared names: $names"
        failed=1
    fi
    return $failed
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [[ ${1:-} == --self-test ]]; then
    self_test
    exit
fi
library=$(realpath "$1")
cd "${2:-$(dirname "${BASH_SOURCE[0]}")/../..}"
version=$(sed -nE 's/^project\(kanon VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
# The versions themselves are symbols, too.
exported_names "$library" | sed '/^KANON_0[.0-9]*@/d' >"$scratch/exported"
declared_names include/kanon*.h >"$scratch/declared"
listed_names "$list" >"$scratch/listed"
[[ -s $scratch/declared ]] || {
    echo 'no declaration was found in the public headers'
    exit 1
}
compare "$scratch/exported" "$scratch/declared" "$scratch/listed" "$version"
echo "$(wc -l <"$scratch/exported") symbols, as the headers declare and $list has them"
