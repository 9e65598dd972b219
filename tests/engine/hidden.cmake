if(TARGET kanon AND NOT KANON_NESTED)
    foreach(engine postgres mariadb clickhouse)
        add_test(NAME engine.hidden_${engine}
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/hidden.sh ${engine} $<TARGET_FILE:kanon>
                         $<TARGET_FILE:odbc_sql>)
        set_tests_properties(engine.hidden_${engine} PROPERTIES LABELS long SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
    endforeach()
    set_tests_properties(engine.hidden_clickhouse PROPERTIES RESOURCE_LOCK clickhouse)
endif()
