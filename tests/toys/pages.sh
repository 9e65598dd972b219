#!/usr/bin/env bash
# Every page shows the toys, with the words that they bring along: no page has a list of kinds.
source "$(dirname "$0")/../server/harness.sh"
serve

# ---- a format: uploaded, its options among the settings of reading ----
{
    echo "age town ill"
    for i in {1..40}; do
        echo "$((20 + i % 4)) $([[ $((i % 2)) == 0 ]] && echo here || echo there) $([[ $((i % 3)) == 0 ]] && echo yes || echo no)"
    done
    echo "# the end"
} >people.words
upload /projects file people.words
is "$status" 303
get /p/people/table >page
expect "<dt>File format</dt><dd>words</dd>" "$(cat page)"
expect 'name="words-comment"' "$(cat page)"
expect ">Comments of words</label>" "$(cat page)"
expect "of words: the sign that comments begin with" "$(cat page)"
expect "unless you name one: words, sav" "$(cat page)"
is "$(grep -o 'name="labels"' page | wc -l)" 1 # an option of six formats is asked for once
post /p/people/table action=read words-comment='#'
expect 'words-comment: "#"' "$(cat projects/people/kanon.yaml)"
wait_for people profile
get /p/people/table >page
expect "<dt>Rows</dt><dd>40</dd>" "$(cat page)"

# ---- a model: in the form, and estimated ----
settings() { # a line more
    cat >projects/people/kanon.yaml <<END
input: people.words
words-comment: "#"
qi: [age=intervals:4, town=suppress]
k: 2
suppress: 5%
$1
END
}
settings 'sensitive: [ill]'
get /p/people/promise >page
expect "<strong>A doubt is left</strong> <small>doubt</small>" "$(cat page)"
expect "Some rows of a group have another secret than most" "$(cat page)"
expect '<label for="o.doubt">rows of a group that leave a doubt, at least</label>' "$(cat page)"
expect '<input type="number" min="1" step="1" autocomplete="off" name="o.doubt"' "$(cat page)"
expect 'name="o.doubt-lies" value="true"' "$(cat page)"
expect "<strong>uncounted</strong>" "$(cat page)" # one that brings no words along
post /p/people/promise o.doubt=2 do=estimate
expect "doubt: 2" "$(cat projects/people/kanon.yaml)"
wait_for people promise
get '/p/people/promise?part=estimates' >page
refuse "failed" "$(cat page)"
expect "A doubt is left<br><strong>doubt 1</strong>" "$(cat page)"
expect "<strong>doubt 3</strong>" "$(cat page)"
expect '<input type="hidden" name="o.doubt" value="3">' "$(cat page)"
get /p/people/promise >page
refuse "Not protected" "$(cat page)" # the toy looks at the sensitive column
# Without a sensitive column nothing of the kind is tried.
settings ''
post /p/people/promise do=estimate
wait_for people promise
[[ ! -e projects/people/work/promise-doubt-0.json ]] || fail "a model without its column is estimated"
get /p/people/promise >page
expect "no column is marked as sensitive yet" "$(cat page)"
settings 'sensitive: [ill]'
post /p/people/promise o.doubt=1

# ---- a cost and a search: among their choices, and released with ----
get /p/people/promise >page
expect '<option value="largest">largest: rows of the largest group</option>' "$(cat page)"
post /p/people/promise cost=largest do=estimate
wait_for people promise
get '/p/people/promise?part=estimates' >page
expect "loss (largest)" "$(cat page)"
get /p/people/release >page
expect "the best by largest" "$(cat page)"
expect 'value="search-stairs"> stairs <small>one answer: all columns go up together</small>' "$(cat page)"
expect '<option value="words" selected>Words between blanks</option>' "$(cat page)"
is "$(grep -o '<select name="format" id="format"><option value="[a-z]*"' page)" \
    '<select name="format" id="format"><option value="csv"' # what is chosen unless another is
post /p/people/release pick=search-stairs format=words
is "$location" /p/people/release
wait_for people release
get /p/people/release >page
expect "By stairs, made" "$(cat page)"
expect "The promise holds: it was recounted" "$(cat page)"
get /p/people/release/1/release.words >released
is "$status" 200
is "$(head -n 1 released)" "age town ill"
post /p/people/release pick=search-ladder format=words
expect "wrong=" "$location"
post /p/people/release pick=best format=sentences
expect "wrong=" "$location"
stop
