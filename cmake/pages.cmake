# Man pages, the manual as HTML, and completions: `kanon pages` writes them from its tables and from
# docs/, scdoc makes man pages of them. Without scdoc everything else is built and installed.
find_program(KANON_SCDOC scdoc)
if(NOT KANON_SCDOC)
    message(STATUS "scdoc was not found: no man pages (on Debian: apt install scdoc)")
endif()

set(pages ${CMAKE_BINARY_DIR}/pages)
add_custom_command(
    OUTPUT ${pages}/made
    COMMAND ${CMAKE_COMMAND} -DKANON=$<TARGET_FILE:kanon> -DSCDOC=${KANON_SCDOC} -DPAGES=${pages}
            -P ${PROJECT_SOURCE_DIR}/cmake/make-pages.cmake
    DEPENDS kanon ${PROJECT_SOURCE_DIR}/cmake/make-pages.cmake
    COMMENT "Making man pages, the manual and completions"
    VERBATIM)
add_custom_target(kanon_pages ALL DEPENDS ${pages}/made)

if(KANON_SCDOC)
    install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()
install(DIRECTORY ${pages}/html DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${pages}/completions/kanon
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/completions/_kanon DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
