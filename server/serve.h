/* kanon serve: the whole walk as pages of a browser, for one user on one machine. */
#ifndef KANON_SERVER_SERVE_H
#define KANON_SERVER_SERVE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sv_options {
    const char *folder;       /* of projects; made where it is not there */
    const char *table;        /* a file to begin with; NULL: none */
    bool demo;                /* begin with a built-in table */
    bool opens;               /* opens the browser */
    bool by_address;          /* the link is to 127.0.0.1, not to a name of this run */
    uint16_t port;            /* 0: any that is free */
    uint64_t upload_limit;    /* bytes of one file */
    const char *const *flags; /* of every command, such as --threads 2; NULL behind the last */
    const char *duckdb;    /* DuckDB's library, for all commands; NULL: as the environment says */
    const char *open_with; /* the program that opens links */
} sv_options;

/* Serves until the program is told to stop (SIGINT, SIGTERM). Returns the exit status; what is wrong
 * is printed through `say_error`. */
int sv_serve(const sv_options *options, void (*say_error)(const char *format, ...));

/* Writes the manual as pages of HTML into a folder that is there. False: errno says why. */
bool sv_manual_write(const char *folder);

#endif
