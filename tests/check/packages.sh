#!/usr/bin/env bash
# The packages of `./run package` work where nothing of kanon was before: a new root with the smallest
# Debian. The tarball is tried first, when not even the libraries are there, in a folder with an odd name.
# Then the packages are installed: the demo, a job in Python, a C program by pkg-config, man pages. When they
# are removed, no file of theirs is left. That of R, which would bring half a desktop along, is tried with the R
# of this system.
#
#   packages.sh ROOT FOLDER            builds them in FOLDER
#   packages.sh ROOT FOLDER --built    takes those that are there
#
# Exit status 77 (skipped) without the tools, without root, and where no mirror of Debian can be reached.
set -euo pipefail
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
root=$1 folder=$2

skip() {
    echo "skipped: $1"
    exit 77
}
for program in dpkg-buildpackage dh lintian dh_python3 mmdebstrap; do
    command -v $program >/dev/null ||
        skip "there is no $program (apt-get install dpkg-dev debhelper lintian dh-python mmdebstrap)"
done
missing=$(dpkg-checkbuilddeps "$root/packaging/debian/control" 2>&1) || skip "$missing"

[[ ${3:-} == --built ]] || "$root/packaging/package.sh" "$folder"
version=$(sed -nE 's/^project\(kanon VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")
tarball=$(echo "$folder"/kanon-"$version"-linux-*.tar.gz)
packages=("$folder"/*.deb)
[[ ${#packages[@]} == 5 ]] || {
    echo "there are ${#packages[@]} packages instead of 5"
    exit 1
}

scratch=$(mktemp -d)
clean_up() {
    mountpoint -q "$scratch/root/proc" && umount "$scratch/root/proc"
    rm -rf --one-file-system "$scratch"
}
trap clean_up EXIT
chmod 755 "$scratch"

# Unpacks the tarball in a folder that it makes, and prints the name of what is there.
unpack() { # folder
    mkdir -p "$1"
    tar -xzf "$tarball" -C "$1"
    basename "$tarball" .tar.gz
}
odd='a folder, and ümlauts'
name=$(unpack "$scratch/$odd")
"$scratch/$odd/$name/bin/kanon" demo >/dev/null
echo 'the tarball works here, in a folder with blanks'
dpkg-deb -x "$(echo "$folder"/r-cran-kanon_*.deb)" "$scratch/r"
dpkg-deb -x "$(echo "$folder"/libkanon0_*.deb)" "$scratch/r"
LD_LIBRARY_PATH=$(dirname "$(find "$scratch/r" -name libkanon.so.0)") R_LIBS=$scratch/r/usr/lib/R/site-library \
    Rscript - "$version" <<'R'
stopifnot(as.character(packageVersion("kanon")) == commandArgs(TRUE)[1])
people <- data.frame(age = c(31, 34, 38, 52, 55, 57), city = factor("Bonn"))
release <- suppressMessages(kanon::anonymize(people, qi = c(age = "intervals:10,100", city = "suppress"), k = 3))
stopifnot(release$table$age[1] == "30-39", kanon::verify(release, qi = c("age", "city"), k = 3)$holds)
stopifnot(length(help("anonymize", package = "kanon")) == 1)
R
echo 'the R package works here'
((EUID == 0)) || skip 'a new root needs the rights of root; only the tarball was tried'

# shellcheck disable=SC1091 # the system's
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# The mirrors of this system, as lines of its sources; proxies stay those of this system, too.
# shellcheck disable=SC2016 # the dollars are apt's
mapfile -t mirrors < <(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="$suite" '$3 == "main" && ($2 == suite || index($2, suite "-") == 1) { print "deb", $1, $2, $3 }' | sort -u)
mapfile -t proxies < <(apt-config dump --no-empty --format '%f "%v";%n' | grep -E '^Acquire::https?::Proxy' || true)
((${#mirrors[@]} > 0)) || skip "apt has no lists of packages of Debian '$suite' (apt-get update)"
read -r _ site release _ <<<"${mirrors[0]}"
/usr/lib/apt/apt-helper download-file "${site%/}/dists/$release/InRelease" "$scratch/InRelease" >/dev/null 2>&1 ||
    skip "the mirror $site cannot be reached; only the tarball was tried"
if ! mmdebstrap --mode=root --variant=minbase --skip=cleanup/apt/lists "${proxies[@]/#/--aptopt=}" \
    "$suite" "$scratch/root" "${mirrors[@]}" >"$scratch/log" 2>&1; then
    tail -n 5 "$scratch/log"
    skip 'mmdebstrap could not make a new root; only the tarball was tried'
fi
mount -t proc proc "$scratch/root/proc" 2>/dev/null || true # not allowed in some containers
inside() {
    chroot "$scratch/root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
}

name=$(unpack "$scratch/root/opt/$odd")
[[ $(inside "/opt/$odd/$name/bin/kanon" --version) == "kanon $version" ]]
inside "/opt/$odd/$name/bin/kanon" demo >/dev/null
rm -rf "$scratch/root/opt/$odd"
echo 'the tarball works in the smallest Debian'

mkdir "$scratch/root/packages"
cp "${packages[@]}" "$scratch/root/packages"
wanted=()
for package in "${packages[@]}"; do
    [[ $package != */r-cran-* ]] || continue
    wanted+=("/packages/$(basename "$package")")
