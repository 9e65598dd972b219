#!/usr/bin/env bash
# A tarball with kanon that works from any folder, on systems with the C library of this one or a later
# one: libkanon is a part of the program, other libraries stand in lib/, where it looks first (DT_RPATH,
# which libraries follow, too, unlike DT_RUNPATH). Their licences are in share/doc/kanon/licenses.
#
#   tarball.sh SOURCE BUILD FOLDER TAR...     SOURCE was built in BUILD; links again and packs with TAR...
set -euo pipefail
source=$1 build=$2 folder=$3
shift 3
version=$(sed -nE 's/^project\(kanon VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
name=kanon-$version-linux-$(uname -m)
tree=$folder/$name

# Objects are taken as they are; only the program is linked once more.
# shellcheck disable=SC2016 # $ORIGIN is for the loader
cmake -S "$source" -B "$build" -DKANON_USE_SHARED=OFF -DKANON_PYTHON_DIR= \
    -DCMAKE_INSTALL_PREFIX=/kanon -DCMAKE_INSTALL_RPATH='$ORIGIN/../lib' \
    -DCMAKE_EXE_LINKER_FLAGS="$(dpkg-buildflags --get LDFLAGS) -Wl,--disable-new-dtags"
cmake --build "$build"
DESTDIR=$folder/all cmake --install "$build" --strip
mkdir -p "$tree/bin" "$tree/lib"
mv "$folder/all/kanon/bin/kanon" "$tree/bin"
mv "$folder/all/kanon/share" "$tree"
rm -rf "$folder/all"

# What the program and its libraries need, all but the C library, which belongs to the system.
licenses=$tree/share/doc/kanon/licenses
mkdir "$licenses"
while read -r library; do
    case ${library##*/} in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux*) continue ;;
    esac
    cp -L "$library" "$tree/lib"
    # dpkg may know it by the folder that /lib is a link to, or by /lib
    real=$(realpath "$library")
    package=$({ dpkg-query -S "$real" || dpkg-query -S "${real#/usr}"; } 2>/dev/null || true)
    [[ -n $package ]] || {
        echo "tarball: $library belongs to no package, so that its licence is not known" >&2
        exit 1
    }
    cp "/usr/share/doc/${package%%:*}/copyright" "$licenses/${package%%:*}"
done < <(ldd "$tree/bin/kanon" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }')

glibc=$(find "$tree/bin" "$tree/lib" -type f -exec objdump -T {} + | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)
cat >"$tree/README.txt" <<END
kanon $version for Linux on $(uname -m), with the C library glibc ${glibc#GLIBC_} or later.

bin/kanon works from where it is; move the folder wherever you like, together with lib/.

    bin/kanon demo
    man share/man/man1/kanon.1
    . share/bash-completion/completions/kanon      (in bash)

The manual begins with share/doc/kanon/html/index.html. Licences: share/doc/kanon.
END
cd "$folder"
"$@" --sort=name -cf - "$name" | gzip -9n >"$name.tar.gz"
