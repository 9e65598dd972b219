if(TARGET kanon AND NOT KANON_NESTED)
    add_test(NAME engine.clickhouse_compare
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/clickhouse_compare.sh $<TARGET_FILE:kanon>
                     $<TARGET_FILE:engine_rows> ${PROJECT_SOURCE_DIR})
    add_test(NAME engine.clickhouse
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/clickhouse.sh $<TARGET_FILE:kanon>)
    set_tests_properties(engine.clickhouse engine.clickhouse_compare PROPERTIES LABELS long RESOURCE_LOCK clickhouse
                         SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
endif()
