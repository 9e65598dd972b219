#!/usr/bin/env bash
# What `cmake --install` puts in place can be used, also where it was not configured for, and after
# it was moved: a program is compiled against it with pkg-config, with the shared and with the static
# library, as C and (the header) as C++, and run; and once more through the CMake package.
#
#   install.sh BUILD-DIRECTORY
set -euo pipefail
build=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# Configured for /usr/local, installed elsewhere, and then moved: nobody is told where it went.
cmake --install "$build" --prefix "$root/first" >/dev/null
mv "$root/first" "$root/usr"
pc=$(find "$root/usr" -name kanon.pc)
[[ -n $pc ]] || {
    echo 'kanon.pc was not installed'
    exit 1
}
# The manual: every page that is linked is there.
html=$root/usr/share/doc/kanon/html
while read -r link; do
    [[ -s $html/$link ]] || {
        echo "the manual leads to $link, which was not installed"
        exit 1
    }
done < <(echo index.html && grep -ohE '(href|src)="[^"#:]+["#]' "$html"/*.html | sed 's/^[a-z]*="//; s/.$//' | sort -u)
# The verifier of its own, with nothing but Python.
if command -v python3 >/dev/null; then
    printf 'town,sex\nBonn,f\nBonn,f\n' >"$root/two.csv"
    for program in recount recount_certificate; do
        python3 "$root/usr/share/kanon/$program.py" --help >/dev/null
    done
    python3 "$root/usr/share/kanon/recount.py" "$root/two.csv" --qi town,sex --k 2 >/dev/null
fi
library_directory=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_SYSROOT_DIR=
flags() {
    pkg-config "$@" kanon
}
stray=$(grep -rlE "$root/first|/usr/local" "$library_directory/pkgconfig" "$library_directory/cmake" || true)
if [[ -n $stray ]]; then
    echo "these name a prefix: $stray"
    exit 1
fi

cat >"$root/use.c" <<'END'
#include <kanon.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const char *const names[] = {"age", "city"};
    const char *const values[] = {"34", "Bonn"};
    kan_run *run = kan_run_create();
    kan_table *table = NULL;
    if (!run || kan_table_create(run, 2, names, &table) != KAN_OK ||
        kan_table_add_row(table, values) != KAN_OK || kan_table_n_rows(table) != 1)
        return 1;
    const kan_command *command = kan_command_find("anonymize");
    if (!command || kan_command_at(0) != command || !kan_command_needs(command, "qi") ||
        !kan_setting_is_for(kan_setting_find("qi"), command->name) ||
        kan_command_at(kan_command_count()))
        return 1;
    kan_table_destroy(table);
    kan_run_destroy(run);
    puts(kan_version());
    return strcmp(kan_version(), KANON_VERSION) != 0;
}
END
cat >"$root/use.cc" <<'END'
#include <kanon.h>
int main() {
    kan_run *run = kan_run_create();
    kan_run_destroy(run);
    return run == nullptr;
}
END

expect_version() { # program
    local said
    said=$("$@")
    if [[ $said != "$(flags --modversion)" ]]; then
        echo "$1 says version '$said', kanon.pc says '$(flags --modversion)'"
        exit 1
    fi
}

strict=(-Wall -Wextra -Wpedantic -Werror)
# shellcheck disable=SC2046 # the flags are words
{
    gcc -std=c17 "${strict[@]}" -o "$root/shared" "$root/use.c" $(flags --cflags --libs)
    export LD_LIBRARY_PATH=$library_directory
    expect_version "$root/shared"
    readelf -d "$root/shared" | grep 'libkanon\.so\.0' >/dev/null || { # -q would end readelf, too
        echo 'the program was not linked with libkanon.so.0'
        exit 1
    }
    unset LD_LIBRARY_PATH
    gcc -std=c17 "${strict[@]}" -o "$root/static" "$root/use.c" $(flags --cflags) \
        "$library_directory/libkanon.a" $(flags --static --libs-only-other) \
        $(pkg-config --libs jansson yaml-0.1 zlib libzstd nettle libzip expat xlsxwriter) \
        -lreadstat -lm -pthread
    expect_version "$root/static"
    for cxx in g++ clang++; do
        if command -v $cxx >/dev/null && echo '#include <cstddef>' | $cxx -x c++ -fsyntax-only - 2>/dev/null; then
            $cxx -std=c++11 "${strict[@]}" -o "$root/cxx" "$root/use.cc" $(flags --cflags --libs)
            LD_LIBRARY_PATH=$library_directory "$root/cxx"
            echo "the header works with $cxx"
        fi
    done
}

# The CMake package: the shared library by default, the static one when it is asked for, and no
# version that this one is not.
mkdir "$root/project"
cat >"$root/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(use C)
find_package(kanon ${WANTED} REQUIRED)
find_package(kanon COMPONENTS static REQUIRED)
add_executable(with_shared ../use.c)
target_link_libraries(with_shared PRIVATE kanon::kanon)
add_executable(with_static ../use.c)
target_link_libraries(with_static PRIVATE kanon::kanon_static)
END
project() { # version
    cmake -S "$root/project" -B "$root/project/build" -DCMAKE_PREFIX_PATH="$root/usr" \
        -DWANTED="$1" 2>&1
}
project "$(flags --modversion)" >/dev/null
cmake --build "$root/project/build" >/dev/null
expect_version "$root/project/build/with_shared"
expect_version "$root/project/build/with_static"
readelf -d "$root/project/build/with_shared" | grep 'libkanon\.so\.0' >/dev/null || {
    echo 'kanon::kanon is not the shared library'
    exit 1
}
if readelf -d "$root/project/build/with_static" | grep 'libkanon\.so' >/dev/null; then
    echo 'kanon::kanon_static is the shared library'
    exit 1
fi
rm -rf "$root/project/build"
if project 99.0 >/dev/null; then
    echo 'find_package(kanon 99.0) found another version'
    exit 1
fi
rm -rf "$root/project/build"
project 0.1 >/dev/null || { # docs/manual/library.md: what an older release had, this one has
    echo 'find_package(kanon 0.1) does not find this version'
    exit 1
}
echo 'the CMake package works'

# Completions, and man pages where the build could make them.
for page in share/bash-completion/completions/kanon share/zsh/site-functions/_kanon; do
    [[ -s $root/usr/$page ]] || {
        echo "$page was not installed"
        exit 1
    }
done
if command -v scdoc >/dev/null; then
    for page in man1/kanon.1 man1/kanon-anonymize.1 man5/kanon-job.5; do
        [[ -s $root/usr/share/man/$page ]] || {
            echo "the man page $page was not installed"
            exit 1
        }
    done
fi

said=$("$root/usr/bin/kanon" --version)
[[ $said == "kanon $(flags --modversion)" ]] || {
    echo "the installed program says '$said'"
    exit 1
}
echo 'library, header, program, kanon.pc and the CMake package work from where they were moved to'
