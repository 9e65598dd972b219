#!/usr/bin/env bash
# Builds the packages of this checkout, `./run package`: five of Debian (packaging/debian), and a tarball
# that works from any folder (packaging/tarball.sh). Both are made of one build, of a copy of the files that
# git knows or could add; the checkout is left as it is.
#
#   package.sh FOLDER      made anew; what is there must be its own
#
# Same commit, same machine: same bytes. Times in the packages are that of the last commit.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
out=$(realpath -m "$1")

for program in dpkg-buildpackage dh lintian; do
    command -v $program >/dev/null || {
        echo "package: $program is not installed; packages are built on Debian, with debhelper, dpkg-dev and lintian" >&2
        exit 1
    }
done

if [[ -n $(ls -A "$out" 2>/dev/null) && ! -e $out/build.log ]]; then
    echo "package: $out is not empty and not of this script; name another folder" >&2
    exit 2
fi

cd "$root"
version=$(sed -nE 's/^project\(kanon VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
work=$out/work
source=$work/kanon-$version
rm -rf "$out"
mkdir -p "$source"
: >"$out/build.log"
if git rev-parse --git-dir >/dev/null 2>&1; then
    : "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
    [[ -z $(git status --porcelain) ]] || echo 'package: with changes that are not committed' >&2
    git ls-files -z --cached --others --exclude-standard
else
    : "${SOURCE_DATE_EPOCH:=$(dpkg-parsechangelog -l "$here/debian/changelog" -S Timestamp)}"
    find . \( -path './build*' -o -path ./.git \) -prune -o -type f -print0
fi >"$work/files"
export SOURCE_DATE_EPOCH
# A file that was removed and not yet committed is in the list.
while IFS= read -r -d '' file; do
    [[ ! -e $file ]] || printf '%s\0' "$file"
done <"$work/files" | LC_ALL=C sort -z >"$work/there"

# Tarballs that depend on names, bytes and modes of files alone.
# shellcheck disable=SC2054 # the commas are tar's
even_tar=(tar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w)
"${even_tar[@]}" --null --no-recursion -T "$work/there" --transform "s,^,kanon-$version/," -cf - |
    gzip -9n >"$work/kanon_$version.orig.tar.gz"
tar -xzf "$work/kanon_$version.orig.tar.gz" -C "$work"
cp -r "$here/debian" "$source/debian"

echo "package: building kanon $version; the log is $out/build.log" >&2
logged() {
    "$@" >>"$out/build.log" 2>&1 || {
        tail -n 40 "$out/build.log" >&2
        echo "package: $1 failed; all that it said is in $out/build.log" >&2
        exit 1
    }
}
cd "$source"
logged dpkg-buildpackage -us -uc -j"$(nproc)"
logged "$here/tarball.sh" "$source" "$source"/obj-* "$work" "${even_tar[@]}"

cd "$work"
# These packages are not meant for Debian's own archive, where a first one closes a bug.
lintian --fail-on error,warning --info --allow-root --suppress-tags initial-upload-closes-no-bugs \
    ./*.changes >&2 || {
    echo 'package: lintian is not content' >&2
    exit 1
}
mv ./*.deb ./*.dsc ./*.orig.tar.gz ./*.debian.tar.* ./*.changes ./*.buildinfo "$out"
mv ./kanon-*-linux-*.tar.gz "$out"
cd "$out"
rm -rf "$work"
sha256sum ./*.deb ./*-linux-*.tar.gz | sed 's, \./, ,' >SHA256SUMS
echo "package: in $out:" >&2
ls -1 ./*.deb ./*-linux-*.tar.gz SHA256SUMS
