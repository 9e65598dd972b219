add_executable(odbc_sql odbc_sql.c)
target_include_directories(odbc_sql PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(odbc_sql PRIVATE kanon_static ${KANON_NEEDS})

# Programs of ./run test once more, on a MariaDB server.
foreach(program unit.odbc property.engine_release)
    if(TARGET ${program})
        string(REGEX REPLACE "^.*\\." "" name ${program})
        add_test(NAME engine.mariadb_${name}
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/mariadb.sh $<TARGET_FILE:${program}>)
        set_tests_properties(engine.mariadb_${name} PROPERTIES LABELS long SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
    endif()
endforeach()

if(TARGET kanon AND NOT KANON_NESTED)
    add_test(NAME engine.odbc_other
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/odbc_other.sh $<TARGET_FILE:kanon> ${CMAKE_C_COMPILER})
    set_tests_properties(engine.odbc_other PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
endif()

# The same jobs as on CSV: SQLite, which needs no server, also in ./run test, and more of them in ./run test-all.
if(TARGET kanon AND NOT KANON_NESTED)
    foreach(case "sqlite;12;" "sqlite_long;240;long" "mariadb;210;long")
        list(GET case 0 name)
        list(GET case 1 rounds)
        string(REGEX REPLACE "_.*" "" kind ${name})
        add_test(NAME engine.${name}_compare
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/odbc_compare.sh ${kind} $<TARGET_FILE:kanon>
                         $<TARGET_FILE:engine_rows> $<TARGET_FILE:odbc_sql> ${PROJECT_SOURCE_DIR} ${rounds})
        set_tests_properties(engine.${name}_compare PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
        if(NOT name STREQUAL sqlite)
            set_tests_properties(engine.${name}_compare PROPERTIES LABELS long)
        endif()
    endforeach()
    foreach(kind sqlite mariadb)
        add_test(NAME engine.${kind}_traps
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/odbc_traps.sh ${kind} $<TARGET_FILE:kanon>
                         $<TARGET_FILE:odbc_sql>)
        set_tests_properties(engine.${kind}_traps PROPERTIES LABELS long SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
    endforeach()
endif()
