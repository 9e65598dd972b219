#!/usr/bin/env bash
# The promise: the form changes the job file and nothing else, wrong fields change nothing, estimates are
# those of the command line.
source "$(dirname "$0")/harness.sh"
job=projects/census/kanon.yaml
serve
make_census census

get /p/census/promise >page
is "$status" 200
expect "An open risk. Not protected: <bdi>occupation</bdi>, <bdi>marital-status</bdi>." "$(cat page)"
for model in k-anonymity l-diversity t-closeness alpha beta-likeness delta-disclosure average-risk at-risk \
    k-map presence individual-risk global-risk population-uniques; do
    [[ $model == k-anonymity ]] || expect ">$model" "$(cat page)"
done
expect 'name="o.k" id="o.k" value="5"' "$(cat page)"
expect "no column is marked as a sampling weight yet" "$(cat page)"
expect 'name="o.individual-risk"' "$(cat page)"
expect 'name="o.global-risk"' "$(cat page)"
expect 'name="limit" id="limit" value="1"' "$(cat page)"
expect 'name="o.l.1"' "$(cat page)" # two sensitive columns: each may have a number of its own
expect 'src="/promise.js"' "$(cat page)"
expect "/manual/what-it-promises.html" "$(cat page)"

# What few releases need is folded away, unless it says something; what is promised is in sight.
folded() { tr '\n' ' ' <page | sed 's/<details id="more"/\n&/; s/<p class="actions">/\n/' | grep '^<details id="more"'; }
expect '<details id="more">' "$(cat page)"
for name in o.delta-disclosure o.average-risk o.k-map o.individual-risk cost weight.0 recoding subsets; do
    expect "name=\"$name\"" "$(folded)"
done
for name in o.k o.l o.alpha o.t limit; do refuse "name=\"$name\"" "$(folded)"; done
cp $job before
post /p/census/promise o.average-risk=0.5 subsets=2
get /p/census/promise >page
expect '<details id="more" open>' "$(cat page)"
refuse 'name="o.average-risk"' "$(folded)"
expect "<small>average-risk, promised</small>" "$(cat page)"
cp before $job

# What others ask for: each has a source, sets k, and leaves all else as it is.
get /p/census/promise >page
is "$(grep -c 'name="o.k" value=' page)" 4
expect 'href="/manual/choosing-a-method.html"' "$(cat page)"
post /p/census/promise o.k=5
cp $job before
post /p/census/promise o.k=11
is "$(sed 's/^k: 11$/k: 5/' $job)" "$(cat before)"
post /p/census/promise o.k=5

# One field changes one setting.
post /p/census/promise o.k=7
is "$status" 303
expect "k: 7" "$(cat $job)"
expect "suppress: 1%" "$(cat $job)"
expect "age=hierarchies/age.csv" "$(cat $job)"
post /p/census/promise limit=25 limit-kind=rows
expect "suppress: 25" "$(cat $job)"
post /p/census/promise limit=0 limit-kind=percent
refuse "%" "$(cat $job)"
post /p/census/promise limit=2.5 limit-kind=percent
expect "suppress: 2.5%" "$(cat $job)"

# Numbers for all columns, and for one.
post /p/census/promise o.l=2 o.l.1=3 sensitive.0=occupation sensitive.1=marital-status
expect "marital-status" "$(sed -n '/^l:/,$p' $job)"
get /p/census/promise >page
expect 'name="o.l" id="o.l" value="2"' "$(cat page)"
expect 'name="o.l.1" id="o.l.1" value="3"' "$(cat page)"
post /p/census/promise o.l= sensitive.0=occupation sensitive.1=marital-status
refuse "l:" "$(grep '^l:' $job || true)"
post /p/census/promise o.refined= o.refined=true o.alpha=0.9
expect "refined: true" "$(cat $job)"
post /p/census/promise o.refined= o.alpha=
refuse "refined" "$(cat $job)"
post /p/census/promise cost=ncp weight.0=2 weight.1= quasi.0=age quasi.1=gender
expect "cost: ncp" "$(cat $job)"
expect "age=2" "$(cat $job)"

post /p/census/promise 'for=salary-class ~ age'
expect 'for: "salary-class ~ age"' "$(cat $job)"
get /p/census/promise >page
expect 'name="for" id="for" value="salary-class ~ age"' "$(cat page)"
post /p/census/promise 'for='
refuse "for:" "$(cat $job)"

