#include "tasks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "confine.h"
#include "files.h"
#include "tasks_inside.h"

enum { MOST_RUNNING = 2, MOST_SAID = 64 << 10 };

struct sv_task {
    sv_task *next;
    sv_tasks *all;
    char *project, *folder, *kind, *title, *key;
    char ***steps; /* words, NULL behind the last of each; NULL behind the last step */
    bool goes_on;
    /* From here on under the lock. */
    sv_task_status status;
    size_t step, n_steps;
    int exit_status;
    double began, ended;
    sv_text error, notes, progress, commands;
    bool is_replaced; /* by a newer one of its kind: leaves no trace */
    bool is_cut;      /* the server ends */
    unsigned stops;   /* 1: the user wants the best so far; more: nothing any more */
    pid_t child;      /* 0: none runs */
    uint64_t version; /* grows with every change */
    unsigned holds;   /* thread, list, streams */
    sv_stream *waiting;
};

struct sv_tasks {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    sv_task *first; /* the last one of each kind, and older ones that still run */
    size_t n_running, n_threads;
    bool is_ending;
    char *program; /* the path of this program */
    char **flags;  /* for every command; NULL behind the last */
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool is_over(const sv_task *task) {
    return task->status != SV_WAITING && task->status != SV_RUNNING;
}

/* ---- making and freeing --------------------------------------------------------------------- */

static void free_words(char **words) {
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

static char **copy_words(const char *const *words) {
    size_t n = 0;
    while (words[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        if (!(copy[i] = strdup(words[i]))) {
            free_words(copy);
            return NULL;
        }
    return copy;
}

static void free_task(sv_task *task) {
    for (size_t i = 0; task->steps && task->steps[i]; i++)
        free_words(task->steps[i]);
    free(task->steps);
    free(task->project);
    free(task->folder);
    free(task->kind);
    free(task->title);
    free(task->key);
    sv_text_free(&task->error);
    sv_text_free(&task->notes);
    sv_text_free(&task->progress);
    sv_text_free(&task->commands);
    free(task);
}

/* Under the lock. */
static void let_go(sv_task *task) {
    if (--task->holds == 0)
        free_task(task);
}

static sv_task *make_task(sv_tasks *all, const sv_project *project, const char *kind,
                          const char *title, const char *key, const sv_step *steps, size_t n) {
    sv_task *task = calloc(1, sizeof *task);
    if (!task)
        return NULL;
    *task = (sv_task){.all = all,
                      .project = strdup(project->name),
                      .folder = strdup(project->folder),
                      .kind = strdup(kind),
                      .title = strdup(title),
                      .key = strdup(key),
                      .steps = calloc(n + 1, sizeof *task->steps),
                      .n_steps = n,
                      .status = SV_WAITING,
                      .began = now(),
                      .holds = 2};
    bool is_good =
        task->project && task->folder && task->kind && task->title && task->key && task->steps;
    for (size_t i = 0; i < n && is_good; i++) {
        is_good = (task->steps[i] = copy_words(steps[i].words)) != NULL;
        sv_raw(&task->commands, "kanon");
        for (size_t w = 0; is_good && steps[i].words[w]; w++) {
            sv_raw(&task->commands, " ");
            sv_shell(&task->commands, steps[i].words[w]);
        }
        sv_raw(&task->commands, "\n");
    }
    if (!is_good || task->commands.failed) {
        free_task(task);
        return NULL;
    }
    return task;
}

/* ---- the end of a task on the disk ---------------------------------------------------------- */

static const char *const status_words[] = {
    [SV_NONE] = "none",     [SV_WAITING] = "waiting", [SV_RUNNING] = "running", [SV_DONE] = "done",
    [SV_FAILED] = "failed", [SV_STOPPED] = "stopped", [SV_LOST] = "lost",
};

const char *sv_status_word(sv_task_status status) {
    return status_words[status];
}

static void end_path(const char *kind, sv_text *out) {
    sv_print(out, "work/%s.end.json", kind);
}

static const char *text_of(const sv_text *text) {
    return text->bytes ? text->bytes : "";
}

/* A text as JSON, whatever bytes a command printed. */
static json_t *json_text(const sv_text *text) {
    json_t *json = json_stringn(text_of(text), text->size);
    return json ? json : json_string("(not UTF-8)");
}

/* Says how it ended; while it runs: that it was lost, which is true when nobody writes it anew. */
static void write_end(sv_task *task, sv_task_status status) {
    json_t *json = json_pack("{s:s, s:i, s:f, s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "status",
                             status_words[status], "exit_status", task->exit_status, "seconds",
                             (task->ended > 0 ? task->ended : now()) - task->began, "key",
                             task->key, "title", task->title, "step", (int)task->step, "n_steps",
                             (int)task->n_steps, "error", json_text(&task->error), "notes",
                             json_text(&task->notes), "commands", json_text(&task->commands));
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
    sv_text relative = {0}, path = {0};
    end_path(task->kind, &relative);
    if (text && !relative.failed && sv_below(task->folder, relative.bytes, &path))
        (void)sv_file_write(path.bytes, text, strlen(text)); /* without it the task is run again */
    sv_text_free(&relative);
    sv_text_free(&path);
    free(text);
    json_decref(json);
}

static char *copy_of(const json_t *json, const char *name) {
    const char *text = json_string_value(json_object_get(json, name));
    return strdup(text ? text : "");
}

static void read_end(const sv_project *project, const char *kind, sv_task_state *out) {
    sv_text relative = {0};
    end_path(kind, &relative);
    json_t *json = relative.failed ? NULL : sv_project_json(project, relative.bytes);
    sv_text_free(&relative);
    const char *status = json_string_value(json_object_get(json, "status"));
    for (size_t i = SV_DONE; status && i <= SV_LOST; i++)
        if (strcmp(status, status_words[i]) == 0)
            out->status = (sv_task_status)i;
    out->exit_status = (int)json_integer_value(json_object_get(json, "exit_status"));
    out->step = (size_t)json_integer_value(json_object_get(json, "step"));
    out->n_steps = (size_t)json_integer_value(json_object_get(json, "n_steps"));
    out->seconds = json_number_value(json_object_get(json, "seconds"));
    out->key = copy_of(json, "key");
    out->title = copy_of(json, "title");
    out->error = copy_of(json, "error");
    out->notes = copy_of(json, "notes");
    out->commands = copy_of(json, "commands");
    out->progress = strdup("");
    json_decref(json);
}

/* ---- telling -------------------------------------------------------------------------------- */

/* Under the lock: wakes the streams of a task and everybody who waits for one to end. */
static void tell(sv_task *task) {
    task->version++;
    pthread_cond_broadcast(&task->all->changed);
    while (task->waiting) {
        sv_stream *stream = task->waiting;
        task->waiting = stream->next;
        stream->wake(stream);
    }
}

static void copy_state(const sv_task *task, sv_task_state *out) {
    *out = (sv_task_state){.status = task->status,
                           .step = task->step,
                           .n_steps = task->n_steps,
                           .exit_status = task->exit_status,
                           .seconds = (is_over(task) ? task->ended : now()) - task->began,
                           .key = strdup(task->key),
                           .title = strdup(task->title),
                           .error = strdup(text_of(&task->error)),
                           .notes = strdup(text_of(&task->notes)),
                           .progress = strdup(text_of(&task->progress)),
                           .commands = strdup(text_of(&task->commands))};
}

void sv_task_state_free(sv_task_state *state) {
    free(state->key);
    free(state->title);
    free(state->error);
    free(state->notes);
    free(state->progress);
    free(state->commands);
    *state = (sv_task_state){0};
}

/* ---- running -------------------------------------------------------------------------------- */

/* What a command printed, a line: progress, a note, or a part of an error. */
static void take_line(void *user, const char *line, size_t size) {
    sv_task *task = user;
    pthread_mutex_lock(&task->all->lock);
    if (size > 9 && strncmp(line, "{\"stage\":", 9) == 0) {
        task->progress.size = 0;
        sv_bytes(&task->progress, line, size);
    } else if (size > 0) {
        const bool is_note = size > 6 && strncmp(line, "note: ", 6) == 0;
        sv_text *to = is_note ? &task->notes : &task->error;
        const size_t skip = is_note ? 6 : size > 7 && strncmp(line, "kanon: ", 7) == 0 ? 7 : 0;
        if (to->size + size < MOST_SAID) {
            sv_bytes(to, line + skip, size - skip);
            sv_raw(to, "\n");
        }
    }
    tell(task);
    pthread_mutex_unlock(&task->all->lock);
}

static void take_child(void *user, pid_t child) {
    sv_task *task = user;
    pthread_mutex_lock(&task->all->lock);
    task->child = child;
    /* Whoever asked while it was being started asked nobody. */
    if (child && (task->is_cut || task->is_replaced || task->stops))
        (void)kill(child, task->is_cut || task->is_replaced || task->stops > 1 ? SIGKILL : SIGINT);
    pthread_mutex_unlock(&task->all->lock);
}

static void take_beat(void *user) {
    sv_task *task = user;
    pthread_mutex_lock(&task->all->lock);
    tell(task);
    pthread_mutex_unlock(&task->all->lock);
}

/* Whether one of the same kind from before has not ended yet. Under the lock. */
static bool is_behind(const sv_task *task) {
    for (const sv_task *other = task->next; other; other = other->next)
        if (!is_over(other) && strcmp(other->project, task->project) == 0 &&
            strcmp(other->kind, task->kind) == 0)
            return true;
    return false;
}

static bool is_unwanted(const sv_task *task) {
    return task->is_cut || task->is_replaced || task->stops > 0;
}

/* Runs its commands; true when all of them did what they should. */
static bool run_steps(sv_task *task) {
    sv_tasks *all = task->all;
    for (size_t i = 0; i < task->n_steps; i++) {
        pthread_mutex_lock(&all->lock);
        task->step = i;
        task->progress.size = 0;
        if (task->progress.bytes)
            task->progress.bytes[0] = '\0';
        const bool is_wanted = !is_unwanted(task);
        tell(task);
        pthread_mutex_unlock(&all->lock);
        if (!is_wanted)
            return false;
        sv_text output = {0};
        sv_print(&output, "work/%s.txt", task->kind);
        const sv_child child = {.program = all->program,
                                .folder = task->folder,
                                .words = (const char *const *)task->steps[i],
                                .flags = (const char *const *)all->flags,
                                .output = output.failed ? NULL : output.bytes,
                                .on_line = take_line,
                                .on_child = take_child,
                                .on_beat = take_beat,
                                .user = task};
        sv_text why = {0};
        const int status = sv_child_run(&child, &why);
        sv_text_free(&output);
        pthread_mutex_lock(&all->lock);
        task->exit_status = status;
        if (why.size)
            sv_print(&task->error, "%s\n", why.bytes);
        const bool is_passed = status == 3 || (status == 2 && i > 0);
        const bool ends = status != 0 && !(is_passed && task->goes_on);
        if (status == 0 && task->error.size) {
            sv_raw(&task->notes, task->error.bytes);
            sv_text_free(&task->error);
        }
        pthread_mutex_unlock(&all->lock);
        sv_text_free(&why);
        if (ends)
            return false;
    }
    return true;
}

static void *run_task(void *user) {
    sv_task *task = user;
    sv_tasks *all = task->all;
    pthread_mutex_lock(&all->lock);
    while (!is_unwanted(task) && (all->n_running >= MOST_RUNNING || is_behind(task)))
        pthread_cond_wait(&all->changed, &all->lock);
    while (is_behind(task)) /* stopped, or not: its files are still being written */
        pthread_cond_wait(&all->changed, &all->lock);
    all->n_running++;
    task->status = SV_RUNNING;
    const bool is_wanted = !is_unwanted(task);
    pthread_mutex_unlock(&all->lock);
    if (is_wanted)
        write_end(task, SV_LOST);
    const bool is_done = is_wanted && run_steps(task);

    pthread_mutex_lock(&all->lock);
    task->ended = now();
    const sv_task_status status = is_done        ? SV_DONE
                                  : task->stops  ? SV_STOPPED
                                  : task->is_cut ? SV_LOST
                                                 : SV_FAILED;
    const bool leaves_trace = !task->is_replaced;
    pthread_mutex_unlock(&all->lock);
    if (leaves_trace)
        write_end(task, status); /* nobody else writes what it reads */

    pthread_mutex_lock(&all->lock);
    task->status = status;
    all->n_running--;
    tell(task);
    all->n_threads--;
    pthread_cond_broadcast(&all->changed);
    let_go(task);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* ---- the door ------------------------------------------------------------------------------- */

/* Under the lock: takes tasks off the list that are over and have a successor. */
static void sweep(sv_task *newest) {
    for (sv_task **at = &newest->next; *at;) {
        sv_task *task = *at;
        if (is_over(task) && strcmp(task->project, newest->project) == 0 &&
            strcmp(task->kind, newest->kind) == 0) {
            *at = task->next;
            let_go(task);
        } else {
            at = &task->next;
        }
    }
}

static sv_task *find(sv_tasks *all, const char *project, const char *kind) {
    for (sv_task *task = all->first; task; task = task->next)
        if (strcmp(task->project, project) == 0 && strcmp(task->kind, kind) == 0)
            return task;
    return NULL;
}

bool sv_task_start(sv_tasks *all, const sv_project *project, const char *kind, const char *title,
                   const char *key, const sv_step *steps, size_t n_steps, bool goes_on,
                   sv_text *error) {
    if (!sv_confine_job(project, error))
        return false;
    for (size_t i = 0; i < n_steps; i++)
        if (!sv_confine_words(project, steps[i].words, error))
            return false;
    sv_task *task = make_task(all, project, kind, title, key, steps, n_steps);
    if (!task) {
        sv_raw(error, "Out of memory.");
        return false;
    }
    task->goes_on = goes_on;
    pthread_mutex_lock(&all->lock);
    sv_task *before = find(all, project->name, kind);
    if (before && !is_over(before)) {
        before->is_replaced = true;
        if (before->child)
            (void)kill(before->child, SIGKILL);
    }
    task->next = all->first;
    all->first = task;
    pthread_t thread;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    const bool is_good = !all->is_ending && pthread_create(&thread, &detached, run_task, task) == 0;
    pthread_attr_destroy(&detached);
    if (is_good) {
        all->n_threads++;
        sweep(task);
    } else {
        all->first = task->next;
        free_task(task);
        sv_raw(error, "No more tasks can be started now.");
    }
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    return is_good;
}

void sv_task_look(sv_tasks *all, const sv_project *project, const char *kind, sv_task_state *out) {
    *out = (sv_task_state){0};
    pthread_mutex_lock(&all->lock);
    const sv_task *task = find(all, project->name, kind);
    if (task)
        copy_state(task, out);
    pthread_mutex_unlock(&all->lock);
    if (!task)
        read_end(project, kind, out);
}

void sv_task_stop(sv_tasks *all, const sv_project *project, const char *kind, bool keeps_best) {
    pthread_mutex_lock(&all->lock);
    sv_task *task = find(all, project->name, kind);
    if (task && !is_over(task)) {
        /* Whatever a command is killed at, it leaves nothing half-written. */
        task->stops += keeps_best ? 1 : 2;
        if (task->child)
            (void)kill(task->child, task->stops > 1 ? SIGKILL : SIGINT);
        tell(task);
    }
    pthread_mutex_unlock(&all->lock);
}

void sv_tasks_forget(sv_tasks *all, const sv_project *project) {
    pthread_mutex_lock(&all->lock);
    for (sv_task **at = &all->first; *at;) {
        sv_task *task = *at;
        if (strcmp(task->project, project->name) != 0) {
            at = &task->next;
        } else if (is_over(task)) {
            *at = task->next;
            let_go(task);
        } else {
            task->is_replaced = true;
            if (task->child)
                (void)kill(task->child, SIGKILL);
            pthread_cond_broadcast(&all->changed);
            pthread_cond_wait(&all->changed, &all->lock);
            at = &all->first; /* the list may be another */
        }
    }
    pthread_mutex_unlock(&all->lock);
}

/* ---- streams -------------------------------------------------------------------------------- */

sv_task *sv_task_hold(sv_tasks *all, const sv_project *project, const char *kind) {
    pthread_mutex_lock(&all->lock);
    sv_task *task = find(all, project->name, kind);
    if (task)
        task->holds++;
    pthread_mutex_unlock(&all->lock);
    return task;
}

void sv_task_let_go(sv_task *task) {
    sv_tasks *all = task->all;
    pthread_mutex_lock(&all->lock);
    let_go(task);
    pthread_mutex_unlock(&all->lock);
}

bool sv_stream_next(sv_stream *stream, sv_task_state *out) {
    sv_task *task = stream->task;
    sv_tasks *all = task->all;
    pthread_mutex_lock(&all->lock);
    const bool has_news = task->version != stream->seen || is_over(task) || all->is_ending;
    if (has_news) {
        stream->seen = task->version;
        copy_state(task, out);
    } else {
        stream->next = task->waiting;
        task->waiting = stream;
        stream->sleep(stream);
    }
    pthread_mutex_unlock(&all->lock);
    return has_news;
}

/* ---- the server's --------------------------------------------------------------------------- */

sv_tasks *sv_tasks_create(const char *program, const char *const *flags) {
    sv_tasks *all = calloc(1, sizeof *all);
    if (!all)
        return NULL;
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    all->program = strdup(program);
    all->flags = copy_words(flags);
    if (!all->program || !all->flags) {
        sv_tasks_destroy(all);
        return NULL;
    }
    return all;
}

void sv_tasks_end(sv_tasks *all) {
    pthread_mutex_lock(&all->lock);
    all->is_ending = true;
    for (sv_task *task = all->first; task; task = task->next) {
        task->is_cut = true;
        if (task->child)
            (void)kill(task->child, SIGKILL);
        tell(task);
    }
    while (all->n_threads > 0)
        pthread_cond_wait(&all->changed, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

void sv_tasks_destroy(sv_tasks *all) {
    while (all->first) {
        sv_task *task = all->first;
        all->first = task->next;
        let_go(task);
    }
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    free(all->program);
    free_words(all->flags);
    free(all);
}

const char *sv_tasks_program(const sv_tasks *tasks) {
    return tasks->program;
}
