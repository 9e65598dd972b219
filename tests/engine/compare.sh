# The same job on a table of an engine and on the same rows as CSV, to be sourced: both end with the
# same status; the result is the same but for times, memory and paths; so are the released rows, as a
# multiset, and the certificate, byte for byte. It needs
#
#   $kanon, $rows                the program, and rows (rows.c)
#   engine_load NAME FILE.csv    makes the table NAME: a column whose name begins with n is one of whole
#                                numbers, others are text; an empty field is NULL, "" an empty text
#   engine_drop NAME             drops it, if it is there
#   engine_has NAME              whether it is there
#   engine_hex NAME COLUMN...    its rows as rows.c prints them, without the header
#   engine_at NAME               what is written for it on the command line
#   engine_flags                 (an array) what every command gets beside that
#   engine_divides               yes, or no where the rows of one tuple cannot be divided
#
# and works in the current folder.

engine_flags=() engine_divides=yes

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# What a result says, but for where things are, how long it took and what memory it had.
result_of() {
    sed -E -e '/^ "(time_ms|peak_memory_bytes|certificate|engine|effort)"/d' \
        -e 's/"path": ("([^"\\]|\\.)*"|null)/"path": ""/g' -e 's/"seconds": [0-9.e-]+/"seconds": 0/g' "$1"
}

columns_of() {
    head -n 1 "$1" | tr , ' '
}

# Both ways end alike; false where nothing keeps the promise, and there is no release to compare.
both_release() { # name, status of the file, status of the table
    if (($3 != $2)); then
        cat csv.out engine.out >&2
        fail "$1: the file ends with $2, the table with $3"
    fi
    (($3 != 0)) || return 0
    # nothing to choose from, or less than a group
    if (($3 != 3)) && { (($3 != 2)) || ! grep -qsE -- '--where chooses none|the table has only [0-9]+ rows?;' csv.out engine.out; }; then
        cat engine.out >&2
        fail "$1: both end with $3"
    fi
    ! engine_has released || fail "$1: nothing keeps the promise, and there is a release"
    return 1
}

# The released rows, as a multiset.
same_rows() { # name
    diff <("$rows" hex csv.csv | tail -n +2 | LC_ALL=C sort) \
        <(engine_hex released $(columns_of csv.csv) | LC_ALL=C sort) >&2 || fail "$1: the released rows differ"
}

# A job that a CSV file and the table `loaded` of the engine get; $name says which in messages.
same_job() { # name, file, flags of kanon
    local name=$1 file=$2 status=0 wanted=0
    shift 2
    rm -f csv.* engine.*
    engine_drop released
    "$kanon" anonymize "$file" -o csv.csv --json csv.json --quiet "$@" "${certificate[@]/%/csv.certificate}" \
        >csv.out 2>&1 || wanted=$?
    "$kanon" anonymize "$(engine_at loaded)" -o "$(engine_at released)" --json engine.json --quiet "$@" \
        "${engine_flags[@]}" "${certificate[@]/%/engine.certificate}" >engine.out 2>&1 || status=$?
    both_release "$name" "$wanted" "$status" || return 0
    diff <(result_of csv.json) <(result_of engine.json) >&2 || fail "$name: the results differ"
    [[ ! -e csv.certificate ]] || cmp csv.certificate engine.certificate >&2 || fail "$name: the certificates differ"
    same_rows "$name"
}

certificate=()
with_certificate() {
    certificate=(--certificate=)
    same_job "$@"
    certificate=()
}

# Rows of one tuple that go to several groups: which goes where is nobody's business, so that only the
# result and the quasi-identifiers are the same.
dividing_job() {
    if [[ $engine_divides == yes ]]; then
        same_job "$@"
        return
    fi
    local name=$1 status=0
    shift 2
    engine_drop released
    "$kanon" anonymize "$(engine_at loaded)" -o "$(engine_at released)" --quiet "$@" "${engine_flags[@]}" \
        >engine.out 2>&1 || status=$?
    ((status == 2)) || { cat engine.out >&2; fail "$name: ends with $status, and should be refused"; }
    ! engine_has released || fail "$name: refused, and there is a release"
}

