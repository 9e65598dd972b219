add_executable(postgres_transport postgres_transport.c)
target_include_directories(postgres_transport PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(postgres_transport PRIVATE kanon_static ${KANON_NEEDS} PkgConfig::CMOCKA)
add_test(NAME engine.postgres_transport
         COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/postgres_transport.sh
                 $<TARGET_FILE:postgres_transport>)
set_tests_properties(engine.postgres_transport PROPERTIES LABELS long SKIP_RETURN_CODE 77
                     TIMEOUT ${test_timeout})

# Hundreds of commands each: too slow with a sanitizer, where the transport alone is tried.
if(TARGET kanon AND NOT KANON_NESTED)
    foreach(name postgres postgres_failures postgres_names tables)
        add_test(NAME engine.${name}
                 COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${name}.sh $<TARGET_FILE:kanon>
                         ${PROJECT_SOURCE_DIR})
        set_tests_properties(engine.${name} PROPERTIES LABELS long SKIP_RETURN_CODE 77
                             TIMEOUT ${test_timeout})
    endforeach()
endif()
