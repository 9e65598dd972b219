#!/usr/bin/env bash
# The layer law: a room includes only what stands below it, others through their door, and nothing
# includes in a circle. A room is a folder of src or server, or a folder within one; the door of an
# inner room is the header that has its name.
#
#   layers.sh [ROOT]        checks the checkout ROOT (default: this one)
#   layers.sh --self-test   plants violations in a copy, and expects each to be found
#
# Exit status 0 when the law holds; every violation is named with file and line.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The table, the only place where it stands: room, then what it may include beside itself. "header"
# is include/*.h; a name with .h is one file of a room; "analyze/*" is all rooms of analyze; "="
# is all that the room which follows may include, and that room. Rooms of src that are not named here
# are a violation, and so is one with more files than a reader can overlook.
most_files=30
table='
src/core               header
src/data               header core
src/data/treat         = data
src/data/hierarchies   = data
src/data/domain        = data/hierarchies
src/data/formula       header core
src/data/cohort        = data
src/group/freqsets     = data/domain
src/group              = group/freqsets
src/privacy            header core group/view.h group/problem.h
src/cost               header core group/view.h group/problem.h group/person_sums.h
src/recode             = data/domain
src/io/streams         = data
src/io                 = io/streams data/hierarchies data/domain data/cohort
src/io/csv             = io
src/io/stat            = io
src/io/excel           = io
src/io/duckdb          = io
src/io/arrow           = io
src/io/side_files      = io/csv
src/ledger             header core io/streams io/file_hash.h
src/group/kin          header core group/view.h
src/search             = group privacy cost recode
src/search/judge       = search
src/search/boxes       = search/judge
src/search/levels      = search/boxes
src/search/incognito   = search/levels
src/search/counted     = search/incognito
src/search/trees       header core data/table.h group/kin privacy
src/search/codes       header core
src/search/fits        = search
src/search/sets        = search
src/search/cuts        = search
src/search/k_optimize  = search/cuts
src/search/set_enum    = search/cuts
src/search/regions     = search
src/search/microaggregate = search/regions
src/search/local       = search/levels
src/search/maps        = search
src/search/cells       = search/local
src/analyze/tuples     = data
src/analyze/cover      = io analyze/tuples
src/analyze/calibrated = analyze/tuples
src/analyze/verify     = analyze/cover analyze/calibrated
src/analyze/forest     = analyze/tuples data/hierarchies
src/analyze/codes      = data/hierarchies
src/analyze/draws      = analyze/tuples
src/analyze/over_time  = analyze/verify
src/analyze/models       = analyze/verify
src/analyze/recodings    = analyze/verify
src/analyze/certificate  = analyze/verify recode
src/analyze/risk         = analyze/models recode
src/analyze/workload     = analyze/verify recode io/side_files
src/analyze/fidelity     = analyze/workload analyze/fit
src/analyze/profile      = analyze/verify
src/analyze/rules        = analyze/profile
src/analyze/intruder     = analyze/cover
src/analyze/links        = data
src/analyze/fit          header core
src/analyze/regress      = analyze/fidelity analyze/fit
src/analyze/classify     = analyze/fidelity analyze/fit
src/generate           = io
src/engine/sql         header core io/field.h
src/engine             = io group group/freqsets recode engine/sql
src/engine/clickhouse  = engine
src/engine/duckdb      = engine io/duckdb
src/engine/postgres    = engine
src/engine/odbc        = engine
src/engine/star        = engine
src/engine/schema      = engine
src/engine/script      = engine
src/report             = io recode analyze/*
src/job/registry       = data/domain io/source.h io/sink.h privacy/privacy.h cost/cost.h search/search.h recode/models.h generate/generate.h
src/job/settings       = job/registry data/treat data/formula data/cohort engine/address.h
src/job/input          = job/settings = io io/arrow io/side_files data/treat engine
src/job/tell           = job/input = analyze/models privacy
src/job/hierarchies    = job/tell
src/job/import         = job/tell io/excel
src/job/ledger         = job/tell ledger
src/job/verify         = job/tell analyze/* ledger
src/job/risk           = job/verify
src/job/utility        = job/tell analyze/* report
src/job/rules          = job/verify
src/job/profile        = job/rules
src/job/setup          = job/tell data/formula ledger group group/freqsets privacy cost recode search search/* analyze/workload engine/star
src/job/solution       = job/setup
src/job/released       = job/solution
src/job/outcome        = job/released analyze/* report
src/job/found          = job/tell analyze/*
src/job/report         = job/outcome job/utility job/found
src/job/release        = job/report job/verify job/found job/rules engine/script
src/job/downcode       = job/release job/found
src/job/attack         = job/downcode job/verify job/found
src/job/compare        = job/release job/tables
src/job/tables         = job/release job/risk group/kin search/trees analyze/forest engine/schema
src/job/codes          = job/release search/codes analyze/codes
src/job/epsilon        = job/release analyze/draws io/csv
src/job                = job/compare job/attack job/tables job/codes job/epsilon job/hierarchies job/import job/ledger job/risk job/profile job/rules generate
cli                    header server/serve.h
server/projects        header
server/pages           header server/projects
server/columns         header server/projects server/pages
server/solutions       header server/projects server/pages
server/rows            header server/projects server/pages server/solutions
server/manual          header server/projects server/pages
server/promise         header server/projects server/pages server/solutions
server/explore         header server/projects server/pages server/solutions server/rows
server/release         header server/projects server/pages server/solutions server/rows server/explore
server/attack          header server/projects server/pages server/solutions server/release
server/utility         header server/projects server/pages server/solutions server/release
server                 header server/*
python                 header
examples               header
'

check() {
    cd "$1"
    local files
    mapfile -t files < <(find include src cli server python examples -name '*.[ch]' 2>/dev/null | sort)
    if ((${#files[@]} == 0)); then
        echo "no source file under $1" >&2
        return 2
    fi
    # Files that hold a search: they know nothing of each other.
    local searches
    searches=$(grep -rlE "^const kan_search_kind " src/search 2>/dev/null | tr '\n' ' ' || true)
    awk -v table="$table" -v searches="$searches" -v most_files="$most_files" '
        function folder_of(path,   parts, n) {
            n = split(path, parts, "/")
            if (parts[1] == "include") return "header"
            if (parts[1] == "server") return n > 2 ? "server/" parts[2] : "server"
            if (parts[1] != "src") return parts[1]
            return n > 3 ? "src/" parts[2] "/" parts[3] : n > 2 ? "src/" parts[2] : "src"
        }
        # The header by which others enter a room; "" for a room without one: any header.
        function door_of(folder,   parts, n) {
            n = split(folder, parts, "/")
            return n == 3 || (n == 2 && parts[1] == "server") ? folder "/" parts[n] ".h" : ""
        }
        function allows(from, to, target,   outer) {
            outer = short(to)
            sub(/\/.*/, "/*", outer)
            return (from, short(to)) in may || (from, short(target)) in may || \
                   (outer ~ /\*$/ && (from, outer) in may)
        }
        # All that a room may include, the rooms that it takes over first.
        function take(room, words, m,   j, other, key, pair) {
            for (j = 2; j <= m; j++) {
                if (words[j] == "=") {
                    other = "src/" words[++j]
                    if (!(other in in_table)) complain("the layer table: " other " stands below " room)
                    for (key in may) {
                        split(key, pair, SUBSEP)
                        if (pair[1] == other) taken[room, pair[2]] = 1
                    }
                    taken[room, words[j]] = 1
                } else {
                    taken[room, words[j]] = 1
                }
            }
            for (key in taken) may[key] = 1
            delete taken
        }
        function short(folder) { sub(/^src\//, "", folder); return folder }
        function directory_of(path) { sub(/[^\/]*$/, "", path); return path }
        function exists(path) { return path in known }
        # The file that an include means, "" when it is none of ours.
        function resolve(from, name,   own) {
            own = directory_of(from) name
            if (exists(own)) return own
            if (exists("src/" name)) return "src/" name
            if (exists("include/" name)) return "include/" name
            if (exists(name)) return name
            return ""
        }
        function complain(text) { print text; n_bad++ }
        # The header of a room, which has the name of its folder: it declares the searches of the room.
        function is_door(path,   parts, n) {
            n = split(path, parts, "/")
            return n > 1 && parts[n] == parts[n - 1] ".h"
        }
        function stem_of(path) { sub(/\.[ch]$/, "", path); return path }
        # Depth-first walk over includes; state 1: on the path, 2: done.
        function walk(path, trail,   i, n, next_files) {
            state[path] = 1
            n = split(edges[path], next_files, "\n")
            for (i = 1; i <= n; i++) {
                if (next_files[i] == "") continue
                if (state[next_files[i]] == 1)
                    complain(path ": includes in a circle: " trail " > " next_files[i])
                else if (state[next_files[i]] != 2)
                    walk(next_files[i], trail " > " next_files[i])
            }
            state[path] = 2
        }
        BEGIN {
            n = split(table, rows, "\n")
            for (i = 1; i <= n; i++) {
                m = split(rows[i], words, /[ \t]+/)
                if (m < 2 || words[1] == "") continue
                take(words[1], words, m)
                in_table[words[1]] = 1
            }
            n = split(searches, names, " ")
            for (i = 1; i <= n; i++) is_search[stem_of(names[i])] = 1
            for (i = 1; i < ARGC; i++) known[ARGV[i]] = 1
        }
        FNR == 1 {
            from = folder_of(FILENAME)
            if (++n_files[from] == most_files + 1)
                complain(FILENAME ": " from " has more than " most_files " files; make rooms of it")
            if (from != "header" && !(from in in_table))
                complain(FILENAME ": the folder " from " is not in the layer table")
        }
        /^[ \t]*#[ \t]*include[ \t]*["<]/ {
            name = $0
            sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", name)
            is_quoted = $0 ~ /include[ \t]*"/
            sub(/[">].*$/, "", name)
            target = resolve(FILENAME, name)
            place = FILENAME ":" FNR ": "
            if (target == "") {
                if (is_quoted) complain(place "\"" name "\" is not a file of this project")
                next
            }
            edges[FILENAME] = edges[FILENAME] target "\n"
            to = folder_of(target)
            if (from == "header" && to != "header")
                complain(place "the public header stands alone, it includes " name)
            else if (to != from && !allows(from, to, target))
                complain(place short(from) " may not include " short(to) " (" name ")")
            else if (to != from && door_of(to) != "" && target != door_of(to))
                complain(place "the door of " short(to) " is " short(door_of(to)) " (" name ")")
            if (stem_of(target) in is_search && stem_of(FILENAME) in is_search && \
                stem_of(target) != stem_of(FILENAME) && !is_door(target))
                complain(place "a search may not include another search (" name ")")
        }
        END {
            for (path in known) if (state[path] != 2) walk(path, path)
            for (room in n_files)
                if (door_of(room) != "" && !(door_of(room) in known))
                    complain(room ": has no door " short(door_of(room)))
            if (n_bad) { print n_bad " violations of the layer law"; exit 1 }
            print length(known) " files obey the layer law"
        }
    ' "${files[@]}"
}

# Plants one line in a copy, and expects the check to fail with a message that has `want` in it.
plant() { # file, line, want
    local copy=$scratch/copy output status=0
    rm -rf "$copy"
    mkdir "$copy"
    cp -r "$scratch/clean/." "$copy"
    mkdir -p "$(dirname "$copy/$1")"
    printf '%s\n' "$2" >>"$copy/$1"
    output=$(check "$copy" 2>&1) || status=$?
    if ((status != 1)) || [[ $output != *"$3"* ]]; then
        echo "planted '$2' in $1; expected '$3', but the check said ($status):"
        echo "$output"
        failed=1
    fi
}

self_test() {
    failed=0
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    local clean=$scratch/clean
    mkdir -p "$clean"/{include,cli} "$clean"/src/{core,data,group,privacy,cost,search,io,job}
    echo '#include <stddef.h>' >"$clean/include/kanon.h"
    echo '#include "kanon.h"' >"$clean/src/core/run.h"
    echo '#include "core/run.h"' | tee "$clean/src/data/table.h" "$clean/src/io/csv.h" \
        "$clean/src/privacy/k.h" "$clean/src/cost/height.h" "$clean/src/job/job.h" \
        "$clean/src/group/space.h" "$clean/src/group/view.h" >/dev/null
    echo '#include "group/view.h"' >"$clean/src/cost/size.c"
    for name in alpha beta; do
        echo '#include "core/run.h"' >"$clean/src/search/$name.h"
        printf '#include "search/%s.h"\nconst kan_search_kind kan_search_%s = {0};\n' \
            $name $name >"$clean/src/search/$name.c"
    done
    echo '#include "kanon.h"' >"$clean/cli/main.c"
    mkdir -p "$clean"/src/{search/levels,job/settings,job/input,analyze/verify}
    echo '#include "core/run.h"' | tee "$clean/src/search/levels/levels.h" \
        "$clean/src/search/levels/judge.h" "$clean/src/job/settings/settings.h" \
        "$clean/src/job/input/input.h" "$clean/src/analyze/verify/verify.h" \
        "$clean/src/analyze/verify/tuples.h" >/dev/null
    mkdir -p "$clean"/server/{pages,promise,explore}
    echo '#include "kanon.h"' >"$clean/server/pages/request.h"
    echo '#include "request.h"' >"$clean/server/pages/pages.h"
    echo '#include "server/pages/pages.h"' | tee "$clean/server/promise/promise.h" \
        "$clean/server/explore/explore.h" "$clean/server/serve.h" >/dev/null
    if ! (check "$clean" >/dev/null); then
        echo 'the clean copy does not pass'
        failed=1
    fi
    plant src/core/run.c '#include "data/table.h"' 'core may not include data'
    plant src/data/table.c '  #  include "io/csv.h"' 'data may not include io'
    plant src/privacy/k.c '#include "cost/height.h"' 'privacy may not include cost'
    plant src/cost/height.c '#include "privacy/k.h"' 'cost may not include privacy'
    plant src/cost/height.c '#include "group/space.h"' 'cost may not include group (group/space.h)'
    plant src/search/alpha.c '#include "search/beta.h"' 'a search may not include another search'
    plant src/io/csv.c '#include "../job/job.h"' 'is not a file of this project'
    plant cli/main.c '#include "core/run.h"' 'cli may not include core'
    plant include/kanon.h '#include "core/run.h"' 'the public header stands alone'
    plant src/core/run.h '#include "core/run.h"' 'in a circle'
    plant src/util/helper.c '#include "core/run.h"' 'is not in the layer table'
    plant src/core/a.c '#include "core/missing.h"' 'is not a file of this project'
    plant src/job/settings/settings.c '#include "job/input/input.h"' 'job/settings may not include job/input'
    plant src/job/input/input.c '#include "search/levels/levels.h"' 'job/input may not include search/levels'
    plant src/search/beta.c '#include "search/levels/levels.h"' 'search may not include search/levels'
    plant src/report/page.c '#include "analyze/verify/tuples.h"' 'the door of analyze/verify is analyze/verify/verify.h'
    plant src/search/incognito/cube.c '#include "search/levels/judge.h"' 'the door of search/levels is'
    plant src/search/cuts/climb.c '#include "core/run.h"' 'has no door'
    plant src/job/extra/extra.h '#include "core/run.h"' 'is not in the layer table'
    plant server/promise/form.c '#include "server/explore/explore.h"' 'server/promise may not include server/explore'
    plant server/promise/form.c '#include "server/serve.h"' 'server/promise may not include server'
    plant server/promise/form.c '#include "server/pages/request.h"' 'the door of server/pages is'
    for i in $(seq 60); do
        echo '#include "core/run.h"' >"$clean/src/data/table_$i.c"
    done
    plant src/data/one_more.c '#include "core/run.h"' 'make rooms of it'
    ((failed == 0)) && echo 'every planted violation was found'
    return $failed
}

if [[ ${1:-} == --self-test ]]; then
    self_test
else
    check "${1:-$here/../..}"
fi
