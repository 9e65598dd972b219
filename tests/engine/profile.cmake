# DuckDB, which needs no server, is part of ./run test.
if(TARGET kanon AND NOT KANON_NESTED)
    foreach(engine duckdb postgres mariadb clickhouse)
        add_test(NAME engine.profile_${engine}
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/profile.sh ${engine} $<TARGET_FILE:kanon>
                         $<TARGET_FILE:odbc_sql> $<TARGET_FILE:duckdb-sql>)
        set_tests_properties(engine.profile_${engine} PROPERTIES SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
        if(NOT engine STREQUAL "duckdb")
            set_tests_properties(engine.profile_${engine} PROPERTIES LABELS long)
        endif()
    endforeach()
endif()
