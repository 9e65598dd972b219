#!/usr/bin/env bash
# Files of Parquet that DuckDB counts (--engine duckdb), and tables of a DuckDB database, give what the
# same rows give as CSV: random tables of nasty values, and Adult where it is at hand.
#   duckdb_compare.sh KANON ROWS DUCKDB_SQL SOURCE_DIR
# KANON_TEST_ROUNDS random tables for each (default: 12). Without DuckDB's library: skipped (77).
set -euo pipefail
kanon=$(realpath "$1") rows=$(realpath "$2") sql=$(realpath "$3") source=$(realpath "$4")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! "$sql" 'SELECT 1' >/dev/null 2>&1; then
    echo "skipped: DuckDB's library is not here (KANON_DUCKDB names it)"
    exit 77
fi
. "$here/compare.sh"
. "$here/levels.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
rounds=${KANON_TEST_ROUNDS:-12}
data=${KANON_DATA:-$source/../shared/data}

# The CSV file as DuckDB sees it: "" is no NULL.
csv_of() { # file
    local column types=()
    for column in $(columns_of "$1"); do
        [[ $column == n* ]] && types+=("'$column': 'BIGINT'") || types+=("'$column': 'VARCHAR'")
    done
    local IFS=,
    echo "read_csv('$1', header = true, columns = {${types[*]}}, allow_quoted_nulls = false,
          quote = '\"', escape = '\"', delim = ',', strict_mode = true, parallel = false)"
}

hex_of() { # FROM, columns
    local from=$1 column texts=()
    shift
    for column in "$@"; do texts+=("coalesce(nullif(lower(hex(\"$column\"::VARCHAR)), ''), '-')"); done
    local IFS=,
    rm -f dump
    "$sql" "${attach[@]}" "COPY (SELECT concat_ws(' ', ${texts[*]}) FROM $from) TO 'dump' (HEADER false, QUOTE '')"
    cat dump
}

all_jobs() {
    local seed
    for ((seed = 1; seed <= rounds; seed++)); do random_jobs "$seed"; done
    for ((seed = 1; seed <= (rounds < 4 ? rounds : 4); seed++)); do level_jobs "$seed"; done
    for ((seed = 1; seed <= 3; seed++)); do people_jobs "$seed"; done
    level_refusals
}

# ---- files of Parquet -----------------------------------------------------------------------------

attach=()
engine_flags=(--engine duckdb)
engine_load() { "$sql" "COPY (SELECT * FROM $(csv_of "$2")) TO '$1.parquet'"; }
engine_drop() { rm -f "$1.parquet"; }
engine_has() { [[ -e $1.parquet ]]; }
engine_at() { echo "$1.parquet"; }
engine_hex() { hex_of "'$1.parquet'" "${@:2}"; }
all_jobs
[[ -z $(find . -name '*.parquet.*' -o -name '.*.parquet*') ]] || fail "something is left: $(ls -A)"

if [[ -r $data/adult/adult-30162.csv ]]; then
    adult=$data/adult/adult-30162.csv
    "$sql" "COPY (SELECT * FROM read_csv('$adult', header = true, all_varchar = true)) TO 'loaded.parquet'"
    columns=(--hierarchies "$data/adult/hierarchies"
             --qi age,gender,race,marital-status,education,native-country,work-class,occupation)
    with_certificate "Adult, levels" "$adult" "${columns[@]}" --k 5 --drop salary-class
    with_certificate "Adult, suppression" "$adult" "${columns[@]}" --k 5 --suppress 2% --class salary-class
    same_job "Adult, l-diversity" "$adult" "${columns[@]}" --k 5 --suppress 2% --sensitive salary-class --l 2
    same_job "Adult, cuts" "$adult" --qi age,gender,education --k 50 --algorithm greedy --suppress 1% --drop '*'
    same_job "Adult, mondrian" "$adult" "${columns[@]}" --k 10 --algorithm mondrian --sensitive salary-class --l 2
else
    echo "skipped: Adult is not at hand"
fi

# ---- tables of a database -------------------------------------------------------------------------

rm -f loaded.parquet released.parquet
attach=("ATTACH 'people.db' AS d")
engine_flags=()
engine_load() { "$sql" "${attach[@]}" "CREATE TABLE d.$1 AS SELECT * FROM $(csv_of "$2")"; }
engine_drop() { "$sql" "${attach[@]}" "DROP TABLE IF EXISTS d.$1"; }
engine_has() { "$sql" "${attach[@]}" "SELECT count(*) FROM d.$1" >/dev/null 2>&1; }
engine_at() { echo "duckdb:people.db?table=$1"; }
engine_hex() { hex_of "d.$1" "${@:2}"; }
all_jobs
# decimals have more zeros there than here
levels_table 5 >levels.csv
engine_drop loaded
"$sql" "${attach[@]}" "CREATE TABLE d.loaded AS SELECT * REPLACE (x0::DECIMAL(12, 3) AS x0) FROM $(csv_of levels.csv)"
decimals=(--qi n0=intervals:5,20 --qi x0=intervals:2,8 --level x0=1.. --k 3 --suppress 5% --drop z0,d0,f0,s0)
level_job "decimals, counted at the lowest levels" levels.csv "${decimals[@]}" --
level_job "decimals, counted in the engine" levels.csv "${decimals[@]}" -- --counting engine
rm -f left
"$sql" "${attach[@]}" "COPY (SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'kanon%') TO 'left' (HEADER false)"
[[ ! -s left ]] || fail "tables are left: $(cat left)"
echo "$((2 * rounds)) random tables, in Parquet and in a database"
