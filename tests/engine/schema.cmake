# A release of several tables in a database. DuckDB, which needs no server, is part of ./run test.
if(TARGET kanon AND NOT KANON_NESTED)
    foreach(engine duckdb postgres)
        add_test(NAME engine.schema_${engine}
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/schema.sh $<TARGET_FILE:kanon> ${engine}
                         $<TARGET_FILE:duckdb-sql>)
        set_tests_properties(engine.schema_${engine} PROPERTIES SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
    endforeach()
    set_tests_properties(engine.schema_postgres PROPERTIES LABELS long)
endif()
