add_executable(odbc_sql odbc_sql.c)
target_include_directories(odbc_sql PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(odbc_sql PRIVATE kanon_static ${KANON_NEEDS})
if(TARGET unit.odbc)
    add_test(NAME engine.mariadb_transport
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/mariadb_transport.sh $<TARGET_FILE:unit.odbc>)
    set_tests_properties(engine.mariadb_transport PROPERTIES LABELS long SKIP_RETURN_CODE 77
                         TIMEOUT ${test_timeout})
endif()
