# Files as arrays of bytes in one C file:
#
#   cmake -D ROOT=. -D FILES=web/*|docs/*.md -D HEADER=x.h -D TABLE=names -D OUT=made.c -P embed.cmake
#
# TABLE is an array of structs that HEADER declares: name, type, bytes, size, with a NUL behind the bytes. A
# name is the path from ROOT/STRIP on.
set(types_css "text/css; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_svg "image/svg+xml")
set(types_webp "image/webp")
foreach(ending md json py R)
    set(types_${ending} "text/plain; charset=utf-8")
endforeach()

string(REPLACE "|" ";" patterns "${FILES}")
set(files "")
foreach(pattern IN LISTS patterns)
    file(GLOB found RELATIVE ${ROOT} ${ROOT}/${pattern})
    list(SORT found)
    list(APPEND files ${found})
endforeach()
list(REMOVE_DUPLICATES files)
set(arrays "")
set(lines "")
set(i 0)
foreach(file IN LISTS files)
    get_filename_component(ending ${file} LAST_EXT)
    string(SUBSTRING ${ending} 1 -1 ending)
    if(NOT DEFINED types_${ending})
        message(FATAL_ERROR "${file}: nobody said what type it has")
    endif()
    file(RELATIVE_PATH name ${ROOT}/${STRIP} ${ROOT}/${file})
    file(READ ${ROOT}/${file} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)"
           "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const unsigned char file_${i}[] = {\n${bytes}0x00};\n")
    string(APPEND lines "    {\"${name}\", \"${types_${ending}}\", file_${i}, sizeof file_${i} - 1},\n")
    math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"\n\n${arrays}\nconst ${TABLE}[] = {\n${lines}    {0, 0, 0, 0}};\n")
