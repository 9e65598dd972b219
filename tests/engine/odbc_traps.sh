#!/usr/bin/env bash
# What must not go wrong with tables behind ODBC: values that are not what their column says, outputs that are
# there or become so, rights that are missing, a server that dies, an interrupt. Each ends with its status and
# a text, no release under its name, and nothing left behind.
#   odbc_traps.sh sqlite|mariadb KANON ODBC_SQL
set -euo pipefail
kind=$1 kanon=$(realpath "$2") sql=$(realpath "$3")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/compare.sh"
. "$here/odbc_database.sh"
odbc_start "$kind"

# A job that ends with a status and words.
ends() { # status, words, arguments of kanon
    local wanted=$1 words=$2 status=0
    shift 2
    "$kanon" "$@" >out 2>&1 || status=$?
    ((status == wanted)) && grep -qF -- "$words" out || {
        cat out >&2
        fail "kanon $*: ends with $status, not with $wanted and '$words'"
    }
}

make_people() { # rows of each of six groups
    local row group
    echo q0,n1,s2 >people.csv
    for ((group = 0; group < 6; group++)); do
        for ((row = 0; row < $1; row++)); do echo "v$group,$((group % 2)),s$((row % 3))"; done
    done >>people.csv
    engine_drop loaded
    engine_load loaded people.csv
}
job=(--qi q0=suppress --qi n1=suppress --k 5)

# ---- what is there, and what is not --------------------------------------------------------------

make_people 10
engine_drop released
ends 2 'no table' anonymize "$(engine_at not_there)" -o "$(engine_at released)" "${job[@]}"
ends 0 '' anonymize "$(engine_at loaded)" -o "$(engine_at released)" "${job[@]}" --drop s2
ends 2 --force anonymize "$(engine_at loaded)" -o "$(engine_at released)" "${job[@]}" --drop s2
ends 0 '' anonymize "$(engine_at loaded)" -o "$(engine_at released)" "${job[@]}" --drop s2 --force
ends 2 '' anonymize "$(engine_at loaded)" -o "$(engine_at loaded)" "${job[@]}" --drop s2 --force
[[ $(run_sql <<<"1 SELECT count(*) FROM loaded") == 60 ]] || fail "the input was touched"
[[ $(run_sql <<<"1 SELECT count(*) FROM released") == 60 ]] || fail "the release is gone"
ends 0 '' verify "$(engine_at released)" --original "$(engine_at loaded)" "${job[@]}" --drop s2
ends 2 password search "odbc:$odbc_string;PWD=secret;table=loaded" "${job[@]}"
! grep -q secret out || fail "a password is told"
[[ $kind != sqlite ]] || ends 2 'disappears with the connection' anonymize "$(engine_at loaded)" -o "$(engine_at temp.other)" "${job[@]}" --drop s2
nothing_left

# ---- values that are not what their column says, text that a collation takes for another ----------

engine_drop loaded
if [[ $kind == sqlite ]]; then
    run_sql <<'END'
CREATE TABLE loaded (a INTEGER, b TEXT COLLATE NOCASE)
INSERT INTO loaded VALUES (1, 'x'), ('1', 'X'), (1.0, 'x'), ('abc', 'X'), ('abc', 'x'), (NULL, ''), ('', NULL), (2.5, NULL)
END
    [[ $("$kanon" search "$(engine_at loaded)" --qi a=suppress --qi b=suppress --k 2 --json - --quiet |
        grep -o '"tuples": [0-9]*') == '"tuples": 6' ]] || fail "1 and '1' are one, 'x' and 'X' two, NULL and '' one"
    run_sql <<<"INSERT INTO loaded VALUES (3, CAST(x'610062' AS TEXT))"
    ends 2 'byte 0' search "$(engine_at loaded)" --qi b=suppress --k 2
    run_sql <<<"UPDATE loaded SET b = x'6162' WHERE a = 3"
    ends 2 'not text' search "$(engine_at loaded)" --qi b=suppress --k 2
else
    run_sql <<'END'
CREATE TABLE loaded (a VARCHAR(9), b ENUM('blob','Y') CHARACTER SET latin1, c DATE, d BIT(3), e DATETIME(6))
INSERT INTO loaded VALUES ('x','Y','0000-00-00',b'101','2020-01-01 10:00:00.5'), ('X','Y','0000-00-00',b'101','2020-01-01 10:00:00.5'), ('x ','Y','0000-00-00',b'101','2020-01-01 10:00:00.5'), ('x','blob','0000-00-00',b'101','2020-01-01 10:00:00.5')
END
    [[ $("$kanon" search "$(engine_at loaded)" --qi a=suppress --qi b=suppress --qi c=suppress --qi d=suppress \
        --qi e=suppress --k 2 --json - --quiet | grep -o '"tuples": [0-9]*') == '"tuples": 4' ]] ||
        fail "texts are compared by a collation"
    # '' that is a value of an enum has another number than '' that is none; who reads the release sees neither.
    run_sql <<'END'
