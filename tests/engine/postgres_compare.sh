# The same job on a table of PostgreSQL and on the same rows as CSV, sourced by tests: the solution,
# the rows of the release and the certificate must be the same. Needs postgres_server.sh, and $kanon.

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

pg_url() { # table, [database], [user]
    echo "postgres://${3:-postgres}@127.0.0.1:$pg_port/${2:-postgres}?table=$1"
}

# The columns of a table as texts, in kanon's form; '' is the missing value as NULL is.
pg_texts() { # table, as SQL has it
    pg_sql <<END
SELECT string_agg(format('NULLIF(%I::text, '''') AS %I', attname, attname), ', ' ORDER BY attnum)
FROM pg_attribute WHERE attrelid = '$1'::regclass AND attnum > 0 AND NOT attisdropped;
END
}

pg_csv() { # table, file
    pg_sql >"$2" <<END
SET TimeZone = 'UTC';
COPY (SELECT $(pg_texts "$1") FROM $1) TO STDOUT (FORMAT csv, HEADER);
END
}

# What a result says, but for where things are, how long it took and what memory it had, and what
# only somebody finds who looks at single rows of columns that pass through.
result_of() { # file
    sed -E -e '/^ "(time_ms|peak_memory_bytes|certificate|engine|effort|report|kept_together)"/d' \
        -e 's/"path": "([^"\\]|\\.)*"/"path": ""/' -e 's/"formula_cells": (null|[0-9]+)/"formula_cells": 0/' \
        -e 's/"singles_out": (null|[0-9]+)/"singles_out": 0/g' \
        -e 's/"seconds": [0-9.e-]+/"seconds": 0/g' "$1"
}

# Rows of the release in the database and in a file of CSV are the same multiset.
same_rows() { # table, file, [name]
    local n
    n=$(pg_sql <<END
SET TimeZone = 'UTC';
CREATE TEMP TABLE shown AS SELECT $(pg_texts "$1") FROM $1;
CREATE TEMP TABLE wanted AS SELECT * FROM shown LIMIT 0;
\\copy wanted FROM '$2' (FORMAT csv, HEADER MATCH, NULL '')
SELECT (SELECT count(*) FROM ((TABLE shown EXCEPT ALL TABLE wanted) UNION ALL
       (TABLE wanted EXCEPT ALL TABLE shown)) x);
END
    ) || fail "${3:-$1}: the columns are not those of $2"
    [[ $n == 0 ]] || fail "${3:-$1}: $n rows differ from those of $2"
}

# The same job on both; a job without a solution has none on both.
same_job() { # name, table (plain name), further arguments of kanon
    local name=$1 table=$2 status=0 status_csv=0
    shift 2
    pg_csv "$table" table.csv
    rm -f csv.* pg.*
    pg_sql <<<"SET client_min_messages = warning; DROP TABLE IF EXISTS ${table}_release"
    "$kanon" anonymize table.csv "$@" -o csv.csv --json csv.json "${certificate_csv[@]}" --quiet \
        --force >csv.out 2>&1 || status_csv=$?
    env "${kanon_environment[@]}" "$kanon" anonymize "$(pg_url "$table")" "$@" -o "$(pg_url "${table}_release")" \
        --json pg.json "${certificate_pg[@]}" --quiet >pg.out 2>&1 || status=$?
    if ((status != status_csv)); then
        cat csv.out pg.out >&2
        fail "$name: the table ends with $status, the file with $status_csv"
    fi
    if ((status != 0)); then
        ((status == 3)) || { cat pg.out >&2; fail "$name: both end with $status"; }
        [[ $(pg_sql <<<"SELECT to_regclass('${table}_release') IS NULL") == t ]] ||
            fail "$name: no solution, and a release"
        return 0
    fi
    diff <(result_of csv.json) <(result_of pg.json) >&2 || fail "$name: the results differ"
    [[ ! -e csv.certificate ]] || cmp csv.certificate pg.certificate >&2 ||
        fail "$name: the certificates differ"
    same_rows "${table}_release" csv.csv "$name"
}

kanon_environment=() # for the one with the table
certificate_csv=() certificate_pg=()
with_certificate() {
    certificate_csv=(--certificate csv.certificate) certificate_pg=(--certificate pg.certificate)
    same_job "$@"
    certificate_csv=() certificate_pg=()
}

# Nothing that kanon makes on the way is left.
nothing_left() {
    local left
    left=$(pg_sql "${1:-postgres}" <<<"SELECT string_agg(relname, ' ') FROM pg_class WHERE relname ~ '^(kanon|kx)' AND relkind IN ('r', 'v')")
    [[ -z $left ]] || fail "this is left: $left"
}
