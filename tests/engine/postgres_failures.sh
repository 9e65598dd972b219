#!/usr/bin/env bash
# Whatever goes wrong between kanon and PostgreSQL ends with a clear text and its exit status, no
# release under its name, and nothing left behind.
#   postgres_failures.sh KANON
#
# So that nothing depends on time, the server itself stops where a test wants it: the function gate()
# is called from a view over the input, from triggers on what is created and renamed, and from a
# policy on the release; it ends the connection there, or waits for a lock that the test holds.
set -euo pipefail
kanon=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/postgres_server.sh"
. "$here/postgres_compare.sh"
work=$(mktemp -d)
holder='' mounted=''
finish() {
    [[ -z $holder ]] || kill "$holder" 2>/dev/null || true
    pg_stop
    [[ -z $mounted ]] || umount "$mounted" || true
    rm -rf "$work"
}
trap finish EXIT
cd "$work"
pg_start

pg_sql <<'END'
CREATE ROLE steward LOGIN;
GRANT CREATE ON SCHEMA public TO steward;
CREATE TABLE people (age integer, town text, ill text);
INSERT INTO people SELECT 20 + i % 40, 'town ' || i % 7, 'ill ' || i % 3 FROM generate_series(1, 4000) i;
INSERT INTO people SELECT 90, 'nowhere', 'ill 1' FROM generate_series(1, 9);
CREATE TABLE plan (phase text, act text);
CREATE FUNCTION gate(at text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE todo text;
BEGIN
    SELECT act INTO todo FROM public.plan WHERE phase = at;
    IF todo = 'end' THEN
        PERFORM pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid());
    ELSIF todo = 'wait' THEN
        PERFORM pg_catalog.pg_advisory_xact_lock_shared(27);
    END IF;
    RETURN true;
END $$;
CREATE VIEW watched AS SELECT p.* FROM gate(CASE WHEN current_query() ~ '^COPY' THEN 'fold' ELSE
    'apply' END) g, people p WHERE g;