CREATE TABLE numbered (e ENUM('x','') NOT NULL)
INSERT IGNORE INTO numbered VALUES (''), (''), ('none'), ('none')
CREATE VIEW seen AS SELECT * FROM numbered
CREATE VIEW bad AS SELECT CAST(CONCAT('Ann Miller', e) AS INTEGER) AS e FROM numbered
END
    engine_drop released
    ends 0 '' anonymize "$(engine_at numbered)" -o "$(engine_at released)" --qi e --k 4
    [[ $(run_sql <<<"1 SELECT count(DISTINCT COALESCE(e + 0, -1)) FROM released") == 1 ]] || fail "two kinds of '' are told apart"
    engine_drop released
    ends 1 'Truncated incorrect' anonymize "$(engine_at bad)" -o "$(engine_at released)" --qi e --k 4
    ! grep -q Miller out || fail "an error shows a value"
    ends 1 'another name' anonymize "$(engine_at seen)" -o "$(engine_at numbered)" --qi e --k 4 --force
    [[ $(run_sql <<<"1 SELECT count(*) FROM numbered WHERE e + 0 = 2") == 2 ]] || fail "the table below the input was replaced"
    nothing_left
fi

# ---- two runs with the same output: one of them has it ---------------------------------------------

make_people 50
engine_drop released
"$kanon" anonymize "$(engine_at loaded)" -o "$(engine_at released)" "${job[@]}" --drop s2 >one 2>&1 &
first=$!
status=0
"$kanon" anonymize "$(engine_at loaded)" -o "$(engine_at released)" "${job[@]}" --drop s2 >two 2>&1 || status=$?
other=0
wait "$first" || other=$?
((status == 0 || other == 0)) || { cat one two >&2; fail "neither run made the release"; }
[[ $(run_sql <<<"1 SELECT count(*) FROM released") == 300 ]] || fail "two runs made a release of another size"
nothing_left

# ---- rows that are others when the release is made than when they were counted ----------------------

engine_drop released
random="abs(random()) % 100000"
[[ $kind == sqlite ]] || random="FLOOR(RAND() * 100000)"
run_sql <<<"CREATE VIEW shifting AS SELECT q0, CAST($random AS $any) AS s2 FROM loaded"
ends 1 'changed meanwhile' anonymize "$(engine_at shifting)" -o "$(engine_at released)" --qi q0=suppress --k 5 --sensitive s2
! engine_has released || fail "the table was changed meanwhile, and there is a release"
nothing_left

# ---- no more comes than distinct combinations: of 300 rows six, and the groups of the release -------

ends 0 '' anonymize "$(engine_at loaded)" -o "$(engine_at released)" "${job[@]}" --drop s2 --json result.json
fetched=$(sed -nE 's/.*"rows_fetched": ([0-9]+).*/\1/p' result.json)
bytes=$(sed -nE 's/.*"bytes_fetched": ([0-9]+).*/\1/p' result.json)
((fetched <= 12 && bytes <= 300)) || fail "$fetched rows and $bytes bytes came"

# ---- an interrupt: while the database counts what takes it for ever ---------------------------------

engine_drop released
if [[ $kind == sqlite ]]; then
    run_sql <<<"CREATE VIEW endless AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT CAST(n % 7 AS TEXT) AS q0 FROM r"
else
    run_sql <<<"CREATE VIEW endless AS SELECT CAST((a.seq + b.seq) % 7 AS CHAR) AS q0 FROM seq_1_to_10000000 a, seq_1_to_10000000 b"
fi
set -m # or SIGINT would be ignored in the background
"$kanon" anonymize "$(engine_at endless)" -o "$(engine_at released)" --qi q0=suppress --k 2 >out 2>&1 &
pid=$!
set +m
sleep 2 # it counts until it is stopped; earlier would do as well
kill -INT "$pid"
status=0
wait "$pid" || status=$?
((status == 130)) || { cat out >&2; fail "an interrupt ends with $status"; }
if [[ $kind == mariadb ]]; then
    [[ $(run_sql <<<"1 SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%endless%' AND id <> CONNECTION_ID()") == 0 ]] ||
        fail "the server still counts"
fi
! engine_has released || fail "interrupted, and there is a release"
nothing_left

# The same when rows were counted, and the release is made or counted: nothing has its name, and nothing is left.
# On a quick machine the stage may be over before the signal comes: then there is all of it.
if [[ $kind == sqlite ]]; then
    numbers="WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 100000)" from=r n=n
else
    numbers='' from=seq_1_to_100000 n=seq
fi
engine_drop many
run_sql <<<"CREATE TABLE many AS $numbers SELECT CAST($n % 97 AS $any) AS q0, CAST($n % 1009 AS $any) AS q1 FROM $from"
stopped() { # signal, wanted status, stage
    local status=0
    rm -f progress
    KANON_SIGNAL=$1 bash "$here/../cli/interrupt-when.sh" progress "\"stage\":\"$3\"" "$kanon" anonymize "$(engine_at many)" \
        -o "$(engine_at released)" --qi q0=suppress --qi q1=prefix:3,2 --k 5 --suppress 5% --progress=json >out 2>>progress || status=$?
    if ((status == 0)); then
        echo "the signal $1 came too late for $3"
        engine_drop released
        return
    fi
    ((status == $2)) || { cat out progress >&2; fail "a signal $1 in $3 ends with $status"; }
    ! engine_has released || fail "stopped in $3, and there is a release"
    nothing_left
}
for stage in apply verify; do stopped INT 130 "$stage"; done
# Whoever is killed cleans up nothing: SQLite takes back what was not committed when it is opened again.
[[ $kind == mariadb ]] || stopped KILL 137 apply
engine_drop many

