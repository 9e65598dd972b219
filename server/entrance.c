#include "entrance.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK = 192 };

/* ---- the link -------------------------------------------------------------------------------- */

/* With the gate's lock. */
static void make_link(const sv_gate *gate, char out[LINK]) {
    snprintf(out, LINK, "http://%s:%u/enter?token=%s", gate->host, (unsigned)gate->port,
             gate->link);
}

static bool is_address(const sv_gate *gate) {
    return strcmp(gate->host, "127.0.0.1") == 0;
}

void sv_entrance_print(sv_daemon *server) {
    char link[LINK];
    pthread_mutex_lock(&server->gate_lock);
    make_link(&server->gate, link);
    const bool is_risky = is_address(&server->gate);
    server->has_told = false;
    pthread_mutex_unlock(&server->gate_lock);
    printf("  %s\n", link);
    if (is_risky)
        printf("\n"
               "Browsers send the cookie of 127.0.0.1 to all of its ports: in the meantime, do not "
               "visit servers of other users of this machine.\n");
    fflush(stdout);
}

void sv_entrance_tell_used(sv_daemon *server) {
    pthread_mutex_lock(&server->gate_lock);
    const bool has_told = server->has_told;
    server->has_told = true;
    pthread_mutex_unlock(&server->gate_lock);
    if (has_told)
        return;
    printf("\n"
           "The link was opened again, in a browser that has not been let in: somebody has already "
           "used it.\n"
           "If that was not you, %s.\n",
           isatty(0) ? "press Enter: a new link is made, and all others end"
                     : "stop the server, and start it again");
    fflush(stdout);
}

/* ---- a file for the browser ------------------------------------------------------------------ */

static bool is_usable(const char *folder) {
    struct stat seen;
    return stat(folder, &seen) == 0 && S_ISDIR(seen.st_mode) && access(folder, W_OK | X_OK) == 0;
}

/* XDG_DOWNLOAD_DIR="$HOME/Downloads", as desktops write it down. */
static bool find_downloads(const char *home, sv_text *out) {
    sv_text path = {0};
    char line[1024];
    sv_print(&path, "%s/.config/user-dirs.dirs", home);
    FILE *file = path.failed ? NULL : fopen(path.bytes, "re");
    sv_text_free(&path);
    while (file && fgets(line, sizeof line, file)) {
        static const char key[] = "XDG_DOWNLOAD_DIR=\"";
        char *value = strncmp(line, key, sizeof key - 1) == 0 ? line + sizeof key - 1 : NULL;
        char *end = value ? strchr(value, '"') : NULL;
        if (!end)
            continue;
        *end = '\0';
        out->size = 0;
        if (strncmp(value, "$HOME/", 6) == 0)
            sv_print(out, "%s/%s", home, value + 6);
        else if (value[0] == '/')
            sv_raw(out, value);
    }
    if (file)
        fclose(file);
    if (out->size == 0)
        sv_print(out, "%s/Downloads", home);
    return !out->failed && is_usable(out->bytes);
}

/* Browsers that come as packages of their own (snap, flatpak) see neither /tmp nor hidden folders; that
 * of downloads they do. */
static bool choose_folder(sv_text *out) {
    const char *home = getenv("HOME");
    if (!home || home[0] != '/')
        return false;
    if (find_downloads(home, out))
        return true;
    out->size = 0;
    sv_raw(out, home);
    return !out->failed && is_usable(out->bytes);
}

static char *make_file(sv_daemon *server) {
    char link[LINK];
    sv_text path = {0}, page = {0};
    bool is_good = choose_folder(&path);
    pthread_mutex_lock(&server->gate_lock);
    make_link(&server->gate, link);
    pthread_mutex_unlock(&server->gate_lock);
    sv_raw(&path, "/kanon-open-XXXXXX.html");
    sv_html(&page,
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>kanon</title><meta "
            "name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0; "
            "url=%s\"><p><a href=\"%s\">Continue to kanon</a></p></html>\n",
            link, link);
    is_good = is_good && !path.failed && !page.failed;
    const int file = is_good ? mkostemps(path.bytes, 5, O_CLOEXEC) : -1; /* mode 0600 */
    if (file >= 0) {
        is_good = write(file, page.bytes, page.size) == (ssize_t)page.size;
        is_good = close(file) == 0 && is_good;
        if (!is_good)
            (void)unlink(path.bytes);
    }
    sv_text_free(&page);
    if (file >= 0 && is_good)
        return path.bytes;
    sv_text_free(&path);
    return NULL;
}

void sv_entrance_close(sv_daemon *server) {
    pthread_mutex_lock(&server->gate_lock);
    char *opened = server->opened;
    server->opened = NULL;
    pthread_mutex_unlock(&server->gate_lock);
    if (opened)
        (void)unlink(opened);
    free(opened);
}

void sv_entrance_open(sv_daemon *server, const char *program, sv_say error) {
    char *path = make_file(server);
    if (!path) {
        error(
            "no file for the browser could be created in your home folder; open the link yourself");
        return;
    }
    pthread_mutex_lock(&server->gate_lock);
    server->opened = path;
    pthread_mutex_unlock(&server->gate_lock);
    const pid_t child = fork();
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
        (void)setsid();
        execlp(program, program, path, (char *)NULL);
        _exit(127);
    }
    if (child < 0)
        error("%s could not be started: %s; open the link yourself", program, strerror(errno));
}

/* ---- the terminal ---------------------------------------------------------------------------- */

static void renew(sv_daemon *server, bool by_address) {
    pthread_mutex_lock(&server->gate_lock);
    by_address = by_address || is_address(&server->gate); /* as it was asked for before */
    const bool is_good = sv_gate_renew(&server->gate, by_address);
    pthread_mutex_unlock(&server->gate_lock);
    sv_entrance_close(server);
    if (!is_good)
        return;
    printf(
        "this link works once; all others have ended, and browsers that used them are shut out:\n"
        "\n");
    sv_entrance_print(server);
    if (!by_address)
        printf("\n"
               "(type ip and press Enter for a link to 127.0.0.1, if the browser does not find "
               "this name)\n");
    fflush(stdout);
}

void sv_entrance_wait(sv_daemon *server, int signals) {
    struct pollfd wait[2] = {{.fd = signals, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    const bool has_terminal = isatty(0);
    for (;;) {
        char room[256];
        if (poll(wait, has_terminal ? 2 : 1, -1) < 0) {
            if (errno == EINTR)
                continue;
            return;
        }
        if (wait[0].revents) {
            struct signalfd_siginfo got;
            if (read(signals, &got, sizeof got) == (ssize_t)sizeof got && got.ssi_signo != SIGCHLD)
                return;
            continue;
        }
        if (wait[1].revents) {
            const ssize_t n = read(0, room, sizeof room);
            if (n <= 0) {
                wait[1].fd = -1; /* the terminal is gone: go on without it */
                continue;
            }
            renew(server, n >= 3 && strncmp(room, "ip\n", 3) == 0);
        }
    }
}
