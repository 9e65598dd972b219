# Test programs of a folder in one program, for the address sanitizer. On arm64 its library looks for
# leaks through the whole address space, which takes four seconds at the end of each process: a hundred
# programs would spend more time on that than on their tests.
#
# Each test_NAME.c is compiled as it is, with its main under another name; the bundle calls all of them,
# or those that its arguments name: `property.all kinds bounds`. One that includes the source of another part,
# to look inside, stays a program of its own: two of them may have the same. `chosen` is set to the others.
function(add_test_bundle name sources chosen) # further objects
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.d)
    set(parts "")
    set(TEST_DECLARATIONS "")
    set(TEST_LINES "")
    set(taken "")
    foreach(source IN LISTS sources)
        file(STRINGS ${source} inside REGEX "^#include \".*\\.c\"" LIMIT_COUNT 1)
        if(inside)
            continue()
        endif()
        list(APPEND taken ${source})
        get_filename_component(stem ${source} NAME_WE)
        string(REGEX REPLACE "^test_(fault_)?" "" test ${stem})
        file(CONFIGURE OUTPUT ${folder}/${stem}.c @ONLY
             CONTENT "#define main main_of_@test@\n#include \"@source@\"\n")
        list(APPEND parts ${folder}/${stem}.c)
        string(APPEND TEST_DECLARATIONS "int main_of_${test}(void);\n")
        string(APPEND TEST_LINES "    {\"${test}\", main_of_${test}},\n")
    endforeach()
    set(${chosen} ${taken} PARENT_SCOPE)
    configure_file(bundle.c.in ${folder}/bundle.c @ONLY)
    add_test_program(${name} "${folder}/bundle.c;${parts};${ARGN}")
    # The longest of all: begun first, so that the others run beside it.
    set_tests_properties(${name} PROPERTIES COST 1000)
endfunction()