done
install=(apt-get install -y --no-install-recommends "${wanted[@]}" gcc libc6-dev man-db pkg-config)
inside "${install[@]}" --simulate >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    echo 'the packages cannot be installed'
    exit 1
}
inside "${install[@]}" --download-only >"$scratch/log" 2>&1 || {
    tail -n 5 "$scratch/log"
    skip 'what the packages need could not be fetched; only the tarball was tried'
}
inside "${install[@]}" >"$scratch/log" 2>&1 || {
    tail -n 40 "$scratch/log"
    echo 'the packages could not be installed'
    exit 1
}
names=(kanon libkanon0 libkanon-dev python3-kanon)
inside dpkg-query -L "${names[@]}" | grep -E '^/[^.]' | sort -u >"$scratch/files"

cat >"$scratch/root/use.sh" <<'END'
set -euo pipefail
trap 'echo "failed: $BASH_COMMAND"' ERR
cd "$(mktemp -d)"
version=$1
[[ $(kanon --version) == "kanon $version" ]]
kanon demo >/dev/null
for page in 'kanon' 'kanon-anonymize' '5 kanon-job'; do
    man -w $page >/dev/null
done
for file in index.html style.css result.schema.json pictures-table.webp; do
    test -s /usr/share/doc/kanon/html/$file
done
test -s /usr/share/bash-completion/completions/kanon
test -s /usr/share/zsh/vendor-completions/_kanon
python3 - "$version" <<'PYTHON'
import importlib.metadata, sys
import kanon

assert kanon.__version__ == importlib.metadata.version("kanon") == sys.argv[1]
table = {"age": [31, 34, 38, 52, 55, 57], "city": ["Bonn"] * 6}
release = kanon.anonymize(table, qi={"age": "intervals:10,100", "city": "suppress"}, k=3)
assert release.table["age"][0] == "30-39", release.table
assert kanon.verify(release.table, qi=["age", "city"], k=3).holds
PYTHON
[[ $(pkg-config --modversion kanon) == "$version" ]]
gcc -Wall -Werror -o use /usr/share/doc/kanon/examples/anonymize_table.c $(pkg-config --cflags --libs kanon)
[[ $(ldd ./use) == *'libkanon.so.0 => /'* ]]
./use >/dev/null
END
inside bash /use.sh "$version" || {
    echo 'what was installed does not work'
    exit 1
}
echo 'the packages work: program, library, Python, man pages'

inside apt-get remove -y "${names[@]}" >"$scratch/log" 2>&1 || {
    tail -n 40 "$scratch/log"
    echo 'the packages could not be removed'
    exit 1
}
# A folder may be another package's, too; a file with their name is nobody else's.
left=$({
    while read -r path; do
        [[ ! -e $scratch/root/$path && ! -L $scratch/root/$path ]] || inside dpkg-query -S "$path" >/dev/null 2>&1 || echo "$path"
    done <"$scratch/files"
    cd "$scratch/root"
    find . -xdev \( -path ./packages -o -path ./proc -o -path ./var/log -o -path ./tmp \) -prune -o -name '*kanon*' -print
} | sed 's,^\.,,' | sort -u)
if [[ -n $left ]]; then
    echo 'left when the packages were removed:'
    echo "$left"
    exit 1
fi
echo 'nothing is left when they are removed'
