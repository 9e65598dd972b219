# What the manual shows of databases, on servers and with DuckDB's library.
if(TARGET kanon AND NOT KANON_NESTED)
    add_test(NAME engine.manual
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/manual.sh $<TARGET_FILE:kanon> ${PROJECT_SOURCE_DIR})
    set_tests_properties(engine.manual PROPERTIES LABELS long RESOURCE_LOCK clickhouse
                         SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
endif()
