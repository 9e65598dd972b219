/* What we use of DuckDB's C interface, and finding it at run time. There is no header to include:
 * the names are those of the library without duckdb_, the declarations say what we rely on. */
#ifndef KANON_IO_DUCKDB_DUCK_API_H
#define KANON_IO_DUCKDB_DUCK_API_H

#include "core/options.h"
#include "core/text.h"

typedef struct kan_duck_database *kan_duck_database;
typedef struct kan_duck_connection *kan_duck_connection;
typedef struct kan_duck_config *kan_duck_config;
typedef struct kan_duck_prepared *kan_duck_prepared;
typedef struct kan_duck_pending *kan_duck_pending;
typedef struct kan_duck_chunk *kan_duck_chunk;
typedef struct kan_duck_vector *kan_duck_vector;
typedef struct kan_duck_logical *kan_duck_logical;
typedef struct kan_duck_function *kan_duck_function;
typedef struct kan_duck_scalar *kan_duck_scalar;
typedef struct kan_duck_appender *kan_duck_appender;
typedef void *kan_duck_info;

/* Handed over by value, so its size counts; the first five members are the library's past. */
typedef struct kan_duck_result {
    uint64_t past[3];
    void *past_columns;
    char *past_error;
    void *internal;
} kan_duck_result;

/* A text in a vector: up to 12 bytes stand in it, more stand elsewhere. */
typedef union kan_duck_string {
    struct {
        uint32_t size;
        char bytes[12];
    } inlined;
    struct {
        uint32_t size;
        char prefix[4];
        const char *bytes;
    } outside;
} kan_duck_string;
static_assert(sizeof(kan_duck_string) == 16, "as the library has it");

static inline kan_slice kan_duck_string_slice(const kan_duck_string *string) {
    const uint32_t size = string->inlined.size;
    return (kan_slice){
        size <= sizeof string->inlined.bytes ? string->inlined.bytes : string->outside.bytes, size};
}

/* States of a call and of a pending result. */
enum { KAN_DUCK_OK = 0 };
enum { KAN_DUCK_READY = 0, KAN_DUCK_NOT_READY = 1, KAN_DUCK_ERROR = 2, KAN_DUCK_NO_TASK = 3 };

typedef void (*kan_duck_callback)(kan_duck_info);
typedef void (*kan_duck_fill)(kan_duck_info, kan_duck_chunk);
typedef void (*kan_duck_apply)(kan_duck_info, kan_duck_chunk, kan_duck_vector);

