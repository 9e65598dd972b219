#!/usr/bin/env bash
# What can still be learnt from releases of Adult: a class predicted, a regression, and a propensity score, by
# `kanon utility`, for several searches and k. bench/models.sh KANON [K...] prints a table, in some two minutes.
# Needs jq, and the tables of $KANON_DATA (else ../shared/data beside the sources).
set -euo pipefail
kanon=$(realpath "$1")
shift
ks=("$@")
((${#ks[@]})) || ks=(5 10 50 100)
data=$(realpath "${KANON_DATA:-$(dirname "$0")/../../shared/data}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
table=$data/adult/adult-30162.csv
hierarchies=$data/adult/hierarchies
formula='salary-class ~ age + gender + education + occupation'
common=(--qi age,gender,race,marital-status,education,native-country,work-class,occupation --class salary-class
    --hierarchies "$hierarchies" --keep-suppressed --quiet --force)

measure() { # NAME, K
    "$kanon" utility r.csv --original "$table" --hierarchies "$hierarchies" --classify salary-class \
        --regress "$formula" --json r.json --force --quiet
    jq -r --arg name "$1" --arg k "$2" '
        def round(n): . * pow(10; n) | round / pow(10; n) | tostring;
        def score(c; t): .classifications[0].classifiers[] | select(.name == c) | .[t] | .accuracy, .auc | round(3);
        .regressions[0] as $r | .propensity as $p |
        [$k, $name, score("logistic"; "release"), score("tree"; "release"),
         $r.compared, $r.same_sign, $r.same_significance, ($r.mean_overlap // 0 | round(3)),
         ($p.ratio // 0 | round(1))] | "| " + (map(tostring) | join(" | ")) + " |"' r.json
}

cell() { # NAME, K, FLAG...
    local name=$1 k=$2
    shift 2
    "$kanon" anonymize "$table" -o r.csv --k "$k" "${common[@]}" "$@" >said 2>&1 || { cat said >&2; return 1; }
    measure "$name" "$k"
}

echo "| k | search | logistic: accuracy | AUC | tree: accuracy | AUC | compared, of 30 | sign kept | significance kept | overlap | pMSE ratio |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
cp "$table" r.csv
measure 'the original' -
for k in "${ks[@]}"; do
    cell 'levels, ncp' "$k" --suppress 2% --cost ncp
    cell 'levels, discernibility' "$k" --suppress 2% --cost discernibility
    cell 'levels, classification' "$k" --suppress 2% --cost classification
    cell 'mondrian' "$k" --algorithm mondrian
    cell 'mondrian --for salary-class' "$k" --algorithm mondrian --for salary-class
    cell 'mondrian --for the regression' "$k" --algorithm mondrian --for "$formula"
    cell 'top-down' "$k" --algorithm top-down
done
