#!/usr/bin/env bash
# Files of other programs: a table that R's haven, openpyxl or DuckDB wrote gives the same release as
# from CSV, byte for byte, with the same certificate; and they read our releases as we wrote them.
#   foreign.sh KANON SOURCE_DIR [DUCKDB_SQL]
# DUCKDB_SQL is a program that runs SQL with DuckDB's own library. What is not installed is skipped,
# and said so; 77 where nothing of it is there.
set -euo pipefail
kanon=$(realpath "$1") source=$(realpath "$2") sql=${3:+$(realpath "$3")}
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
data=${KANON_DATA:-$source/../shared/data}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# Adult where it is at hand, with names that every format takes; else a table like it.
names=age,gender,race,marital_status,education,native_country,work_class,occupation,salary_class
if [[ -r $data/adult/adult-30162.csv ]]; then
    { echo "$names"; tail -n +2 "$data/adult/adult-30162.csv"; } >table.csv
    mkdir trees
    for tree in "$data"/adult/hierarchies/*.csv; do
        cp "$tree" "trees/$(basename "$tree" | tr - _)"
    done
    columns=(--hierarchies trees --qi "${names%,salary_class}")
    echo "the table is Adult"
else
    awk -v names="$names" 'BEGIN {
        srand(24); print names
        for (i = 0; i < 3000; i++) {
            printf "%d,%s,%s,%s,", 17 + rand() * 60, rand() < .5 ? "Male" : "Female",
                   "Race " int(rand() * 4), "State " int(rand() * 5)
            printf "%s,%s,%s,%s,%s\n", "School " int(rand() * 9), "Land " int(rand() * rand() * 20),
                   "Work " int(rand() * 6), "Job " int(rand() * 9), rand() < .3 ? ">50K" : "<=50K"
        }
    }' >table.csv
    columns=(--qi age=intervals:5,10,20,40 --qi "gender,race,marital_status,education"
             --qi "native_country,work_class,occupation")
    echo "Adult is not at hand: the table is a made-up one"
fi
job=(--k 5 --suppress 2% --class salary_class "${columns[@]}")

release() { # input, output, certificate
    "$kanon" anonymize "$1" "${job[@]}" --output "$2" --certificate "$3" --quiet --force ||
        fail "$1 is not anonymized into $2"
}

release table.csv csv.csv csv.certificate
n_tried=0

# A table of another program gives what CSV gives.
same_release() { # file, what wrote it
    release "$1" from.csv from.certificate
    cmp csv.csv from.csv || fail "$2: the release of $1 is another one"
    cmp csv.certificate from.certificate || fail "$2: the certificate of $1 is another one"
    n_tried=$((n_tried + 1))
    echo "ok: $1 of $2 is read"
}

# And what another program reads in a release is what CSV has; $3 is that as CSV.
same_values() { # release, what read it, CSV
    cmp csv.csv "$3" || fail "$2 reads $1 in another way"
    echo "ok: $1 is read by $2"
}

if command -v Rscript >/dev/null && Rscript -e 'library(haven)' >/dev/null 2>&1; then
    Rscript "$here/foreign.R" write table.csv >/dev/null
    for kind in sav zsav dta xpt; do
        same_release "table.$kind" "R's haven"
        release table.csv "out.$kind" out.certificate
        Rscript "$here/foreign.R" read "out.$kind" >/dev/null
        same_values "out.$kind" "R's haven" "out.$kind.csv"
    done
    # Codes with labels in, codes with labels out.
    for kind in sav dta; do
        same_release "labels.$kind" "R's haven, with labels"
        release "labels.$kind" "labelled.$kind" out.certificate
        Rscript "$here/foreign.R" read "labelled.$kind" >/dev/null
        same_values "labelled.$kind" "R's haven, with labels" "labelled.$kind.csv"
        Rscript "$here/foreign.R" labels "labelled.$kind" || fail "labels of $kind are lost"
        echo "ok: labels of columns that are released as they are stay in $kind"
    done
else
    echo "skipped: R with haven (r-cran-haven) is not installed"
fi

# The system's own comes second: another one may stand before it in the path.
python=
for candidate in python3 /usr/bin/python3; do
    [[ -n $python ]] || ! "$candidate" -c 'import openpyxl' 2>/dev/null || python=$candidate
done
if [[ -n $python ]]; then
    "$python" "$here/foreign_xlsx.py" write table.csv table.xlsx
    same_release table.xlsx openpyxl
    release table.csv out.xlsx out.certificate
    "$python" "$here/foreign_xlsx.py" read out.xlsx out.xlsx.csv
    same_values out.xlsx openpyxl out.xlsx.csv
else
    echo "skipped: openpyxl (python3-openpyxl) is not installed"
fi

if [[ -n $sql ]] && "$sql" 'SELECT 1' >/dev/null 2>&1; then
    all="read_csv('table.csv', header = true)"
    "$sql" "COPY (SELECT * FROM $all) TO 'table.parquet' (FORMAT parquet)"
    "$sql" "COPY (SELECT * FROM $all) TO 'table.jsonl' (FORMAT json)"
    for kind in parquet jsonl; do
        same_release "table.$kind" DuckDB
        release table.csv "out.$kind" out.certificate
        "$sql" "COPY (SELECT * FROM 'out.$kind') TO 'out.$kind.csv' (FORMAT csv, HEADER true)"
        same_values "out.$kind" DuckDB "out.$kind.csv"
    done
    # What a program writes beside the table is not verified, and refuted where it is a value that no row shows.
    "$sql" "COPY (SELECT 'x' AS q FROM range(4)) TO 'noted.parquet' (FORMAT parquet, KV_METADATA {note: 'seen by Zoë Baum'})"
    printf 'q,name\nx,Zoë Baum\nx,b\nx,c\nx,d\n' >noted.csv
    says() { "$kanon" verify noted.parquet --qi q --k 2 "${@:2}" >noted.txt 2>&1 && status=0 || status=$?
        [[ $status == "$1" ]] && grep -q "metadata 'note'" noted.txt || fail "verify of metadata in Parquet: $status: $(cat noted.txt)"; }
    says 1
    says 3 --original noted.csv --id name
    echo "ok: metadata of Parquet is told"
    # Lists and records: profile proposes to leave them out, and its job file works.
    "$sql" "COPY (SELECT *, [age] AS list, {'a': age} AS record FROM $all) TO 'nested.parquet' (FORMAT parquet)"
    "$kanon" profile nested.parquet --job-out nested.yaml >nested.txt || fail "nested columns stop profile"
    [[ $(grep -Ec '^ *- (list|record) ' nested.yaml) == 2 ]] || fail "nested columns are not dropped: $(cat nested.yaml)"
    "$kanon" anonymize --job nested.yaml --suppress all --quiet >/dev/null || fail "the job of nested columns does not work"
    echo "ok: nested columns are left out"
else
    echo "skipped: DuckDB's library is not at hand"
fi
((n_tried > 0)) || exit 77