GRANT SELECT ON people, plan, watched TO steward;
CREATE FUNCTION on_create() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE made record;
BEGIN
    FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' LOOP
        IF tg_tag = 'CREATE TABLE' AND made.schema_name = 'pg_temp' THEN
            PERFORM public.gate('maps');
        ELSIF tg_tag = 'CREATE TABLE AS' AND made.object_identity ~ 'kanon_' THEN
            PERFORM public.gate('made');
            IF EXISTS (SELECT FROM public.plan WHERE phase = 'made' AND act = 'one more') THEN
                EXECUTE 'INSERT INTO ' || made.object_identity || ' SELECT * FROM ' ||
                    made.object_identity || ' LIMIT 1';
            ELSIF EXISTS (SELECT FROM public.plan WHERE phase = 'made' AND act = 'one less') THEN
                EXECUTE 'DELETE FROM ' || made.object_identity || ' WHERE ctid = (SELECT min(ctid) '
                    'FROM ' || made.object_identity || ')';
            ELSIF EXISTS (SELECT FROM public.plan WHERE phase = 'made' AND act = 'another') THEN
                EXECUTE 'UPDATE ' || made.object_identity || ' SET town = ''nowhere'' WHERE ctid = '
                    '(SELECT min(ctid) FROM ' || made.object_identity || ')';
            ELSIF EXISTS (SELECT FROM public.plan WHERE phase = 'recount') THEN
                EXECUTE 'ALTER TABLE ' || made.object_identity || ' RENAME TO kanon_behind';
                EXECUTE 'CREATE VIEW ' || made.object_identity || ' AS SELECT t.* FROM public.gate('
                    '''recount'') g, public.kanon_behind t WHERE g';
            END IF;
        ELSIF tg_tag = 'ALTER TABLE' AND made.object_identity ~ 'release' THEN
            PERFORM public.gate('named');
        END IF;
    END LOOP;
END $$;
CREATE EVENT TRIGGER watch ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS',
    'ALTER TABLE') EXECUTE FUNCTION on_create();
END

job=(--qi age=intervals:5,10,20 --qi town=suppress --k 50 --suppress 5% --keep ill --quiet)
options='' # of the address

run_job() { # table, target, further arguments
    local from=$1 to=$2
    shift 2
    "$kanon" anonymize "$(pg_url "$from" postgres steward)$options" \
        -o "$(pg_url "$to" postgres steward)$options" "${job[@]}" "$@"
}

exists() { # table
    [[ $(pg_sql <<<"SELECT to_regclass('$1') IS NOT NULL") == t ]]
}

# What ran ended with the status, said this, and left nothing.
check_end() { # what was tried, wanted status, words, status
    if (($4 != $2)) || ! grep -qE -- "$3" message; then
        cat message >&2
        fail "$1: it ended with $4, not with $2 and '$3'"
    fi
    nothing_left
    ! exists release || fail "$1: there is a release"
    echo "ok: $1"
}

refused() { # what is tried, wanted status, words, table, target, further arguments
    local what=$1 want=$2 words=$3 status=0
    shift 3
    run_job "$@" >message 2>&1 || status=$?
    check_end "$what" "$want" "$words" "$status"
}

set_plan() { # phase act..
    pg_sql <<<'DELETE FROM plan'
    while (($# > 0)); do
        pg_sql <<<"INSERT INTO plan VALUES ('$1', '$2')"
        shift 2
    done
}

# It works where nothing goes wrong, with the gates in place.
set_plan
run_job watched release
[[ $(pg_sql <<<'SELECT count(*) FROM release') == 4000 ]] || fail "no release, or not those rows"
nothing_left

# ---- what is refused before anything is done -------------------------------------------------------

pg_sql <<<"CREATE TABLE before AS TABLE release"
status=0
run_job watched release >message 2>&1 || status=$?
((status == 2)) && grep -q -- '--force' message || { cat message >&2; fail "an output that exists: $status"; }
[[ $(pg_sql <<<'SELECT count(*) FROM ((TABLE release EXCEPT ALL TABLE before) UNION ALL (TABLE before EXCEPT ALL TABLE release)) x') == 0 ]] ||
    fail "an output that exists was changed"
run_job watched release --force
pg_sql <<<'DROP TABLE release, before'
echo "ok: an output that exists, and --force"

# What the search_path finds behind the schema in which tables are made is not what is replaced.
pg_sql <<'END'
CREATE SCHEMA first AUTHORIZATION steward;
CREATE SCHEMA second AUTHORIZATION steward;
CREATE TABLE second.release AS SELECT 1 AS precious;
ALTER TABLE second.release OWNER TO steward;
END
for _ in 1 2; do
    PGOPTIONS='-c search_path=first,second,public' run_job watched release --force
    [[ $(pg_sql <<<'SELECT precious, (SELECT count(*) FROM first.release) FROM second.release') == '1|4000' ]] ||
        fail "a table of another schema was replaced"
done
pg_sql <<<'DROP SCHEMA first, second CASCADE' 2>&1 | grep -v NOTICE >&2 || true
long=$(printf 's%.0s' {1..63})
pg_sql <<<"CREATE SCHEMA $long AUTHORIZATION steward; CREATE TABLE $long.one AS TABLE watched; ALTER TABLE $long.one OWNER TO steward"
refused "the input in a schema whose name would be cut" 2 'shorter' "$long.one" "${long}s.one" --force
[[ $(pg_sql <<<"SELECT count(*) > 0 FROM $long.one") == t ]] || fail "the input was changed"
pg_sql <<<"DROP TABLE $long.one; DROP SCHEMA $long"
echo "ok: --force, and a search_path"

refused "the output is the input" 2 'input' people people --force
[[ $(pg_sql <<<'SELECT count(*) FROM people') == 4009 ]] || fail "the input was changed"
refused "no such table" 2 "did you mean 'people'" peple release
pg_sql <<<'CREATE TABLE empty (age integer, town text, ill text); GRANT SELECT ON empty TO steward'
refused "a table without rows" 2 'row' empty release
refused "another's temporary table" 2 'no table' pg_temp.people release
pg_sql <<<'CREATE TABLE hidden AS TABLE people'
refused "a table that the user may not read" 2 'permission denied for table hidden' hidden release
pg_sql <<<'GRANT SELECT (age, town) ON hidden TO steward'
refused "a column that the user may not read" 2 'permission denied' hidden release
pg_sql <<<'CREATE SCHEMA closed; CREATE TABLE closed.people AS TABLE people'
refused "a schema that the user may not use" 2 'permission denied for schema closed' closed.people release
pg_sql <<<'REVOKE CREATE ON SCHEMA public FROM steward'
refused "a user who may only read" 2 'permission denied for schema public|may not' watched release
pg_sql <<<'GRANT CREATE ON SCHEMA public TO steward'
refused "a schema that is not there" 2 'schema' watched nowhere.release
refused "a schema that disappears with the connection" 2 "disappears with the connection" watched pg_temp.release
status=0
"$kanon" anonymize "$(pg_url watched postgres steward)" -o "$(pg_url release template1 steward)" \
    "${job[@]}" >message 2>&1 || status=$?
check_end "a release in another database" 2 'made where the table is' "$status"
pg_sql <<<'REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC'
refused "a user who may not make temporary tables" 2 'permission denied to create temporary' watched release
pg_sql <<<'GRANT TEMPORARY ON DATABASE postgres TO PUBLIC'
PGOPTIONS='-c default_transaction_read_only=on' refused "a read-only session" 2 'read-only' watched release
name=$(printf 'r%.0s' {1..64})
refused "a name that is too long" 2 '63' watched "$name"
port=$pg_port
pg_port=1
status=0
"$kanon" anonymize "$(pg_url watched postgres steward)" -o "$(pg_url release postgres steward)" \
    "${job[@]}" >message 2>&1 || status=$?
pg_port=$port
check_end "no server there" 1 'could not connect' "$status"

# ---- passwords -------------------------------------------------------------------------------------

pg_sql <<<"SET password_encryption = 'scram-sha-256'; ALTER ROLE steward PASSWORD 'h0pefully-secret'"
cp "$pg_folder/data/pg_hba.conf" hba
{ echo 'host all steward 127.0.0.1/32 scram-sha-256'; cat hba; } >"$pg_folder/data/pg_hba.conf"
pg_sql <<<'SELECT pg_reload_conf()' >/dev/null
refused "no password" 2 'PGPASSWORD' watched release
PGPASSWORD=wr0ng-one refused "a wrong password" 2 'password authentication failed' watched release
! grep -q 'wr0ng-one' message || fail "a message shows a password"
PGPASSWORD=h0pefully-secret run_job watched release --json result.json --report report.html \
    --certificate certificate.json >message 2>&1 || { cat message >&2; fail "the right password"; }
! grep -q 'h0pefully-secret' message result.json report.html certificate.json ||
    fail "something shows the password"
echo "127.0.0.1:$pg_port:*:steward:h0pefully-secret" >pgpass
chmod 600 pgpass
PGPASSFILE=$work/pgpass run_job watched release --force >message 2>&1
status=0
"$kanon" search "postgres://steward:h0pefully-secret@127.0.0.1:$pg_port/postgres?table=people" \
    "${job[@]}" >message 2>&1 || status=$?
pg_sql <<<'DROP TABLE release'
check_end "a password in the address" 2 'password' "$status"
! grep -q 'h0pefully-secret' message || fail "a message shows the password of the address"
cp hba "$pg_folder/data/pg_hba.conf"
pg_sql <<<'SELECT pg_reload_conf()' >/dev/null

# ---- a connection that breaks ----------------------------------------------------------------------

for phase in fold maps apply made recount named; do
    set_plan "$phase" end
    refused "the connection breaks: $phase" 1 'administrator|connection' watched release
done

# The same inside of the tables that are counted in; they are temporary, as those of maps are.
job=("${job[@]}" --counting engine)
for phase in maps apply; do
    set_plan "$phase" end
    refused "the connection breaks while the server counts at levels: $phase" 1 'administrator|connection' watched release
done
set_plan
pg_sql <<<"CREATE VIEW failing AS SELECT age / CASE WHEN current_query() ~ 'INSERT' THEN 0 ELSE 1 END AS age, town, ill FROM people;
    GRANT SELECT ON failing TO steward"
refused "a statement fails while the server counts at levels" 1 'count the rows of the table: .*division by zero' failing release
job=("${job[@]:0:${#job[@]}-2}")

# ---- a release that is not what was computed -------------------------------------------------------

for act in 'one more' 'one less' another; do
    set_plan made "$act"
    refused "the release has $act" 1 'do not have the number of rows|differ' watched release
done

# ---- while it waits --------------------------------------------------------------------------------

# Holds the lock until release_lock; then kanon is started, and waits for it.
begin_waiting() { # phase, [table], [further arguments]
    local phase=$1 table=${2:-watched}
    shift $(($# < 2 ? $# : 2))
    set_plan "$phase" wait
    mkfifo lock
    "$pg_bin/psql" -X -q -A -t -h 127.0.0.1 -p "$pg_port" -U postgres -d postgres <lock >locked 2>&1 &
    holder=$!
    exec 9>lock
    rm lock
    echo "SELECT pg_advisory_lock(27), 'held';" >&9
    until grep -q held locked; do sleep 0.05; done
    run_job "$table" release "$@" >message 2>&1 9>&- &
    pid=$!
    until [[ $(pg_sql <<<"SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == t ]]; do
        kill -0 "$pid" 2>/dev/null || { cat message >&2; fail "it did not wait in $phase"; }
        sleep 0.05
    done
}

release_lock() {
    exec 9>&-
    wait "$holder" || true
    holder=''
}

end_waiting() { # what, status, words
    local status=0
    wait "$pid" || status=$?
    check_end "$1" "$2" "$3" "$status"
}

# run_job is a shell function: the signal is for the program below it.
program_of() { # process id
    local child
    child=$(pgrep -P "$1" -x kanon || true)
    echo "${child:-$1}"
}

for phase in fold maps apply recount named; do
    begin_waiting "$phase"
    kill -INT "$(program_of "$pid")"
    end_waiting "Ctrl-C: $phase" 130 'interrupt|cancel'
    [[ $(pg_sql <<<"SELECT count(*) FROM pg_stat_activity WHERE usename = 'steward' AND state = 'active'") == 0 ]] ||
        fail "Ctrl-C: the server still works"
    release_lock
done

for phase in maps apply; do
    begin_waiting "$phase" watched --counting engine
    kill -INT "$(program_of "$pid")"
    end_waiting "Ctrl-C while the server counts at levels: $phase" 130 'interrupt|cancel'
    release_lock
done

begin_waiting apply
pg_sql <<<'DELETE FROM people WHERE age < 30; INSERT INTO people SELECT 99, town, ill FROM people'
release_lock
wait "$pid" || { cat message >&2; fail "rows that change while it works are none of its business"; }
[[ $(pg_sql <<<"SELECT count(*) = 4000 AND bool_and(age::text <> '99') FROM release") == t ]] ||
    fail "the release has rows that came later"
nothing_left
pg_sql <<'END'
DROP TABLE release;
TRUNCATE people;
INSERT INTO people SELECT 20 + i % 40, 'town ' || i % 7, 'ill ' || i % 3 FROM generate_series(1, 4000) i;
INSERT INTO people SELECT 90, 'nowhere', 'ill 1' FROM generate_series(1, 9);
END
echo "ok: rows that change between fold and apply change nothing: it is one snapshot"

begin_waiting maps
pg_sql <<<'REVOKE SELECT ON watched FROM steward'
release_lock
end_waiting "a right is revoked between fold and apply" 2 'permission denied'
pg_sql <<<'GRANT SELECT ON watched TO steward'

begin_waiting apply
set_plan
run_job people release >other 2>&1 || { cat other >&2; fail "the second run"; }
pg_sql <<<"CREATE TABLE first AS TABLE release; ALTER TABLE release RENAME TO kept_release"
pg_sql <<<"ALTER TABLE kept_release RENAME TO release"
release_lock
status=0
wait "$pid" || status=$?
((status == 2)) && grep -q 'name' message || { cat message >&2; fail "two runs with the same output: $status"; }
[[ $(pg_sql <<<'SELECT count(*) FROM ((TABLE release EXCEPT ALL TABLE first) UNION ALL (TABLE first EXCEPT ALL TABLE release)) x') == 0 ]] ||
    fail "two runs with the same output: the second one's is another now"
pg_sql <<<'DROP TABLE release, first'
nothing_left
echo "ok: two runs with the same output"

for phase in fold apply recount; do
    PGOPTIONS='-c statement_timeout=1000' begin_waiting "$phase"
    end_waiting "a statement's time is up: $phase" 1 'statement timeout'
    release_lock
done

# ---- a server that has no room ---------------------------------------------------------------------

set_plan
pg_sql <<'END'
CREATE TABLE wide AS SELECT i AS age, 'town ' || i AS town, repeat('x', 200) AS ill FROM
    generate_series(1, 60000) i;
GRANT SELECT ON wide TO steward;
ALTER ROLE steward SET temp_file_limit = '64kB';
ALTER ROLE steward SET work_mem = '64kB';
END
few=("${job[@]}")
job=(--qi age=intervals:100,1000 --qi town=suppress --k 50 --suppress 5% --keep ill --quiet)
refused "a limit of temporary files" 1 'temp_file_limit' wide release
pg_sql <<<'ALTER ROLE steward RESET ALL'
mkdir small
chmod 755 .
if ((EUID == 0)) && mount -t tmpfs -o size=4m tmpfs small 2>/dev/null; then
    mounted=$work/small
    chown postgres "$mounted"
    chmod 700 "$mounted"
    pg_sql <<<"CREATE TABLESPACE small LOCATION '$mounted'"
    pg_sql <<<"GRANT CREATE ON TABLESPACE small TO steward; ALTER ROLE steward SET default_tablespace = 'small'"
    refused "a full disk" 1 'No space left|could not extend' wide release
    pg_sql <<<'ALTER ROLE steward RESET ALL'
    pg_sql <<<'DROP TABLESPACE small'
    pg_sql <<<'CHECKPOINT' # a server that is killed would write it once more
else
    echo "skipped: a full disk (a file system of 4 MB cannot be mounted here)"
fi

job=("${few[@]}")

# ---- a server that is killed -----------------------------------------------------------------------

for phase in fold apply; do
    begin_waiting "$phase"
    server=$(pg_pid)
    kill -QUIT "$server"
    while kill -0 "$server" 2>/dev/null; do sleep 0.05; done
    status=0
    wait "$pid" || status=$?
    release_lock
    pg_boot || { tail "$pg_folder/server.log" >&2; fail "the server does not start again"; }
    check_end "the server is killed: $phase" 1 'connection|administrator|server' "$status"
done
