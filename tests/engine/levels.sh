# Jobs whose rows are counted at levels inside of the engine, to be sourced behind compare.sh: with
# --level, which lets it count at the lowest levels, and with --counting engine, where nothing but
# numbers comes here. Results and releases are those of the same rows as CSV, but for what was not
# counted: how many combinations there are below the levels, and the effort of the search.

# A table with hierarchies of every kind: n0 numbers, x0 numbers of which few have a fraction, z0 codes
# of five digits, d0 dates, f0 texts of which some are rare, s0 a sensitive column; NULL among them.
levels_table() { # seed
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        print "n0,x0,z0,d0,f0,s0"
        n = 60 + int(rand() * 300)
        for (i = 0; i < n; i++) {
            x = int(rand() * rand() * 20)
            if (rand() < 0.02) x = x ".5"
            f = int(rand() * rand() * rand() * 14)
            printf "%s,%s,%05d,20%02d-%02d-%02d,%s,%s\n", rand() < 0.04 ? "" : int(rand() * rand() * 60), x,
                10000 + int(rand() * rand() * 8) * 111, 20 + int(rand() * 2), 1 + int(rand() * 3),
                1 + int(rand() * 9), rand() < 0.03 ? "" : "v" f, "s" int(rand() * 4)
        }
    }'
}

levels_result_of() { # file, further expression of sed
    result_of "$1" | sed -E -e 's/"(tuples|tuples_touched|scan|rollup|cube|measured)": (null|[0-9]+)/"\1": 0/g' \
        "${@:2}"
}

level_job() { # name, file, flags of both, --, flags of the table alone
    local name=$1 file=$2 status=0 wanted=0 both=() checked=()
    shift 2
    while [[ $1 != -- ]]; do both+=("$1") && shift; done
    shift
    rm -f csv.* engine.*
    engine_drop released
    "$kanon" anonymize "$file" -o csv.csv --json csv.json --quiet "${both[@]}" >csv.out 2>&1 || wanted=$?
    "$kanon" anonymize "$(engine_at loaded)" -o "$(engine_at released)" --json engine.json --quiet "${both[@]}" \
        "$@" "${engine_flags[@]}" >engine.out 2>&1 || status=$?
    both_release "$name" "$wanted" "$status" || return 0
    # how bisect cuts boxes is its own affair; Incognito looks at the same nodes wherever they are counted
    [[ $* != *engine* || "${both[*]}" == *incognito* ]] || checked=(-e 's/"checked": [0-9]+/"checked": 0/')
    diff <(levels_result_of csv.json "${checked[@]}") <(levels_result_of engine.json "${checked[@]}") >&2 ||
        fail "$name: the results differ"
    same_rows "$name"
}

# Where a command that makes no release reads a table, and may make tables to count in.
engine_read_at() { engine_at "$1"; }

# Nothing is written: the table may be one that nobody may write to.
level_search() { # name, file, flags of both, --, flags of the table alone
    local name=$1 file=$2 both=()
    shift 2
    while [[ $1 != -- ]]; do both+=("$1") && shift; done
    shift
    rm -f csv.* engine.*
    "$kanon" search "$file" --json csv.json --quiet "${both[@]}" >csv.out 2>&1 || { cat csv.out >&2; fail "$name: $file"; }
    "$kanon" search "$(engine_read_at loaded)" --json engine.json --quiet "${both[@]}" "$@" "${engine_flags[@]}" \
        >engine.out 2>&1 || { cat engine.out >&2; fail "$name: the table ends with $?"; }
    diff <(levels_result_of csv.json -e 's/"checked": [0-9]+/"checked": 0/') \
        <(levels_result_of engine.json -e 's/"checked": [0-9]+/"checked": 0/') >&2 || fail "$name: the results differ"
}