# People with one to four rows each: whoever is left out is so with all rows, though others look like them.
people_table() { # seed
    awk -v seed="$1" 'function draw(n) { seed = (seed * 16807 + 11) % 2147483647; return seed % n }
        BEGIN {
            print "n0,q1,s2,p3,k4"
            for (p = 0; p < 90; p++) {
                age = 20 + draw(12); city = substr("abcdefgh", 1 + draw(8), 1)
                for (r = draw(4); r >= 0; r--)
                    print age ",\"" city (draw(9) ? "" : "x") "\",\"s" draw(4) "\",\"p" p "\",\"k" draw(5) "\""
            }
        }'
}

people_jobs() { # seed
    people_table "$1" >people.csv
    engine_drop loaded
    engine_load loaded people.csv
    local levels=(--qi n0=intervals:4,8 --qi q1=suppress --person p3)
    same_job "people $1, levels" people.csv "${levels[@]}" --level q1=0 --k 3 --suppress 60% --drop s2,k4
    same_job "people $1, l-diversity" people.csv "${levels[@]}" --k 2 --suppress 30% --sensitive s2 --l 2 --drop k4
    same_job "people $1, subtrees" people.csv "${levels[@]}" --k 4 --suppress 10% --recoding full-subtree --drop s2,k4
    same_job "people $1, mondrian" people.csv --qi n0,q1 --person p3 --k 5 --algorithm mondrian --sensitive s2 --drop k4
}

# A random table, and jobs of every kind that it is large enough for.
random_jobs() { # seed
    local seed=$1 quasi k=$((2 + $1 % 3)) limit
    "$rows" random "$seed" >random.csv
    engine_drop loaded
    engine_load loaded random.csv
    quasi=$(columns_of random.csv | tr ' ' '\n' | grep '^[nq]' | paste -sd,)
    local sensitive kept
    sensitive=$(columns_of random.csv | tr ' ' '\n' | grep ^s)
    kept=$(columns_of random.csv | tr ' ' '\n' | grep ^k)
    limit=$((seed % 4 * 10))%
    local specs=() column
    for column in ${quasi//,/ }; do specs+=(--qi "$column=suppress"); done
    case $((seed % 6)) in
    0) with_certificate "table $seed, levels" random.csv "${specs[@]}" --k "$k" --drop "$sensitive,$kept" ;;
    1) with_certificate "table $seed, levels, suppression" random.csv "${specs[@]}" --k "$k" --suppress "$limit" \
        --class "$sensitive" --drop "$kept" ;;
    2) same_job "table $seed, l-diversity" random.csv "${specs[@]}" --k "$k" --sensitive "$sensitive" --l 2 \
        --suppress "$limit" --drop "$kept" ;;
    3) same_job "table $seed, cuts" random.csv --qi "$quasi" --k "$k" --algorithm k-optimize --suppress "$limit" \
        --sensitive "$sensitive" --drop "$kept" ;;
    4) same_job "table $seed, mondrian" random.csv --qi "$quasi" --k "$k" --algorithm mondrian \
        --sensitive "$sensitive" --drop "$kept" ;;
    5) dividing_job "table $seed, mondrian-relaxed" random.csv --qi "$quasi" --k "$k" --algorithm mondrian-relaxed \
        --drop "$sensitive,$kept" ;;
    esac
    local numbers
    numbers=$(columns_of random.csv | tr ' ' '\n' | grep '^n' | paste -sd,) || numbers=''
    ((seed % 3)) || [[ -z $numbers ]] ||
        with_certificate "table $seed, numbers that are called text" random.csv "${specs[@]}" --k "$k" --cost ncp \
            --text "$numbers" --suppress "$limit" --drop "$sensitive,$kept"
    # rows that an expression chooses: here, and inside the engine, unless several servers have the table
    ((${shards:-0} > 0)) || same_job "table $seed, some of its rows" random.csv "${specs[@]}" --k "$k" --suppress "$limit" \
        --drop "$sensitive,$kept" --where "$("$rows" where "$seed")"
}
