# Statements of --emit sql, run where they are for: SQLite, which needs no server, also in ./run test.
if(TARGET kanon AND NOT KANON_NESTED)
    foreach(case "sqlite;20" "duckdb;3" "postgres;6" "clickhouse;5")
        list(GET case 0 kind)
        list(GET case 1 rounds)
        add_test(NAME engine.${kind}_script
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/script.sh ${kind} $<TARGET_FILE:kanon> ${rounds}
                         $<TARGET_FILE:duckdb-sql>)
        set_tests_properties(engine.${kind}_script PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
    endforeach()
    set_tests_properties(engine.postgres_script engine.duckdb_script PROPERTIES LABELS long)
    set_tests_properties(engine.clickhouse_script PROPERTIES LABELS long RESOURCE_LOCK clickhouse)
endif()
