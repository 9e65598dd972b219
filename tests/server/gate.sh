#!/usr/bin/env bash
# Who is let in: the link works once, and everything else needs its cookie, the right host and, to
# change something, a page of this server.
source "$(dirname "$0")/harness.sh"

serve --demo
is "$(stat -c %a projects)" 700

# The host has a name that nobody can guess, and cookies are for it alone: no other server of this machine gets it.
port=${host#*:} name=${host%:*}
[[ $name =~ ^kanon-[0-9a-f]{20}\.localhost$ ]] || fail "the host is called $name"
refuse "Domain" "$(raw -D - -o /dev/null "$link")"

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
is "$(raw -o body -w '%{http_code}' -b jar "$link")" 200 # but who is in may use it
# Whoever comes with a link that was used is told, and so is the terminal, once.
raw -o body "$link"
expect "Somebody has already used it" "$(cat body)"
is "$(grep -c "somebody has already used it" serve.out)" 1
# Entering is a page of its own that goes on to a plain address: no redirect, no script, no secret.
grep -q 'http-equiv="refresh" content="0; url=/p/census-demo/table"' entered || fail "the page of entering does not go on"
refuse "token" "$(cat entered)"
refuse "<script" "$(cat entered)"

# The cookie is for this browser alone, and scripts do not see it.
expect "#HttpOnly_$name" "$(cat jar)"

cookie=$(awk '/kanon-/ { print $6 "=" $7 }' jar)
get / >page
is "$status" 200
expect "census-demo" "$(cat page)"

# Another name for this machine: a page elsewhere that points its own name here.
for other in evil.example "evil.example:$port" "127.0.0.1:1" "localhost" "127.0.0.1:$port" "localhost:$port" "$name" "$name:1" \
    "$name.:$port" "x.$name:$port" "${name^^}:$port" "kanon-0000000000000000000.localhost:$port" "$host.evil.example"; do
    is "$(raw -H "Cookie: $cookie" -o body -w '%{http_code}' -H "Host: $other" "$base/")" 421
done
is "$(raw -b jar -o body -w '%{http_code}' -H "Host:" "$base/")" 400
# By another port, as through ssh -L: the line that would work. By another name: what to do.
raw -o body -H "Host: $name:9999" "$base/"
expect "ssh -t -L 9999:127.0.0.1:9999 SERVER kanon serve --port 9999" "$(cat body)"
raw -o body -H "Host: localhost:9999" "$base/"
expect "listens on port $port" "$(cat body)"
raw -o body -H "Host: 127.0.0.1:$port" "$base/"
expect "with --by-address" "$(cat body)"
raw -o body -H 'Host: localhost:<b>1' "$base/"
refuse "<b>" "$(cat body)"

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

# Where the name is not found, 127.0.0.1 can be asked for, and the risk is said.
serve --by-address
is "${host%:*}" 127.0.0.1
expect "do not visit servers of other users" "$(cat serve.out)"
get / >/dev/null
is "$status" 200
is "$(raw -b jar -o body -w '%{http_code}' -H "Host: localhost:${host#*:}" "$base/")" 421
stop

# --open: no argument of a program has the secret; the file is for this user alone, where packaged browsers can
# read it, and is gone after use.
mkdir -p home/Downloads bin
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/opened"\n' "$work" >bin/xdg-open
chmod +x bin/xdg-open
HOME=$work/home PATH=$work/bin:$PATH "$kanon" serve --dir projects --open >open.out 2>open.err </dev/null &
server=$!
for ((i = 0; i < 1200; i++)); do
    [[ -s opened ]] && break
    sleep 0.05
done
file=$(cat opened)
[[ $file == "$work/home/Downloads/kanon-open-"??????.html ]] || fail "the browser was given $file"
is "$(stat -c %a "$file")" 600
link=$(grep -m1 -o 'http://[^ ]*' open.out)
expect "url=$link" "$(cat "$file")"
refuse "token" "$(cat opened)"
is "$(raw -o body -w '%{http_code}' "$link")" 200
[[ ! -e $file ]] || fail "the file that opened the browser is still there"
stop

# One that nobody used is gone with the server; folders of other names are found.
mkdir -p home/.config home/Geladen
echo 'XDG_DOWNLOAD_DIR="$HOME/Geladen"' >home/.config/user-dirs.dirs
rm -f opened
HOME=$work/home PATH=$work/bin:$PATH "$kanon" serve --dir projects --open >open.out 2>open.err </dev/null &
server=$!
for ((i = 0; i < 1200; i++)); do
    [[ -s opened ]] && break
    sleep 0.05
done
[[ $(cat opened) == "$work/home/Geladen/"* ]] || fail "the browser was given $(cat opened)"
stop
is "$(ls home/Geladen home/Downloads)" $'home/Downloads:\n\nhome/Geladen:'

# Enter in the terminal: a new link, and everything before it ends.
rm -f jar typescript
mkfifo keys
script -qfc "'$kanon' serve --dir projects" typescript <keys >/dev/null 2>&1 &
terminal=$!
exec 7>keys
for ((i = 0; i < 1200; i++)); do
    grep -qs '^  http' typescript && break
    sleep 0.05
done
first=$(grep -m1 -o 'http://[^[:space:]]*' typescript)
raw -o body -I "$first" # as a preview of the link does: it is not used up
raw -o body -c jar "$first"
is "$(raw -b jar -o body -w '%{http_code}' "${first%/enter*}/")" 200
printf '\n' >&7
for ((i = 0; i < 1200; i++)); do
    (($(grep -c '^  http' typescript) > 1)) && break
    sleep 0.05
done
second=$(grep -o 'http://[^[:space:]]*' typescript | tail -1)
[[ $second != "$first" ]] || fail "no new link"
is "$(raw -b jar -o body -w '%{http_code}' "${first%/enter*}/")" 421
is "$(raw -H "Cookie: $(awk '/kanon-/ { print $6 "=" $7 }' jar)" -o body -w '%{http_code}' "${second%/enter*}/")" 403
is "$(raw -o body -w '%{http_code}' "$first")" 421
is "$(raw -o body -w '%{http_code}' "$second")" 200
printf 'ip\n' >&7
for ((i = 0; i < 1200; i++)); do
    grep -qs '^  http://127.0.0.1' typescript && break
    sleep 0.05
done
grep -q '^  http://127.0.0.1' typescript || fail "no link to 127.0.0.1"
printf '\003' >&7
wait "$terminal" || true
exec 7>&-
refuse "error" "$(cat serve.err)"
