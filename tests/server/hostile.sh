#!/usr/bin/env bash
# Names and values that mean harm are text on every page, from the promise to the release.
source "$(dirname "$0")/harness.sh"
serve
mkdir -p projects/evil/work projects/evil/releases
long=$(printf 'x%.0s' {1..10000})
{
    printf '<script>alert(1)</script>,"a=b,""c""",%s,"=cmd|1",\xe2\x80\xaeevil,secret\n' "$long"
    for i in {1..40}; do
        printf '<img src=x onerror=alert(%d)>,"p=q,""r""",%s,=1+%d,\xe2\x80\xaetxt,"</script><b>%d"\n' \
            $((i % 2)) "$long" $((i % 4)) $((i % 3))
    done
} >projects/evil/t.csv
cat >projects/evil/kanon.yaml <<END
input: t.csv
qi:
  "<script>alert(1)</script>": suppress
  "a=b,\\"c\\"": suppress
  ? "=cmd|1"
  : suppress
keep: ["\\u202Eevil", "$long"]
sensitive: [secret]
k: 5
suppress: 10%
END

# clean PATH: the page is there, and holds nothing that a browser would run.
clean() {
    get "$1" >page
    is "$status" 200
    refuse "<script>alert" "$(cat page)"
    refuse "<img src" "$(cat page)"
    refuse "</script><b>" "$(cat page)"
    refuse $'\xe2\x80\xae' "$(cat page)"
    refuse "failed" "$(cat page)"
}

get /p/evil/table >page
wait_for evil profile
clean /p/evil/columns
for i in 1 2; do
    clean /p/evil/hierarchies
    for column in 1 2 4; do wait_for evil hierarchy-$column; done
done
expect "&lt;img src" "$(cat page)"
expect 'class="strip"' "$(cat page)"
post /p/evil/hierarchies/1 action=strip was=suppress way=prefix
refuse "wrong" "$location"
post /p/evil/hierarchies/1 action=strip was=prefix:3,1 way=prefix 'step=3"><script>alert(1)</script>'
expect "wrong=" "$location"
clean "$location"
post /p/evil/hierarchies/1 action=strip was=prefix:3,1 way=suppress
clean /p/evil/promise
post /p/evil/promise o.l=2 weight.0=2 'quasi.0=<script>alert(1)</script>' 'weight.1=3' 'quasi.1=a=b,"c"' do=estimate
refuse "wrong" "$location"
wait_for evil promise
clean /p/evil/promise
expect 'name="weight.1" id="weight.1" value="3"' "$(cat page)"

post /p/evil/explore do=search 'quasi.0=<script>alert(1)</script>' lowest.0=0 highest.0=1 'quasi.1=a=b,"c"' \
    highest.1=1 'quasi.2==cmd|1' lowest.2=0
refuse "wrong" "$location"
wait_for evil search
clean '/p/evil/explore?show=all&node=1-1-1'
expect "8 combinations" "$(cat page)"
expect "&lt;script&gt;" "$(cat page)"
clean '/p/evil/explore/nodes?show=all&node=%3Cscript%3Ealert%281%29&sort=%3Cscript%3Ealert&cost=%22%3E%3Cscript%3Ealert'
post /p/evil/explore/pin pin=1-1-1 do=pin
wait_for evil look-1-1-1
post /p/evil/explore/pin pin=0-1-1 do=pin
wait_for evil look-0-1-1
clean /p/evil/explore/compare
expect "&lt;img src" "$(cat page)"
post /p/evil/explore do=recodings
wait_for evil recodings
clean /p/evil/explore

post /p/evil/release pick=node-0-1-1 format=csv guard-formulas=true
wait_for evil release
clean /p/evil/release
expect "The promise holds" "$(cat page)"
(cd projects/evil && "$kanon" anonymize --job release-1.yaml -o again.csv -q)
cmp projects/evil/again.csv projects/evil/releases/1/release.csv || fail "not replayed"
clean '/p/evil/release?pick=node-%22%3E%3Cscript%3Ealert'
clean '/p/evil/release?pick=search-%22%3E%3Cscript%3Ealert'
clean '/p/evil/explore?said=%3Cscript%3Ealert%281%29&wrong=%3Cimg%20src'
stop
