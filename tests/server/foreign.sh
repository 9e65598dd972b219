#!/usr/bin/env bash
# A project that somebody else made runs no code and opens no driver: libraries come from the flag or the
# environment of the server alone.
source "$(dirname "$0")/harness.sh"

# A library that tells when it is loaded.
printf '__attribute__((constructor)) static void loaded(void) { extern int system(const char *); (void)!system("touch %s/loaded"); }\n' "$work" >evil.c
cc -shared -fPIC -o evil.so evil.c

make_project() {
    mkdir -p "projects/$1/work" "projects/$1/releases"
    printf '{"age":30}\n{"age":30}\n{"age":41}\n{"age":41}\n' >"projects/$1/t.jsonl"
    cp evil.so "projects/$1/libduckdb.so"
    printf 'qi: [age]\nk: 2\n%s\n' "$2" >"projects/$1/kanon.yaml"
}
mkdir projects
make_project library $'input: t.jsonl\nduckdb: libduckdb.so'
make_project driver "input: 'odbc:Driver=$work/evil.so;table=t'"
make_project beside 'input: t.jsonl'

# A name without a folder means a file where the server was started, not one in the project.
KANON_DUCKDB=libduckdb.so serve
for page in table columns promise explore release; do
    for project in library driver; do
        get "/p/$project/$page" >/dev/null
        is "$status" 409
    done
    get "/p/beside/$page" >/dev/null
done
get /p/library/table >page
expect "a job file cannot name a library" "$(cat page)"
get /p/driver/table >page
expect "drivers and their settings run code" "$(cat page)"
wait_for beside profile
[[ ! -e loaded ]] || fail "a library of the project was loaded"

# A pipe in place of the job file holds nobody up.
mkdir projects/pipe
mkfifo projects/pipe/kanon.yaml
get /p/pipe/table >page
is "$status" 409
expect "not a plain file" "$(cat page)"
stop

# The flag of the server is what its commands get; wrong ones are told at once.
if "$kanon" serve --dir projects --duckdb nowhere.so >out 2>err </dev/null; then
    fail "a library that is not there was taken"
fi
expect "--duckdb nowhere.so" "$(cat err)"
rm -f projects/beside/work/*
serve --duckdb evil.so
get /p/beside/table >/dev/null
wait_for beside profile
[[ -e loaded ]] || fail "the library of the flag was not loaded"
stop
