#!/usr/bin/env bash
# A job that names a rule: the page of the columns says what the rule found, and never that a law is satisfied.
source "$(dirname "$0")/harness.sh"

printf '%s\n' 'sex,ssn,<b>ref</b>' m,078-05-1120,a f,078-05-1121,b >people.csv
serve people.csv
get /p/people/table >page
wait_for people profile
get /p/people/columns >page
is "$status" 200
refuse 'id="rule"' "$(cat page)"

echo 'rules: hipaa-safe-harbor' >>projects/people/kanon.yaml
post /p/people/table action=again
wait_for people profile
get /p/people/columns >page
is "$status" 200
expect 'id="rule"' "$(cat page)"
expect "its name speaks of social security numbers" "$(cat page)"
expect "For you to decide" "$(cat page)"
expect "columns checked against 45 CFR 164.514(b)(2), text of 2013-06-07; actual knowledge was not" "$(cat page)"
refuse "<b>ref</b>" "$(cat page)"
refuse "law is satisfied" "$(cat page)"
stop
