if(TARGET kanon AND NOT KANON_NESTED)
    foreach(engine postgres mariadb sqlite clickhouse)
        add_test(NAME engine.shuffle_${engine}
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/shuffle.sh ${engine} $<TARGET_FILE:kanon>
                         $<TARGET_FILE:odbc_sql>)
    endforeach()
    add_test(NAME engine.shuffle_duckdb
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/shuffle.sh duckdb $<TARGET_FILE:kanon>
                     $<TARGET_FILE:duckdb-sql>)
    foreach(engine postgres mariadb sqlite clickhouse duckdb)
        set_tests_properties(engine.shuffle_${engine} PROPERTIES SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
    endforeach()
    set_tests_properties(engine.shuffle_postgres engine.shuffle_mariadb engine.shuffle_clickhouse
                         PROPERTIES LABELS long)
    set_tests_properties(engine.shuffle_clickhouse PROPERTIES RESOURCE_LOCK clickhouse)
endif()
