# DuckDB and SQLite, which need no server, are part of ./run test.
if(TARGET kanon AND NOT KANON_NESTED)
    foreach(engine duckdb sqlite postgres clickhouse mariadb)
        add_test(NAME engine.apart_${engine}
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/apart.sh ${engine} $<TARGET_FILE:kanon>
                         $<TARGET_FILE:odbc_sql> $<TARGET_FILE:duckdb-sql>)
        set_tests_properties(engine.apart_${engine} PROPERTIES SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
        if(NOT engine MATCHES "duckdb|sqlite")
            set_tests_properties(engine.apart_${engine} PROPERTIES LABELS long)
        endif()
    endforeach()
endif()
