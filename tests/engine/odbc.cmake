add_executable(odbc_sql odbc_sql.c)
target_include_directories(odbc_sql PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(odbc_sql PRIVATE kanon_static ${KANON_NEEDS})

# Programs of ./run test once more, on a MariaDB server.
foreach(program unit.odbc property.engine_release)
    if(TARGET ${program})
        string(REGEX REPLACE "^.*\\." "" name ${program})
        add_test(NAME engine.mariadb_${name}
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/mariadb.sh $<TARGET_FILE:${program}>)
        set_tests_properties(engine.mariadb_${name} PROPERTIES LABELS long SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
    endif()
endforeach()