# What is wrong is told, and changes nothing.
cp $job before
for field in o.k=none o.k=-3 o.k=0 limit=x o.l=two o.t=7 cost=nothing 'for=a * b' 'for=~' 'o.alpha=0.5;rm' o.at-risk=200 \
    population=../../../etc/passwd population=/etc/passwd; do
    post /p/census/promise "$field" limit-kind=percent
    is "$status" 303
    expect "wrong=" "$location"
    cmp before $job || fail "$field has changed the job file"
done
post /p/census/promise o.l.0=3 o.l= sensitive.0=nobody
expect "wrong=" "$location"
cmp before $job || fail "a column that is not sensitive"
post /p/census/promise/estimate o.k=none
is "$status" 422
expect "k" "$(cat body)"
cmp before $job || fail "the estimate has changed the job file"

# Estimates: what the command line says, stale when the settings change.
cp $job before
post /p/census/promise o.k=5 limit=1 limit-kind=percent cost=discernibility weight.0= quasi.0=age do=estimate
is "$status" 303
wait_for census promise
get '/p/census/promise?part=estimates' >page
is "$status" 200
refuse "<html" "$(cat page)"
expect 'data-busy="0"' "$(cat page)"
refuse "settings that have changed since" "$(cat page)"
loss=$(cd projects/census && "$kanon" search --job kanon.yaml -q --json - | sed -n 's/.*"discernibility": \([0-9]*\),.*/\1/p')
[[ -n $loss ]] || fail "no loss"
expect "data-loss=\"$loss\"" "$(cat page)"
expect "<svg" "$(cat page)"
expect "delta-disclosure 1" "$(cat page)"

# Every cell of the grid is a form that promises its k and its limit; the one that is promised is none.
get /p/census/promise >page
cell=$(tr '\n' ' ' <page | grep -o '<input type="hidden" name="o.k" value="10"><input type="hidden" name="limit" value="2"><input type="hidden" name="limit-kind" value="percent">' | head -1)
[[ -n $cell ]] || fail "no form for k 10 and a limit of 2 %"
expect "promise k 10 and a limit of 2%" "$(cat page)"
refuse "promise k 5 and a limit of 1%" "$(cat page)"
cp $job before
post /p/census/promise o.k=10 limit=2 limit-kind=percent
expect "k: 10" "$(cat $job)"
expect "suppress: 2%" "$(cat $job)"
get /p/census/promise >page
refuse "promise k 10 and a limit of 2%" "$(cat page)"
expect "promise k 5 and a limit of 1%" "$(cat page)"
cp before $job
post /p/census/promise o.k=6
get '/p/census/promise?part=estimates' >page
expect "settings that have changed since" "$(cat page)"

# A promise that nothing keeps.
post /p/census/promise o.k=3000 do=estimate
wait_for census promise
get /p/census/promise >page
expect "Nothing keeps this promise" "$(cat page)"

# Where people are counted some promises are refused: the others are estimated all the same.
mkdir -p projects/visits/work
"$kanon" generate visits --rows 500 -q -o projects/visits/visits.csv --hierarchies projects/visits/hierarchies
cat >projects/visits/kanon.yaml <<'END'
input: visits.csv
hierarchies: hierarchies
person: patient
qi: [birth, sex, zip, day]
k: 3
suppress: 5%
END
post /p/visits/promise suppress-by=row person-promise=groups do=estimate
expect "suppress-by: row" "$(cat projects/visits/kanon.yaml)"
wait_for visits promise
get /p/visits/promise >page
expect "How many rows may be left out" "$(cat page)"
post /p/visits/promise suppress-by=person
get /p/visits/promise >page
expect "How many people may be left out" "$(cat page)"
expect "cent of the people" "$(cat page)"
refuse "failed" "$(cat page)"
expect "by k and by how" "$(cat page)"

# The recoding model: all that the registry has, as usual unless one is chosen; `auto` makes it, and what it
# cannot do is told in the words of the command.
get /p/census/promise >page
is "$(grep -c '<option value="[a-z-]*"[^>]*>[a-z-]*: .*' <(sed -n '/id="recoding"/,/<\/select>/p' page))" \
    "$("$kanon" list --json | sed -n '/"recodings": \[$/,$p' | grep -c '"contains"')"
