if(TARGET kanon AND NOT KANON_NESTED)
    add_test(NAME engine.order COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/order.sh $<TARGET_FILE:kanon>)
    set_tests_properties(engine.order PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout} LABELS long)
endif()
