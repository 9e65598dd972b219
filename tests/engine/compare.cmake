# compare.sh and what it needs; engines add NAME_compare tests of their own.
add_executable(engine_rows rows.c)
