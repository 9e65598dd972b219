# A program of ./run test once more, on servers of PostgreSQL and ClickHouse.
find_test_program(property.engine_release command)
if(command)
    add_test(NAME engine.releases
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/releases.sh ${command})
    set_tests_properties(engine.releases PROPERTIES LABELS long SKIP_RETURN_CODE 77
                         TIMEOUT ${test_timeout})
endif()
