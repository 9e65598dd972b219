# compare.sh and what it needs; DuckDB, which needs no server, is part of ./run test where its library is.
add_executable(engine_rows rows.c)
if(TARGET kanon AND NOT KANON_NESTED)
    add_test(NAME engine.duckdb_compare
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/duckdb_compare.sh $<TARGET_FILE:kanon>
                     $<TARGET_FILE:engine_rows> $<TARGET_FILE:duckdb-sql> ${PROJECT_SOURCE_DIR})
    add_test(NAME engine.duckdb_walk
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/duckdb_walk.sh $<TARGET_FILE:kanon>
                     $<TARGET_FILE:duckdb-sql>)
    set_tests_properties(engine.duckdb_compare engine.duckdb_walk PROPERTIES SKIP_RETURN_CODE 77
                         TIMEOUT ${test_timeout})
endif()
