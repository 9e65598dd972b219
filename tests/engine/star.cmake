add_executable(engine_star star.c)
target_include_directories(engine_star PRIVATE ${PROJECT_SOURCE_DIR}/src
                           ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(engine_star PRIVATE kanon_test_support kanon_static ${KANON_NEEDS}
                      PkgConfig::CMOCKA)
# SQLite is light: ./run test has it. One thread: nothing for the thread sanitizer.
set(engines sqlite postgres clickhouse mariadb)
if(KANON_SANITIZE MATCHES thread)
    set(engines "")
endif()
foreach(engine IN LISTS engines)
    add_test(NAME engine.star_${engine}
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/star.sh ${engine} $<TARGET_FILE:engine_star>)
    set_tests_properties(engine.star_${engine} PROPERTIES SKIP_RETURN_CODE 77
                         TIMEOUT ${test_timeout})
    if(NOT engine STREQUAL sqlite)
        set_tests_properties(engine.star_${engine} PROPERTIES LABELS long)
    endif()
endforeach()
if(TARGET kanon AND NOT KANON_NESTED)
    add_test(NAME engine.postgres_levels
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/postgres_levels.sh $<TARGET_FILE:kanon>
                     $<TARGET_FILE:engine_rows>)
    foreach(engine sqlite mariadb)
        add_test(NAME engine.${engine}_levels
                 COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/odbc_levels.sh ${engine}
                         $<TARGET_FILE:kanon> $<TARGET_FILE:engine_rows> $<TARGET_FILE:odbc_sql>)
    endforeach()
    foreach(engine sqlite postgres mariadb)
        set_tests_properties(engine.${engine}_levels PROPERTIES SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
    endforeach()
    set_tests_properties(engine.postgres_levels engine.mariadb_levels PROPERTIES LABELS long)
endif()
