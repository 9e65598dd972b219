#!/usr/bin/env bash
# The manual: every document is a page, every link in it leads somewhere, nothing is shown but to who was let in,
# and the files that packages install are the same pages.
docs=$(cd "$(dirname "$0")/../../docs" && pwd)
source "$(dirname "$0")/harness.sh"
serve

# Nobody who was not let in.
for path in manual manual/index.html manual/search?q=k manual/pictures-table.webp; do
    is "$(raw -o body -w '%{http_code}' "$base/$path")" 403
    refuse "k-anonymity" "$(tr -d '\0' <body)"
done
raw -b jar -D headers -o body "$base/manual"
expect "Location: /manual/index.html" "$(cat headers)"

# Tags that are opened are closed, in order, and there is none that a document could have brought along.
balanced() { # file
    awk '
        BEGIN { RS = "<"; n = 0
                known = " html head title body a header p span main h1 h2 h3 h4 h5 nav form label button section details"\
                        " summary ul ol li pre code div table thead tbody tr th td strong em blockquote footer script " }
        NR == 1 || /^!DOCTYPE/ || /^(meta|link|img|input)[ >]/ { next }
        /^\// { tag = substr($0, 2); sub(/>.*/, "", tag)
                if (stack[n] != tag) { print FILENAME ": </" tag "> closes <" stack[n] ">"; exit 1 }
                n--; next }
        { tag = $0; sub(/[ >].*/, "", tag)
          if (index(known, " " tag " ") == 0) { print FILENAME ": <" tag ">"; exit 1 }
          stack[++n] = tag }
        END { if (n != 0) { print FILENAME ": <" stack[n] "> is not closed"; exit 1 } }
    ' "$1" || fail "$1 is no good HTML"
}

# From the first page on, all that is linked; a page for each document of the manual.
mkdir pages
todo=(index.html)
while ((${#todo[@]} > 0)); do
    name=${todo[0]}
    todo=("${todo[@]:1}")
    [[ ! -e pages/$name ]] || continue
    is "$(raw -b jar -D headers -o "pages/$name" -w '%{http_code}' "$base/manual/$name")" 200
    expect "Content-Security-Policy: default-src 'none'" "$(cat headers)"
    [[ $name == *.html ]] || continue
    balanced "pages/$name"
    is "$(grep -c '<script' "pages/$name")" 1 # ours
    refuse "<h1></h1>" "$(cat "pages/$name")"
    while read -r link; do
        [[ -z $link || $link == http* || $link == /* || $link == '#'* ]] || todo+=("${link%%#*}")
    done < <(grep -oE '(href|src)="[^"]*"' "pages/$name" | sed -E 's/^[a-z]+="(.*)"$/\1/')
done
for file in "$docs"/manual/*.md; do
    name=$(basename "$file" .md).html
    [[ -e pages/${name/README/index} ]] || fail "no page leads to $file"
done
for name in pages/*.html; do
    while read -r link; do
        page=${link%%#*}
        grep -qF " id=\"${link#*#}\"" "pages/${page:-$(basename "$name")}" || fail "$name: no heading for $link"
    done < <(grep -oE 'href="[^"/]*#[^"]*"' "$name" | grep -v '"http' | sed -E 's/^href="(.*)"$/\1/')
    # What is left of Markdown outside of code is a mark that was not understood.
    left=$(sed -E 's/<code>[^<]*<\/code>//g' "$name" | sed '/<pre/,/<\/pre>/d' | grep -nE '`|\*\*|\]\(' || true)
    is "$left" ""
done
cmp pages/pictures-table.webp "$docs/manual/pictures/table.webp" || fail "another picture"
# The pictures of all pages are a part of the program, and stay small. Each is shown.
(($(cat "$docs"/manual/pictures/* | wc -c) < 2000000)) || fail "the pictures are too large"
for picture in "$docs"/manual/pictures/*; do
    grep -q "](pictures/${picture##*/})" "$docs/manual/serve.md" || fail "no page shows $picture"
done

# What a page says is what its document says.
expect "<h1>Exit status</h1>" "$(cat pages/exit-status.html)"
expect "<th>" "$(cat pages/exit-status.html)"
expect '<h2 id="in-one-minute">In one minute</h2>' "$(cat pages/index.html)"
expect '<strong><a href="risk.html">Risk</a>.</strong> <code>kanon risk</code> looks at' "$(cat pages/index.html)"
refuse "<!-- file" "$(cat pages/index.html)"
expect 'Anna,31,f,53111,flu' "$(cat pages/index.html)"

expect '<td class="n">' "$(cat pages/*.html)"
expect ' rel="noreferrer">' "$(cat pages/*.html)"
refuse '&quot;n&quot;>' "$(cat pages/*.html)"

# The search: sections that have all words, in letters of any case; what was typed is text.
get "/manual/search?q=DOWNCODING" >page
is "$status" 200
expect 'href="limits.html#downcoding"' "$(cat page)"
balanced page
get "/manual/search?q=population+PRESENCE" >page
expect "sections with all of these words" "$(cat page)"
get "/manual/search?q=%3Cscript%3Ealert(1)%3C/script%3E" >page
refuse "<script>alert" "$(cat page)"
expect 'value="&lt;script&gt;alert(1)&lt;/script&gt;"' "$(cat page)"
expect "No section has all of these words" "$(cat page)"
get "/manual/search" >page
expect "Type one word or more" "$(cat page)"
get "/manual/search?q=$(printf 'x%.0s' {1..3000})" >page
is "$status" 200

# Nothing else.
for path in manual/nothing.html manual/README.md manual/index manual/..%2findex.html \
    manual/%2e%2e%2f%2e%2e%2fetc%2fpasswd manual/docs/manual/README.md; do
    code=$(raw -b jar --path-as-is -o body -w '%{http_code}' "$base/$path")
    [[ $code == 404 || $code == 400 ]] || fail "$path: $code"
done
post /manual/index.html q=1
is "$status" 404

# Every page leads to it.
make_census census
for path in / /p/census/{table,columns,hierarchies,promise,explore,release} /p/census/nothing; do
    get "$path" >page
    expect 'href="/manual/index.html">Manual</a>' "$(cat page)"
done
# And to the page that explains it.
for step in table:values columns:choosing-columns hierarchies:hierarchies promise:what-it-promises \
    explore:choosing-a-method release:report; do
    get "/p/census/${step%:*}" >page
    expect "href=\"/manual/${step#*:}.html\">Help" "$(cat page)"
    get "/manual/${step#*:}.html" >page
    is "$status" 200
done
stop

# As files they are the same, with nothing that needs a server.
mkdir files
"$kanon" pages html files
for name in pages/*; do
    file=files/$(basename "$name")
    if [[ $name == *.html ]]; then
        section() { sed -n '/<section class="manual">/,/<\/section>/p' "$1"; }
        [[ $(section "$name") == "$(section "$file")" ]] || fail "$file is not what is served"
        refuse "<script" "$(cat "$file")"
        refuse '"/' "$(grep -oE '(href|src|action)="[^"]*"' "$file")"
        refuse "<form" "$(cat "$file")"
        balanced "$file"
    else
        cmp "$name" "$file"
    fi
done
[[ -s files/style.css ]] || fail "no sheet"
"$kanon" pages html nowhere 2>err && fail "a folder that is not there"
expect "nowhere: the manual cannot be written there: No such file" "$(cat err)"
