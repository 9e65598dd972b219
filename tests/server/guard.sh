#!/usr/bin/env bash
# Who is let in: the link works once, and everything else needs its cookie, the right host and, to
# change something, a page of this server.
source "$(dirname "$0")/harness.sh"

serve --demo
is "$(stat -c %a projects)" 700

# Nobody without the cookie.
is "$(raw -o body -w '%{http_code}' "$base/")" 403
expect "Open the link" "$(cat body)"
is "$(raw -o body -w '%{http_code}' "$base/p/census-demo/table")" 403
is "$(raw -o body -w '%{http_code}' "$base/style.css")" 403
is "$(raw -o body -w '%{http_code}' -H "Cookie: kanon-${host#*:}=0123456789abcdef0123456789abcdef" "$base/")" 403
is "$(raw -o body -w '%{http_code}' -H "Cookie: kanon-${host#*:}=" "$base/")" 403

# The link was used, and lets nobody in again; no other token does.
is "$(raw -o body -w '%{http_code}' "$link")" 403
is "$(raw -o body -w '%{http_code}' "$base/enter?token=")" 403
is "$(raw -o body -w '%{http_code}' "$base/enter")" 403
is "$(raw -o body -w '%{http_code}' -b jar "$link")" 303 # but who is in may use it

# The cookie is for this browser alone, and scripts do not see it.
expect "#HttpOnly_127.0.0.1" "$(cat jar)"

cookie=$(awk '/kanon-/ { print $6 "=" $7 }' jar)
get / >page
is "$status" 200
expect "census-demo" "$(cat page)"

# Another name for this machine: a page elsewhere that points its own name here.
for other in evil.example "evil.example:${host#*:}" "127.0.0.1:1" "localhost" "127.0.0.1:${host#*:}.evil.example"; do
    is "$(raw -H "Cookie: $cookie" -o body -w '%{http_code}' -H "Host: $other" "$base/")" 421
done
is "$(raw -b jar -o body -w '%{http_code}' -H "Host:" "$base/")" 400
is "$(raw -o body -w '%{http_code}' -H "Cookie: $cookie" -H "Host: localhost:${host#*:}" "$base/")" 200

# Changes come from our own pages.
change=(raw -b jar -o body -w '%{http_code}' -d '' "$base/p/census-demo/delete")
is "$("${change[@]}")" 403
is "$("${change[@]}" -H "Origin: null")" 403
is "$("${change[@]}" -H "Origin: http://evil.example")" 403
is "$("${change[@]}" -H "Origin: $base.evil.example")" 403
is "$("${change[@]}" -H "Origin: https://$host")" 403
is "$("${change[@]}" -H "Origin: $base" -H "Sec-Fetch-Site: cross-site")" 403
is "$(raw -b jar -o body -w '%{http_code}' -H "Sec-Fetch-Site: cross-site" "$base/")" 403
[[ -f projects/census-demo/kanon.yaml ]] || fail "a stranger's click deleted the project"

# Other methods, other kinds of bodies.
is "$(raw -b jar -o body -w '%{http_code}' -X DELETE "$base/p/census-demo/table")" 405
is "$(raw -b jar -o body -w '%{http_code}' -X OPTIONS "$base/")" 405
is "$(raw -b jar -o body -w '%{http_code}' -H "Origin: $base" -H 'Content-Type: application/json' -d '{}' "$base/projects")" 415
is "$(raw -b jar -o body -w '%{http_code}' -I "$base/")" 200

# What every answer says.
raw -b jar -D headers -o body "$base/"
for line in "default-src 'none'" "frame-ancestors 'none'" "X-Content-Type-Options: nosniff" "Cache-Control: no-store"; do
    expect "$line" "$(cat headers)"
done
refuse "unsafe-inline" "$(cat headers)"

# A second server stays away from this folder.
if "$kanon" serve --dir projects >second.out 2>second.err </dev/null; then
    fail "two servers work in one folder"
fi
expect "another kanon serve" "$(cat second.err)"

stop
refuse "error" "$(cat serve.err)"