#define KAN_DUCK_CALLS(CALL)                                                                       \
    CALL(const char *, library_version, (void))                                                    \
    CALL(int, create_config, (kan_duck_config *))                                                  \
    CALL(int, set_config, (kan_duck_config, const char *, const char *))                           \
    CALL(void, destroy_config, (kan_duck_config *))                                                \
    CALL(int, open_ext, (const char *, kan_duck_database *, kan_duck_config, char **))             \
    CALL(void, close, (kan_duck_database *))                                                       \
    CALL(void, free, (void *))                                                                     \
    CALL(int, connect, (kan_duck_database, kan_duck_connection *))                                 \
    CALL(void, disconnect, (kan_duck_connection *))                                                \
    CALL(void, interrupt, (kan_duck_connection))                                                   \
    CALL(int, query, (kan_duck_connection, const char *, kan_duck_result *))                       \
    CALL(const char *, result_error, (kan_duck_result *))                                          \
    CALL(void, destroy_result, (kan_duck_result *))                                                \
    CALL(int, prepare, (kan_duck_connection, const char *, kan_duck_prepared *))                   \
    CALL(const char *, prepare_error, (kan_duck_prepared))                                         \
    CALL(void, destroy_prepare, (kan_duck_prepared *))                                             \
    CALL(int, pending_prepared_streaming, (kan_duck_prepared, kan_duck_pending *))                 \
    CALL(int, pending_execute_task, (kan_duck_pending))                                            \
    CALL(const char *, pending_error, (kan_duck_pending))                                          \
    CALL(int, execute_pending, (kan_duck_pending, kan_duck_result *))                              \
    CALL(void, destroy_pending, (kan_duck_pending *))                                              \
    CALL(int, appender_create_ext,                                                                 \
         (kan_duck_connection, const char *, const char *, const char *, kan_duck_appender *))     \
    CALL(const char *, appender_error, (kan_duck_appender))                                        \
    CALL(int, append_varchar_length, (kan_duck_appender, const char *, uint64_t))                  \
    CALL(int, append_null, (kan_duck_appender))                                                    \
    CALL(int, appender_end_row, (kan_duck_appender))                                               \
    CALL(int, appender_close, (kan_duck_appender))                                                 \
    CALL(int, appender_destroy, (kan_duck_appender *))                                             \
    CALL(kan_duck_chunk, fetch_chunk, (kan_duck_result))                                           \
    CALL(uint64_t, data_chunk_get_size, (kan_duck_chunk))                                          \
    CALL(void, data_chunk_set_size, (kan_duck_chunk, uint64_t))                                    \
    CALL(kan_duck_vector, data_chunk_get_vector, (kan_duck_chunk, uint64_t))                       \
    CALL(void, destroy_data_chunk, (kan_duck_chunk *))                                             \
    CALL(uint64_t, vector_size, (void))                                                            \
    CALL(void *, vector_get_data, (kan_duck_vector))                                               \
    CALL(uint64_t *, vector_get_validity, (kan_duck_vector))                                       \
    CALL(void, vector_ensure_validity_writable, (kan_duck_vector))                                 \
    CALL(kan_duck_logical, create_logical_type, (int))                                             \
    CALL(kan_duck_logical, create_decimal_type, (uint8_t, uint8_t))                                \
    CALL(kan_duck_logical, create_enum_type, (const char **, uint64_t))                            \
    CALL(int, enum_internal_type, (kan_duck_logical))                                              \
    CALL(void, destroy_logical_type, (kan_duck_logical *))                                         \
    CALL(kan_duck_scalar, create_scalar_function, (void))                                          \
    CALL(void, destroy_scalar_function, (kan_duck_scalar *))                                       \
    CALL(void, scalar_function_set_name, (kan_duck_scalar, const char *))                          \
    CALL(void, scalar_function_add_parameter, (kan_duck_scalar, kan_duck_logical))                 \
    CALL(void, scalar_function_set_return_type, (kan_duck_scalar, kan_duck_logical))               \
    CALL(void, scalar_function_set_special_handling, (kan_duck_scalar))                            \
    CALL(void, scalar_function_set_function, (kan_duck_scalar, kan_duck_apply))                    \
    CALL(void, scalar_function_set_error, (kan_duck_info, const char *))                           \
    CALL(int, register_scalar_function, (kan_duck_connection, kan_duck_scalar))                    \
    CALL(kan_duck_function, create_table_function, (void))                                         \
    CALL(void, destroy_table_function, (kan_duck_function *))                                      \
    CALL(void, table_function_set_name, (kan_duck_function, const char *))                         \
    CALL(void, table_function_set_bind, (kan_duck_function, kan_duck_callback))                    \
    CALL(void, table_function_set_init, (kan_duck_function, kan_duck_callback))                    \
    CALL(void, table_function_set_function, (kan_duck_function, kan_duck_fill))                    \
    CALL(int, register_table_function, (kan_duck_connection, kan_duck_function))                   \
    CALL(void, bind_add_result_column, (kan_duck_info, const char *, kan_duck_logical))            \
    CALL(void, function_set_error, (kan_duck_info, const char *))

typedef struct kan_duck_api {
    void *library;
#define KAN_DUCK_MEMBER(result, name, arguments) result(*name) arguments;
    KAN_DUCK_CALLS(KAN_DUCK_MEMBER)
#undef KAN_DUCK_MEMBER
} kan_duck_api;

/* --duckdb PATH, for the kinds of this room. */
enum { KAN_DUCK_N_OPTIONS = 1 };
extern const kan_option_spec kan_duck_options[KAN_DUCK_N_OPTIONS];

/* kan_sink_kind.missing: whether the library is where the loader looks for it, without loading it. */
const char *kan_duck_missing(void);

/* Loads the library. KAN_BAD_INPUT says what to install or to name, or what is wrong with the one
 * that was found; `file` is what it is needed for, `what` its format. `given` may be NULL. The
 * library stays loaded until the program ends. */
KAN_MUST_USE kan_status kan_duck_load(kan_run *run, const char *file, const char *what,
                                      const kan_options *given, kan_duck_api *out);

#endif
