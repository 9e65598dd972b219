#!/usr/bin/env bash
# Projects are folders: made of a file, found again, deleted; and nothing else is reached.
source "$(dirname "$0")/harness.sh"

serve
get / >page
expect "Start with a table" "$(cat page)"

printf 'name,age\nAnn,31\nBob,42\n' >people.csv
upload /projects file people.csv
is "$status" 303
is "$location" /p/people/table
cmp people.csv projects/people/people.csv || fail "the table is not what was sent"
expect "input: people.csv" "$(cat projects/people/kanon.yaml)"

# The same name again is another project; names that try to go elsewhere stay here.
upload /projects file people.csv
is "$location" /p/people-2/table
upload /projects file people.csv '../../../etc/evil.csv'
is "$location" /p/evil/table
upload /projects file people.csv 'kanon.yaml'
is "$location" /p/kanon/table
expect "input: kanon.yaml.csv" "$(cat projects/kanon/kanon.yaml)"
upload /projects file people.csv '....'
is "$location" /p/table/table
upload /projects file people.csv 'Übersicht "x" & <b>.csv'
is "$status" 303
[[ -z $(find . -newer people.csv -name 'evil*' -not -path './projects/*') ]] || fail "a file outside"

# The list: rows as soon as the table was looked at, how far it is, and when it was changed.
get /p/people/table >page
wait_for people profile
get / >page
line() { tr '\n' ' ' <page | sed 's/<tr/\n<tr/g' | grep ">$1</a>"; }
expect '<td class="n">2</td><td>columns are to be chosen</td>' "$(line people)"
expect "$(date -r projects/people/kanon.yaml '+%Y-%m-%d %H:%M')" "$(line people)"
expect '<td class="n"></td>' "$(line evil)"

# One click leads to a project that is filled in, and the next to the same.
post /projects demo=yes
is "$location" /p/census-demo/table
post /projects demo=yes
is "$location" /p/census-demo/table
get / >page
expect "promise chosen" "$(line census-demo)"
(cd projects/census-demo && "$kanon" search --job kanon.yaml -q) || fail "the built-in project cannot be searched"
mkdir -p projects/census-demo/releases/1
echo '{}' >projects/census-demo/releases/1/result.json
get / >page
expect "released" "$(line census-demo)"
post /p/census-demo/delete

# What is no table leaves a project that one click takes away.
head -c 3000 /dev/urandom >noise.xlsx
upload /projects file noise.xlsx
get /p/noise/table >page
wait_for noise profile
get /p/noise/table >page
expect 'action="/p/noise/delete"' "$(cat page)"
post /p/noise/delete
[[ ! -e projects/noise ]] || fail "the project is still there"

# What is neither text nor called like another format leaves none. UTF-16 and what is compressed may be tables.
ls -A projects >before
for kind in picture document; do
    case $kind in
    picture) printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1' >wrong.csv ;;
    document) printf '%%PDF-1.7\nhello' >wrong.csv ;;
    esac
    for name in wrong.csv wrong.png wrong 'wrong.csv;x'; do
        upload /projects file wrong.csv "$name"
        expect "wrong=That%20file%20is%20no%20table" "$location"
    done
done
ls -A projects | cmp before - || fail "something is left of it"
printf 'a,b\n1,2\n3,4\n' | iconv -t utf-16le >wide.csv
upload /projects file wide.csv
is "$location" /p/wide/table
printf 'a,b\n1,2\n3,4\n' | gzip >packed.csv.gz
upload /projects file packed.csv.gz
is "$location" /p/packed/table
for name in wide packed; do
    get "/p/$name/table" >page
    wait_for "$name" profile
    post "/p/$name/delete"
done

# A database is not opened, and the page says what does.
get / >page
expect 'href="/manual/databases.html"' "$(cat page)"

# No file, an empty file.
: >empty.csv
upload /projects file empty.csv
expect "empty" "$location"
post /projects title=x
expect "wrong" "$location"

# Paths that leave the folder, and links that do.
for name in .. . '%2e%2e' '..%2f..%2fetc' people%2f..%2f.. .lock 'people%00' nobody; do
    is "$(raw -b jar --path-as-is -o body -w '%{http_code}' "$base/p/$name/table")" 404
done
ln -s "$work" projects/outside
is "$(raw -b jar -o body -w '%{http_code}' "$base/p/outside/table")" 404
get / >page
refuse "outside" "$(cat page)"

# A job file that somebody broke is told, and the others still work.
printf 'k: [' >projects/people-2/kanon.yaml
get /p/people-2/table >page
is "$status" 409
get / >page
is "$status" 200
expect "cannot be read" "$(cat page)"

# One over several tables has a page of its own, and none of its files outside of the project is looked at.
printf 'tables: {people: {input: /etc/passwd, key: id, qi: [age]}}\nk: 2\n' >projects/people-2/kanon.yaml
get /p/people-2/table >page
is "$status" 303
get /p/people-2/tables >page
is "$status" 200
post /p/people-2/tables
expect "outside" "$location"

post /p/people/delete
is "$location" "/?said=Deleted."
[[ ! -e projects/people ]] || fail "the project is still there"
is "$(raw -b jar -o body -w '%{http_code}' "$base/p/people/table")" 404

# What a killed server left half is gone, what was whole is there.
mkdir projects/.new-abc projects/.gone-x
: >projects/.incoming-abc
kill -9 "$server"
wait "$server" 2>/dev/null || true
serve
[[ ! -e projects/.new-abc && ! -e projects/.gone-x && ! -e projects/.incoming-abc ]] || fail "leftovers"
get / >page
expect "evil" "$(cat page)"
stop

# A file that the command line names is copied once.
serve people.csv
stop
is "$(grep -c . <(ls projects | grep '^people'))" 2
serve people.csv
# A table that is called like the job file of a release is not overwritten by it.
printf 'age\n30\n30\n41\n41\n' >ages.csv
upload /projects file ages.csv release-1.yaml
is "$location" /p/release-1/table
is "$(ls projects/release-1/*.csv)" projects/release-1/release-1.yaml.csv
printf 'input: release-1.yaml.csv\nqi: [age]\nk: 2\n' >projects/release-1/kanon.yaml
post /p/release-1/release pick=best format=csv
wait_for release-1 release
cmp ages.csv projects/release-1/release-1.yaml.csv
[[ -s projects/release-1/releases/1/release.csv ]] || fail "there is no release"

stop
is "$(grep -c . <(ls projects | grep '^people'))" 2
cmp people.csv projects/people/people.csv || fail "the copy differs"
if "$kanon" serve nobody.csv --dir projects 2>err </dev/null; then fail "a file that is not there"; fi
expect "nobody.csv" "$(cat err)"
if "$kanon" serve --prot 1 2>err </dev/null; then fail "a flag that is not one"; fi
expect "did you mean --port" "$(cat err)"
