# A program of ./run test once more, on servers of PostgreSQL and ClickHouse.
if(TARGET property.engine_release)
    add_test(NAME engine.releases
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/releases.sh
                     $<TARGET_FILE:property.engine_release>)
    set_tests_properties(engine.releases PROPERTIES LABELS long SKIP_RETURN_CODE 77
                         TIMEOUT ${test_timeout})
endif()
