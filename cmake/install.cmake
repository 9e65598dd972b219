# What is installed beside the program: libraries, headers, the manual, and how others find them: kanon.pc
# for pkg-config, and a CMake package. Neither names the prefix, so that `cmake --install --prefix` and a
# tree that is moved later give files that work.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kanon)
set(KANON_HAS_SHARED FALSE)
if(TARGET kanon_shared)
    set(KANON_HAS_SHARED TRUE)
    set_target_properties(kanon_shared PROPERTIES EXPORT_NAME kanon)
    install(TARGETS kanon_shared EXPORT kanonTargets)
    install(EXPORT kanonTargets NAMESPACE kanon:: DESTINATION ${package_folder})
else()
    file(WRITE ${CMAKE_BINARY_DIR}/kanonTargets.cmake "# no shared library was built\n")
    install(FILES ${CMAKE_BINARY_DIR}/kanonTargets.cmake DESTINATION ${package_folder})
endif()
list(REMOVE_ITEM KANON_INSTALLED kanon_shared)
install(TARGETS ${KANON_INSTALLED})
install(FILES include/kanon.h include/kanon_arrow.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# From LIBDIR/pkgconfig back up to the prefix, for names of any depth such as lib/aarch64-linux-gnu.
string(REGEX REPLACE "[^/]+" ".." KANON_PC_UP "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_file(cmake/kanon.pc.in kanon.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/kanon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/kanonConfig.cmake.in ${CMAKE_BINARY_DIR}/kanonConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
# As docs/manual/library.md has it: while the library has one name, what a release had stays.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kanonConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/kanonConfig.cmake ${CMAKE_BINARY_DIR}/kanonConfigVersion.cmake
        DESTINATION ${package_folder})

# A way in for whoever starts programs by an icon.
install(FILES cmake/kanon.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES web/icon.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
        RENAME kanon.svg)

# For whoever wants to check a release and trusts nothing of kanon's.
install(FILES verify/recount.py verify/recount_certificate.py DESTINATION ${CMAKE_INSTALL_DATADIR}/kanon)

# Lists that rules look into; others of their form can be used in their place.
install(FILES rules/zip3-2000.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/kanon/rules)

# The manual, in folders as they are here, so that its links lead somewhere.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES examples/anonymize_table.c examples/anonymize_frame.py
              examples/train_before_and_after.ipynb examples/sweep_k_and_plot.ipynb
              examples/check_a_release.ipynb
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
