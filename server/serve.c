#include "serve.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "entrance.h"
#include "server/projects/projects.h"
#include "server_inside.h"

/* Of the connections some are kept for those who may come in (visitors.c). */
enum { MOST_CONNECTIONS = 2000, IDLE_SECONDS = 30, CONNECTION_ROOM = 128 << 10 };

typedef sv_say say;

/* ---- the folder of projects ------------------------------------------------------------------ */

static bool begins(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

/* What a server that was killed left half, here and in the folders of projects. */
static void clean(const char *folder, unsigned depth) {
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        const char *name = entry->d_name;
        sv_text path = {0};
        sv_print(&path, "%s/%s", folder, name);
        if (path.failed)
            continue;
        if (begins(name, ".incoming-") || begins(name, ".new-") || begins(name, ".gone-") ||
            begins(name, ".part-"))
            (void)sv_folder_remove(path.bytes);
        else if (name[0] != '.' && depth > 0 && entry->d_type == DT_DIR)
            clean(path.bytes, depth - 1);
        sv_text_free(&path);
    }
    if (list)
        closedir(list);
}

/* The folder, absolute; made where it is not there, and held against a second server. */
static char *open_folder(const char *path, int *lock, say error) {
    sv_text lock_path = {0};
    if (!sv_folder_make(path) && access(path, F_OK) != 0) {
        error("--dir %s: %s", path, strerror(errno));
        return NULL;
    }
    char *folder = realpath(path, NULL);
    if (!folder) {
        error("--dir %s: %s", path, strerror(errno));
        return NULL;
    }
    sv_print(&lock_path, "%s/.lock", folder);
    *lock = lock_path.failed
                ? -1
                : open(lock_path.bytes, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    sv_text_free(&lock_path);
    if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) == 0) {
        clean(folder, 2);
        return folder;
    }
    if (*lock >= 0 && errno == EWOULDBLOCK)
        error("--dir %s: another kanon serve is running in this folder; stop it, or name another "
              "folder",
              path);
    else
        error("--dir %s: cannot be written: %s", path, strerror(errno));
    free(folder);
    return NULL;
}

/* ---- DuckDB's library ------------------------------------------------------------------------ */

/* Commands find it in the environment, by its whole path: they run in the folders of projects, and a
 * file of that name which lies in one must not be taken for it. */
static bool hand_on_library(const char *flag, say error) {
    const char *given = flag ? flag : getenv("KANON_DUCKDB");
    char *whole = given && *given ? realpath(given, NULL) : NULL, *here = NULL;
    sv_text path = {0};
    bool is_good = true;
    if (flag && !whole) {
        error("--duckdb %s: %s", flag, strerror(errno));
        return false;
    }
    if (whole)
        sv_raw(&path, whole);
    else if (given && *given && *given != '/' && (here = getcwd(NULL, 0)))
        sv_print(&path, "%s/%s", here, given);
    if (path.size)
        is_good = !path.failed && setenv("KANON_DUCKDB", path.bytes, 1) == 0;
    if (!is_good)
        error("out of memory");
    free(whole);
    free(here);
    sv_text_free(&path);
    return is_good;
}

/* ---- the socket ------------------------------------------------------------------------------ */

static int listen_on(uint16_t *port, say error) {
    const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (socket_ < 0 || (*port && setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on)) ||
        bind(socket_, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(socket_, SOMAXCONN) != 0 ||
        getsockname(socket_, (struct sockaddr *)&address, &size) != 0) {
        error("port %u of 127.0.0.1: %s; try another --port, or none", (unsigned)*port,
              strerror(errno));
        if (socket_ >= 0)
            close(socket_);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return socket_;
}

/* Many tabs and streams need many files. */
static void raise_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 4096) {
        limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void stay_silent(void *user, const char *format, va_list arguments) {
    (void)user, (void)format, (void)arguments;
}

/* With poll: by epoll the library misses the end of a line that came together with half a request. */
static bool start(sv_daemon *server, int listener) {
    server->daemon = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        sv_exchange_answer, server, MHD_OPTION_EXTERNAL_LOGGER, stay_silent, NULL,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_ROOM, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED,
        sv_exchange_end, server, MHD_OPTION_NOTIFY_CONNECTION, sv_visitor_change, server,
        MHD_OPTION_END);
    return server->daemon != NULL;
}

/* ---- all together ---------------------------------------------------------------------------- */

static bool first_project(sv_daemon *server, const sv_options *options, const char *program,
                          say error) {
    sv_text why = {0}, page = {0};
    char *name = NULL;
    bool is_good = true;
    if (options->table)
        is_good = sv_first_of_file(&server->shared, options->table, &name, &why);
    else if (options->demo)
        is_good = sv_first_of_demo(&server->shared, program, &name, &why);
    if (!is_good)
        error("%s", why.bytes && !why.failed ? why.bytes : "out of memory");
    if (is_good && name)
        sv_print(&page, "/p/%s/table", name);
    else
        sv_raw(&page, "/");
    free(name);
    sv_text_free(&why);
    server->start = page.bytes;
    return is_good && !page.failed;
}

static int serve_on(sv_daemon *server, const sv_options *options, int listener, int signals,
                    say error) {
    if (!start(server, listener)) {
        error("the server could not be started");
        return 1;
    }
    printf("projects are in %s\nopen this link in a browser on this machine; it works once:\n\n",
           server->shared.folder);
    sv_entrance_print(server);
    printf("\n%sCtrl-C stops the server.\n",
           isatty(0) ? "Enter makes a new link and ends all others, " : "");
    fflush(stdout);
    if (options->opens)
        sv_entrance_open(server, options->open_with, error);
    sv_entrance_wait(server, signals);
    sv_entrance_close(server);
    printf("stopping\n");
    fflush(stdout);
    sv_tasks_end(server->shared.tasks);
    MHD_stop_daemon(server->daemon);
    return 0;
}

int sv_serve(const sv_options *options, say error) {
    sv_daemon server = {.upload_limit = options->upload_limit};
    char program[PATH_MAX];
    int lock = -1, listener = -1, signals = -1, status = 1;
    uint16_t port = options->port;
    sigset_t caught;
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0) {
        error("the program cannot find its own file: %s", strerror(errno));
        return 1;
    }
    program[n] = '\0';
    if (!hand_on_library(options->duckdb, error))
        return 2;
    sigemptyset(&caught);
    sigaddset(&caught, SIGINT);
    sigaddset(&caught, SIGTERM);
    sigaddset(&caught, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &caught, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of the write */
    raise_limit();
    pthread_mutex_init(&server.gate_lock, NULL);
    signals = signalfd(-1, &caught, SFD_CLOEXEC);
    server.shared.folder = open_folder(options->folder, &lock, error);
    if (server.shared.folder && first_project(&server, options, program, error))
        listener = listen_on(&port, error);
    else
        status = 2;
    if (listener >= 0 && signals >= 0 && sv_gate_begin(&server.gate, port, options->by_address) &&
        (server.shared.tasks = sv_tasks_create(program, options->flags)))
        status = serve_on(&server, options, listener, signals, error);
    if (server.shared.tasks)
        sv_tasks_destroy(server.shared.tasks);
    if (listener >= 0 && !server.daemon)
        close(listener);
    if (signals >= 0)
        close(signals);
    if (lock >= 0)
        close(lock);
    pthread_mutex_destroy(&server.gate_lock);
    free(server.start);
    free(server.shared.folder);
    return status;
}
