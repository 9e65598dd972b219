#!/usr/bin/env bash
# Tables of SQLite and of MariaDB, through ODBC, give what the same rows give as CSV: random tables of nasty
# values, and Adult where it is at hand.
#   odbc_compare.sh sqlite|mariadb KANON ROWS ODBC_SQL SOURCE_DIR ROUNDS
# KANON_TEST_ROUNDS random tables (default: ROUNDS). Without driver or server: skipped (77).
set -euo pipefail
kind=$1 kanon=$(realpath "$2") rows=$(realpath "$3") sql=$(realpath "$4") source=$(realpath "$5")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/compare.sh"
. "$here/odbc_database.sh"
odbc_start "$kind"
rounds=${KANON_TEST_ROUNDS:-$6}
data=${KANON_DATA:-$source/../shared/data}

for ((seed = 1; seed <= rounds; seed++)); do random_jobs "$seed"; done
for ((seed = 1; seed <= 3; seed++)); do people_jobs "$seed"; done

if [[ -r $data/adult/adult-30162.csv ]]; then
    adult=$data/adult/adult-30162.csv
    engine_drop loaded
    engine_load loaded "$adult"
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
nothing_left
echo "$rounds random tables of $kind"