# Of a table whose rows are nearly all distinct, values and numbers come, and the groups of the answer twice:
# for the release, and for its recount.
level_bytes() {
    local flags plain counted kind
    local -A least=([rows]=5 [bytes]=2)
    awk 'BEGIN {
        srand(27)
        print "n0,x0,z0,d0,f0,s0"
        for (i = 0; i < 4000; i++)
            printf "%d,%d,%05d,2020-%02d-%02d,v%d,s%d\n", rand() * 50, rand() * 20, 10000 + int(rand() * 40) * 111,
                1 + int(rand() * 3), 1 + int(rand() * 20), rand() * 10, i % 4
    }' >levels.csv
    engine_drop loaded
    engine_load loaded levels.csv
    flags=(--qi n0=intervals:5,25 --qi x0=suppress --qi z0=digits:3 --qi d0=date:month,year --qi f0=suppress
        --k 20 --suppress 5% --drop s0 --quiet)
    for kind in memory engine; do
        engine_drop released
        "$kanon" anonymize "$(engine_at loaded)" -o "$(engine_at released)" "${flags[@]}" "${engine_flags[@]}" \
            --counting "$kind" --json "$kind.json" --force >engine.out 2>&1 || { cat engine.out >&2; fail "counting in $kind"; }
    done
    fetched() { grep -o "\"$2_fetched\": [0-9]*" "$1.json" | grep -o '[0-9]*$'; }
    for kind in rows bytes; do # ClickHouse has a header of 200 bytes around each answer
        plain=$(fetched memory $kind) counted=$(fetched engine $kind)
        ((counted > 0 && counted * ${least[$kind]} < plain)) || fail "counted in the engine: $counted $kind came, and $plain else"
        echo "4000 rows: $plain $kind come, and $counted where the engine counts"
    done
}

level_jobs() { # seed
    local seed=$1 algorithm limit cost flags bounds
    local algorithms=(bisect incognito incognito-superroots incognito-cube)
    local costs=(discernibility ncp precision height average-class distortion)
    levels_table "$seed" >levels.csv
    engine_drop loaded
    engine_load loaded levels.csv
    limit=$((seed % 3 * 7))%
    algorithm=${algorithms[seed % 4]} cost=${costs[seed / 4 % 6]}
    bounds=(--level "n0=$((seed % 2))..2" --level z0=1.. --level "x0=$((seed / 2 % 2)).." --level "d0=1..")
    flags=(--qi n0=intervals:5,20 --qi x0=intervals:2,8 --qi z0=digits:3 --qi d0=date:month,year
        --qi f0=frequency:5,20 --k $((2 + seed % 4)) --suppress "$limit" --cost "$cost")
    level_job "table $seed, counted at the lowest levels" levels.csv "${flags[@]}" "${bounds[@]}" --sensitive s0 --
    level_job "table $seed, l-diversity at the lowest levels" levels.csv "${flags[@]}" "${bounds[@]}" \
        --sensitive s0 --l 2 --
    level_job "table $seed, counted in the engine" levels.csv "${flags[@]}" --algorithm "$algorithm" \
        --sensitive s0 -- --counting engine
    level_job "table $seed, counted in the engine within bounds" levels.csv "${flags[@]}" "${bounds[@]}" \
        --algorithm "$algorithm" --drop s0 -- --counting engine
    level_search "table $seed, searched at the lowest levels" levels.csv "${flags[@]}" --level z0=1.. --drop s0 --
    level_search "table $seed, searched in the engine" levels.csv "${flags[@]}" --drop s0 -- --counting engine
}

# What only numbers cannot tell is refused before the search.
level_refusals() {
    local flag
    levels_table 1 >levels.csv
    engine_drop loaded
    engine_drop released
    engine_load loaded levels.csv
    for flag in --certificate=x.json --report=x.html --algorithm=exhaustive "--levels=1" \
        "--sensitive=s0 --l=2" "--class=s0 --cost=classification" --algorithm=mondrian; do
        local status=0
        "$kanon" anonymize "$(engine_at loaded)" -o "$(engine_at released)" --qi n0 --k 2 \
            --counting engine $flag "${engine_flags[@]}" >engine.out 2>&1 || status=$?
        ((status == 2)) || { cat engine.out >&2; fail "--counting engine with $flag ends with $status"; }
        grep -q counting engine.out || { cat engine.out >&2; fail "$flag: the text does not say why"; }
    done
    status=0
    "$kanon" search levels.csv --qi n0 --k 2 --counting engine >engine.out 2>&1 || status=$?
    ((status == 2)) || fail "--counting engine on a file ends with $status"
}