expect '<option value="">as usual' "$(cat page)"
post /p/census/promise o.k=5 recoding=cell-generalization do=estimate
expect "recoding: cell-generalization" "$(cat projects/census/kanon.yaml)"
wait_for census promise
expect '"search": "iterate"' "$(cat projects/census/work/promise.json)"
get /p/census/promise >page
expect '<option value="cell-generalization" selected>' "$(cat page)"
refuse "failed" "$(cat page)"
cp projects/census/kanon.yaml before
post /p/census/promise recoding=nonsense
expect "no%20recoding%20is%20called" "$location"
post /p/census/promise recoding=mondrian
expect "write%20--algorithm%20mondrian" "$location"
cmp before projects/census/kanon.yaml || fail "what is no model is kept"
post /p/census/promise recoding=full-subtree cost=ncp do=estimate
wait_for census promise
get /p/census/promise >page
expect "minimize discernibility or classification" "$(cat page)"
post /p/census/promise recoding= cost=discernibility
refuse "recoding" "$(cat projects/census/kanon.yaml)"

# Names of columns that mean harm are text.
mkdir -p projects/evil/work
printf 'age,<script>alert(1)</script>,"a=b,""c"""\n1,x,p\n1,x,q\n2,y,p\n2,y,q\n' >projects/evil/t.csv
cat >projects/evil/kanon.yaml <<'END'
input: t.csv
qi: [age=suppress]
sensitive:
  - <script>alert(1)</script>
  - "a=b,\"c\""
k: 2
END
get /p/evil/promise >page
is "$status" 200
refuse "<script>alert" "$(cat page)"
expect "&lt;script&gt;" "$(cat page)"
post /p/evil/promise o.l=1 o.l.0=2 o.l.1=2 'sensitive.0=<script>alert(1)</script>' 'sensitive.1=a=b,"c"'
refuse "wrong" "$location"
get /p/evil/promise >page
expect 'name="o.l.1" id="o.l.1" value="2"' "$(cat page)"
refuse "<script>alert" "$(cat page)"

# A table of the population is brought by the page, and k-map is promised of it.
"$kanon" generate census --rows 3000 -o register.csv -q
head -n 400 register.csv >people.csv
upload /projects file people.csv
upload /p/people/promise/population file register.csv '../register 2026.csv'
is "$status" 303
expect "population: population-register-2026.csv" "$(cat projects/people/kanon.yaml)"
cmp register.csv projects/people/population-register-2026.csv || fail "the population is another one"
get /p/people/promise >page
expect "There is one" "$(cat page)"
: >empty.csv
upload /p/people/promise/population file empty.csv
expect "wrong=" "$location"
expect "population: population-register-2026.csv" "$(cat projects/people/kanon.yaml)"
cat >>projects/people/kanon.yaml <<'END'
qi: [gender=suppress, race=suppress]
END
post /p/people/promise o.k-map=20 o.k=2 do=estimate
wait_for people promise
get /p/people/promise >page
refuse "failed" "$(cat page)"
refuse "settings that have changed since" "$(cat page)"
# Another population of the same name: what was found with the first one no longer holds.
cp projects/people/kanon.yaml before
head -n 2000 register.csv >other.csv
upload /p/people/promise/population file other.csv '../register 2026.csv'
cmp before projects/people/kanon.yaml || fail "the population has another name"
cmp other.csv projects/people/population-register-2026.csv || fail "the population is still the first one"
get /p/people/promise >page
expect "settings that have changed since" "$(cat page)"
# And so with a release that somebody enters in the ledger; but not with what a search writes for itself.
awk 'NR == 1 { print "id," $0; next } { print NR "," $0 }' other.csv >entered.csv
upload /projects file entered.csv
(umask 077 && head -c 32 /dev/urandom >projects/entered/people.key)
cat >>projects/entered/kanon.yaml <<'END'
qi: [gender=suppress, race=suppress]
id: id
ledger: people.ledger
key: people.key
proof: own.proof
END
post /p/entered/promise o.k=2 do=estimate
wait_for entered promise
get /p/entered/promise >page
refuse "failed" "$(cat page)"
expect "data-loss=" "$(cat page)"
refuse "settings that have changed since" "$(cat page)"
: >projects/entered/own.proof
get /p/entered/promise >page
refuse "settings that have changed since" "$(cat page)"
: >projects/entered/people.ledger
get /p/entered/promise >page
expect "settings that have changed since" "$(cat page)"
stop