# In a search that has found something: Ctrl-C takes it, SIGTERM does not.
"$kanon" generate census --rows 3000 --quiet
engine_drop census
engine_load census census.csv
searching() { # signal, wanted status
    local status=0
    rm -f progress
    KANON_SIGNAL=$1 bash "$here/../cli/interrupt-when.sh" progress '"stage":"search".*"best":[0-9]' "$kanon" anonymize "$(engine_at census)" \
        -o "$(engine_at released)" --qi age,gender,race,marital-status,education,native-country,work-class,occupation --drop salary-class \
        --hierarchies census-hierarchies --algorithm k-optimize --k 5 --suppress 1% --progress=json >out 2>>progress || status=$?
    ((status == $2)) || { cat out progress >&2; fail "a signal $1 in the search ends with $status"; }
    nothing_left
}
searching TERM 130
! engine_has released || fail "SIGTERM in the search, and there is a release"
searching INT 0
engine_has released || fail "Ctrl-C in the search, and there is no release"
engine_drop released
engine_drop census

# ---- a data source that odbc.ini names; it may have the password, too ------------------------------------

make_people 10
engine_drop released
{ echo '[people]'; tr ';' '\n' <<<"$odbc_string"; } >odbc.ini
[[ $kind == sqlite ]] || sed -i 's/^UID=/USER=/; s/^Socket=/SOCKET=/' odbc.ini
export ODBCINI=$odbc_work/odbc.ini
ends 0 '' anonymize 'odbc:DSN=people;table=loaded' -o 'odbc:DSN=people;table=released' "${job[@]}" --drop s2
ends 0 holds verify 'odbc:DSN=people;table=released' --original 'odbc:DSN=people;table=loaded' "${job[@]}" --drop s2
ends 2 'no such data source' search 'odbc:DSN=peple;table=loaded' "${job[@]}"
unset ODBCINI
engine_drop released
nothing_left

# ---- a disk that is full ---------------------------------------------------------------------------------

if [[ $kind == sqlite ]]; then
    mkdir small
    if mount -t tmpfs -o size=4m kanon-test small 2>/dev/null; then
        trap 'umount "$odbc_work/small"; odbc_stop' EXIT
        whole=$odbc_string
        : >small/people.db
        odbc_string="${odbc_string%;Database=*};Database=$odbc_work/small/people.db"
        run_sql <<'END'
CREATE TABLE wide AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 6000) SELECT CAST(n % 9 AS TEXT) AS q0, hex(randomblob(200)) AS s2 FROM r
END
        ends 1 'full' anonymize "$(engine_at wide)" -o "$(engine_at released)" --qi q0=suppress --k 5 --keep s2
        ! engine_has released || fail "the disk is full, and there is a release"
        [[ $(run_sql <<<"1 SELECT count(*) FROM wide") == 6000 ]] || fail "the input was touched"
        nothing_left
        odbc_string=$whole
        umount small
        trap odbc_stop EXIT
    else
        echo "skipped: a full disk (no right to mount a small file system)"
    fi
fi

# ---- rights, and a server that dies -----------------------------------------------------------------

if [[ $kind == sqlite ]]; then
    make_people 10
    cp people.db read-only.db
    chmod 444 read-only.db
    readable="Driver=${odbc_string#Driver=}"
    readable="${readable%;Database=*};Database=file:$odbc_work/read-only.db?mode=ro"
    ends 0 '' search "odbc:$readable;table=loaded" "${job[@]}" --drop s2
    ends 2 '' anonymize "odbc:$readable;table=loaded" -o "odbc:$readable;table=released" "${job[@]}" --drop s2
else
    make_people 10
    run_sql <<'END'
CREATE USER reader@localhost IDENTIFIED BY ''
GRANT SELECT ON kanon.* TO reader@localhost
END
    reader="$maria_base;UID=reader;Database=kanon"
    ends 0 '' search "odbc:$reader;table=loaded" "${job[@]}" --drop s2
    ends 2 '' anonymize "odbc:$reader;table=loaded" -o "odbc:$reader;table=released" "${job[@]}" --drop s2
    nothing_left
    "$kanon" anonymize "$(engine_at endless)" -o "$(engine_at released)" --qi q0=suppress --k 2 >out 2>&1 &
    pid=$!
    sleep 2
    maria_kill
    status=0
    wait "$pid" || status=$?
    ((status == 1)) || { cat out >&2; fail "a server that dies ends with $status"; }
    ends 1 'ODBC: could not connect' search "$(engine_at loaded)" "${job[@]}"
fi
echo "traps of $kind"
