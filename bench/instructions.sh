#!/usr/bin/env bash
# What a change costs, in numbers that do not depend on the machine's other work: the instructions that two
# programs execute on the same questions, one thread, from reading to verification. bench/instructions.sh OLD NEW [CELL...]
# Both must release the same bytes. Status 1: they differ somewhere, or NEW takes over half a percent more.
# Needs valgrind, and the tables of $KANON_DATA (else ../shared/data beside the sources); some ten minutes.
set -euo pipefail
old=$(realpath "$1") new=$(realpath "$2")
shift 2
wanted=" $* "
data=$(realpath "${KANON_DATA:-$(dirname "$0")/../../shared/data}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

count() { # PROGRAM OUT FLAG...: prints how many instructions it executes
    local program=$1 out=$2
    rm -f "$out"
    shift 2
    if ! valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$program" anonymize "$@" \
        -o "$out" --threads 1 --quiet --no-progress >said 2>&1; then
        cat said >&2
        return 1
    fi
    sed -n 's/,//g; s/^==[0-9]*== I *refs: *//p' said
}

cell() { # NAME FLAG...
    local name=$1 before after
    shift
    [[ $wanted = "  " || $wanted = *" $name "* ]] || return 0
    if ! before=$(count "$old" old.csv "$@") || ! after=$(count "$new" new.csv "$@"); then
        echo "$name: not counted"
        failed=1
        return 0
    fi
    local bytes=same
    cmp -s old.csv new.csv || bytes=DIFFER
    awk -v name="$name" -v before="$before" -v after="$after" -v bytes="$bytes" 'BEGIN {
        more = 100 * (after - before) / before
        printf "%-24s %15.0f %15.0f %+8.3f %%  bytes %s%s\n", name, before, after, more, bytes, (more > 0.5 ? "  MORE" : "")
        exit (more > 0.5 || bytes != "same")
    }' || failed=1
}

adult=("$data/adult/adult-30162.csv" --hierarchies "$data/adult/hierarchies")
eight=age,gender,race,marital-status,education,native-country,work-class,occupation
nine=$eight,salary-class
sensitive=("${adult[@]}" --qi age,gender,race,marital-status,education --sensitive occupation)
fars=("$data/fars/fars.csv" --hierarchies "$data/fars/hierarchies"
    --qi iage,irace,ideathmon,ideathday,isex,ihispanic,istatenum,iinjury)
acs=("$data/ss13acs/ss13acs.csv" --hierarchies "$data/ss13acs/hierarchies" --qi age,sex,race,marital-status,education)
homes=("$data/survey/testdata2.csv" --person ori_hid --qi age=intervals:5,10,20,40 --qi sex=suppress,urbrur=suppress)

printf '%-24s %15s %15s %10s\n' cell before after change
# Over levels, and costs.
cell levels "${adult[@]}" --qi $nine --k 5 --suppress 2%
cell levels-ncp "${adult[@]}" --qi $nine --k 5 --suppress 2% --cost ncp
cell levels-precision "${acs[@]}" --k 5 --suppress 1% --cost precision
cell levels-classification "${adult[@]}" --qi $eight --class salary-class --k 10 --suppress 2% --cost classification
cell levels-fars "${fars[@]}" --k 5 --suppress 2%
cell exhaustive "${acs[@]}" --k 5 --suppress 1% --algorithm exhaustive
cell incognito "${adult[@]}" --qi $eight --k 5 --algorithm incognito
cell samarati "${fars[@]}" --k 2 --algorithm samarati
cell datafly "${adult[@]}" --qi $nine --k 5 --suppress 1% --algorithm datafly
# Promises.
cell l-diversity "${sensitive[@]}" --k 5 --l 4 --suppress 2%
cell l-entropy "${sensitive[@]}" --k 5 --l 4 --l-kind entropy --suppress 2%
cell t-closeness "${sensitive[@]}" --k 5 --t 0.3 --suppress 2%
cell delta-disclosure "${sensitive[@]}" --k 5 --delta-disclosure 2 --suppress 5%
cell k-map "${adult[@]}" --qi $nine --k-map 5 --population "$data/adult/adult.csv" --suppress 2%
cell person "${homes[@]}" --k 5 --suppress 5%
# Over cuts, regions, cells, maps.
cell greedy "${adult[@]}" --qi $eight --k 50 --suppress all --algorithm greedy
cell hill-climb "${acs[@]}" --k 10 --suppress all --algorithm hill-climb --restarts 3
cell k-optimize "${acs[@]}" --k 50 --algorithm k-optimize --bins age=5
cell mondrian "${adult[@]}" --qi $eight --k 10 --algorithm mondrian
cell mondrian-ncp "${adult[@]}" --qi $eight --k 10 --algorithm mondrian --cost ncp
cell mondrian-relaxed "${adult[@]}" --qi $eight --k 10 --algorithm mondrian-relaxed
cell microaggregate "$data/survey/census-1080.csv" --qi FEDTAX,INTVAL,POTHVAL --k 5 --algorithm mdav --summary mean
cell iterate "${acs[@]}" --k 5 --algorithm iterate
cell progressive "${adult[@]}" --qi $eight --k 5 --algorithm progressive
cell top-down "${adult[@]}" --qi $eight --k 5 --algorithm top-down
cell forest "${fars[@]}" --k 5 --algorithm forest
cell unrestricted "${acs[@]}" --k 50 --algorithm unrestricted --prove 2000
cell full-subgraph "$data/ss13acs/ss13acs.csv" --hierarchies "$data/ss13acs/hierarchies" \
    --qi race,marital-status,education --k 50 --algorithm full-subgraph --prove 0
exit $failed
