/* What a rule found, as JSON and in words. No value of the table is in either. */
#include "core/wording.h"
#include "io/streams/streams.h"
#include "job/rules/rules.h"

enum { WIDTH = 79, NAME_ROOM = 20 };

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text) {
    return text ? kan_json_text(text) : json_null();
}

static json_t *texts_json(const char *const *list) {
    json_t *array = json_array();
    for (; *list; list++)
        array = kan_json_append(array, kan_json_text(*list));
    return array;
}

static json_t *rule_json(const kan_rules *r) {
    const kan_rule *rule = &r->rule;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "name", kan_json_text(rule->name),
                     "title", kan_json_text(rule->title), "source", kan_json_text(rule->source),
                     "date", kan_json_text(rule->date), "text", kan_json_text(rule->text), "by",
                     text_or_null(rule->by), "of_office", (int)r->is_file);
}

static json_t *columns_of_kind(const kan_rules *r, unsigned kind, kan_rule_verdict verdict) {
    json_t *list = json_array();
    for (size_t c = 0; c < r->input.n_columns; c++)
        if (r->columns[c].kinds[kind].verdict == verdict && r->columns[c].verdict != KAN_RULE_CLEAR)
            list = kan_json_append(list, kan_json_text(r->input.columns[c]));
    return list;
}

static json_t *kinds_json(const kan_rules *r) {
    json_t *list = json_array();
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++) {
        const kan_id_word *word = kan_id_word_of((kan_id_kind)kind);
        const char letter[] = {(char)('A' + kind), '\0'};
        if (r->rule.kinds & KAN_ID_BIT(kind))
            list = kan_json_append(list,
                                   json_pack("{s:s, s:s, s:s, s:o, s:o}", "letter", letter, "name",
                                             word->name, "title", word->title, "found",
                                             columns_of_kind(r, kind, KAN_RULE_FOUND), "undecided",
                                             columns_of_kind(r, kind, KAN_RULE_UNDECIDED)));
    }
    return list;
}

static json_t *findings_json(const kan_rule_column *column) {
    json_t *list = json_array();
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++) {
        const kan_rule_finding *finding = &column->kinds[kind];
        if (finding->verdict != KAN_RULE_CLEAR)
            list = kan_json_append(
                list,
                json_pack("{s:s, s:s, s:s, s:s}", "kind", kan_id_word_of((kan_id_kind)kind)->name,
                          "verdict", kan_rule_verdict_word(finding->verdict), "by",
                          kan_rule_by_word(finding->by), "reason", finding->reason));
    }
    return list;
}

static const char *decided_word(kan_rules_decided decided) {
    static const char *const words[] = {"nobody", "person", "rule", "promise", "rule-drops"};
    return words[decided];
}

static json_t *columns_json(const kan_rules *r) {
    json_t *list = json_array();
    for (size_t c = 0; c < r->input.n_columns; c++)
        list = kan_json_append(
            list,
            json_pack("{s:o, s:s, s:s, s:b, s:s, s:o}", "name", kan_json_text(r->input.columns[c]),
                      "verdict", kan_rule_verdict_word(r->columns[c].verdict), "reason",
                      r->columns[c].reason, "free_text", (int)r->columns[c].is_text, "decided_by",
                      decided_word(r->decided[c]), "findings", findings_json(&r->columns[c])));
    return list;
}

static json_t *caps_json(const kan_rules *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < KAN_RULE_COLUMNS && r->rule.caps[i].column; i++)
        list = kan_json_append(
            list, json_pack("{s:o, s:o, s:s}", "column", kan_json_text(r->rule.caps[i].column),
                            "range", kan_json_text(r->rule.caps[i].range), "verdict",
                            r->has_cap[i] ? kan_rule_verdict_word(r->caps[i]) : "no such column"));
    return list;
}

static json_t *promise_json(const kan_rules *r) {
    json_t *asked = json_array();
    if (!r->has_promise) {
        json_decref(asked);
        return json_null();
    }
    for (size_t i = 0; i < KAN_RULE_PROMISES && r->rule.promise[i].setting; i++)
        asked = kan_json_append(asked, json_pack("{s:o, s:o}", "setting",
                                                 kan_json_text(r->rule.promise[i].setting), "value",
                                                 kan_json_text(r->rule.promise[i].value)));
    return json_pack("{s:o, s:s, s:o, s:o, s:o}", "asked", asked, "status",
                     kan_rules_status_word(r->promise), "reason", text_or_null(r->promise_reason),
                     "note", text_or_null(r->rule.promise_note), "recount",
                     r->recount ? json_incref(r->recount) : json_null());
}

static bool is_earlier(const kan_beside *beside, size_t i) {
    for (size_t j = 0; j < i; j++)
        if (strcmp(beside->texts[j].what, beside->texts[i].what) == 0)
            return true;
    return false;
}

static json_t *beside_json(const kan_rules *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->beside.n; i++)
        if (!is_earlier(&r->beside, i))
            list = kan_json_append(list, kan_json_text(r->beside.texts[i].what));
    return list;
}

static json_t *says_json(const kan_rules *r) {
    kan_text claim;
    kan_text_init(&claim, r->run);
    kan_rules_add_claim(r, &claim);
    json_t *says = claim.failed ? NULL : kan_json_text(claim.bytes);
    kan_text_destroy(&claim);
    return says;
}

json_t *kan_rules_told_json(const kan_rules *r) {
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "rule", rule_json(r), "status",
                     kan_rules_status_word(kan_rules_status_of(r)), "says", says_json(r),
                     "release_date", text_or_null(r->release_date), "columns", columns_json(r),
                     "left", texts_json(r->rule.left));
}

json_t *kan_rules_json(const kan_rules *r) {
    const kan_options *options = &r->job->options;
    json_t *says = says_json(r);
    json_t *input = json_pack(
        "{s:o, s:o, s:o}", "path",
        r->input.is_file ? kan_json_text(kan_options_find(options, "input")) : json_null(), "rows",
        kan_json_count(r->n_rows), "columns", kan_json_count(r->input.n_columns));
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o}, s:o}",
        "kanon", KANON_VERSION, "command", "check", "input", input, "rule", rule_json(r), "status",
        kan_rules_status_word(kan_rules_status_of(r)), "says", says, "release_date",
        text_or_null(r->release_date), "census", r->areas.census, "kinds", kinds_json(r), "columns",
        columns_json(r), "caps", caps_json(r), "beside", beside_json(r), "promise", promise_json(r),
        "left", texts_json(r->rule.left), "job", text_or_null(kan_options_find(options, "job-out")),
        "time_ms", "total", kan_json_time(kan_now_ms() - r->start_ms), "peak_memory_bytes",
        kan_json_count(kan_run_peak_memory(r->run)));
}

/* ---- words ---------------------------------------------------------------------------------- */

void kan_rules_add_claim(const kan_rules *r, kan_text *text) {
    kan_text_print(text, "columns checked against %s, text of %s; actual knowledge was not",
                   r->rule.source, r->rule.date);
}

static void add_line(kan_text *text, const char *head, const char *words) {
    kan_text_print(text, "%s", head);
    kan_text_add_wrapped(text, words, strlen(head), 10, WIDTH);
}

static void add_columns(const kan_rules *r, kan_rule_verdict verdict, const char *title,
                        kan_text *text) {
    if (kan_rules_count(r, verdict) == 0)
        return;
    kan_text_print(text, "\n%s\n", title);
    for (size_t c = 0; c < r->input.n_columns; c++) {
        const kan_rule_column *column = &r->columns[c];
        char quoted[256], head[300];
        if (column->verdict != verdict)
            continue;
        snprintf(head, sizeof head, "  %s:", kan_quote(kan_slice_of(r->input.columns[c]), quoted));
        kan_text words;
        kan_text_init(&words, r->run);
        kan_text_print(&words, "%s", column->reason);
        for (unsigned kind = 0; verdict == KAN_RULE_FOUND && kind < KAN_ID_KINDS; kind++) {
            const kan_rule_finding *finding = &column->kinds[kind];
            if (finding->verdict == KAN_RULE_FOUND && strcmp(finding->reason, column->reason) != 0)
                kan_text_print(&words, "; %s", finding->reason);
        }
        kan_text_print(text, "%s", head);
        kan_text_add_wrapped(text, words.bytes ? words.bytes : "",
                             kan_text_columns(head, strlen(head)), 4, WIDTH);
        kan_text_destroy(&words);
    }
}

static void add_kinds(const kan_rules *r, kan_text *text) {
    unsigned n = 0, n_found = 0;
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++) {
        bool is_found = false;
        if (!(r->rule.kinds & KAN_ID_BIT(kind)))
            continue;
        for (size_t c = 0; c < r->input.n_columns && !is_found; c++)
            is_found = r->columns[c].kinds[kind].verdict == KAN_RULE_FOUND;
        n++;
        n_found += is_found;
    }
    if (n > 0)
        kan_text_print(text, "  kinds   %u of %u kinds of identifiers found\n", n_found, n);
}

/* "the smallest group has 11 rows: its risk is 1/11 = 0.0909" */
static void add_smallest(const kan_rules *r, kan_text *text) {
    const json_int_t n = json_integer_value(json_object_get(r->recount, "smallest_group"));
    char line[160];
    if (n <= 0)
        return;
    snprintf(line, sizeof line, "the smallest group has %lld %s: its risk is 1/%lld = %.4f",
             (long long)n, kan_plural((uint64_t)n, "member", "members"), (long long)n,
             1 / (double)n);
    add_line(text, "          ", line);
}

static void add_promise(const kan_rules *r, kan_text *text) {
    char line[600];
    size_t used = 0;
    if (!r->has_promise)
        return;
    line[0] = '\0';
    for (size_t i = 0; i < KAN_RULE_PROMISES && r->rule.promise[i].setting && used < 300; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %s", i ? ", " : "",
                                 r->rule.promise[i].setting, r->rule.promise[i].value);
    if (used < sizeof line)
        snprintf(line + used, sizeof line - used, ": %s%s%s", kan_rules_status_word(r->promise),
                 r->promise_reason ? "; " : "", r->promise_reason ? r->promise_reason : "");
    add_line(text, "  promise ", line);
    add_smallest(r, text);
    if (r->rule.promise_note)
        add_line(text, "          ", r->rule.promise_note);
}

static void add_caps(const kan_rules *r, kan_text *text) {
    for (size_t i = 0; i < KAN_RULE_COLUMNS && r->rule.caps[i].column; i++) {
        char quoted[256], line[400];
        snprintf(line, sizeof line, "%s %s: %s",
                 kan_quote(kan_slice_of(r->rule.caps[i].column), quoted), r->rule.caps[i].range,
                 !r->has_cap[i]                     ? "not checked: there is no such column"
                 : r->caps[i] == KAN_RULE_CLEAR     ? "nothing beyond it is shown"
                 : r->caps[i] == KAN_RULE_UNDECIDED ? "not checked: some values are no numbers, or "
                                                      "ranges across the bound"
                                                    : "values beyond it are shown");
        add_line(text, "  cap     ", line);
    }
}

static void add_claim_line(const kan_rules *r, kan_text *text) {
    kan_text claim;
    kan_text_init(&claim, r->run);
    kan_rules_add_claim(r, &claim);
    kan_text_add_wrapped(text, claim.bytes ? claim.bytes : "", 0, 0, WIDTH);
    kan_text_destroy(&claim);
}

void kan_rules_add_columns(const kan_rules *r, kan_text *text) {
    kan_text_print(text, "\n%s\n", r->rule.title);
    add_columns(r, KAN_RULE_FOUND, "Found: what the rule does not allow", text);
    add_columns(r, KAN_RULE_UNDECIDED, "For a person to decide", text);
    if (kan_rules_count(r, KAN_RULE_CLEAR) == r->input.n_columns)
        kan_text_print(text, "\nEvery column is clear.\n");
    if (r->promise_reason) {
        kan_text_print(text, "\n");
        kan_text_add_wrapped(text, r->promise_reason, 0, 0, WIDTH);
    }
    kan_text_print(text, "\n");
    add_claim_line(r, text);
}

kan_status kan_rules_summarize(const kan_rules *r, kan_text *text) {
    char rows[32], line[800];
    const kan_rules_status status = kan_rules_status_of(r);
    kan_text_print(text, "%s: %s %s, %zu %s\n\n", r->input.name ? r->input.name : "table",
                   kan_count_text(r->n_rows, rows), kan_plural(r->n_rows, "row", "rows"),
                   r->input.n_columns, kan_plural(r->input.n_columns, "column", "columns"));
    snprintf(line, sizeof line, "%s%s%s", r->rule.title, r->rule.by ? ", by " : "",
             r->rule.by ? r->rule.by : "");
    add_line(text, "  rule    ", line);
    snprintf(line, sizeof line, "%s, text of %s", r->rule.source, r->rule.date);
    add_line(text, "          ", line);
    snprintf(line, sizeof line, "%zu found, %zu for a person to decide, %zu clear",
             kan_rules_count(r, KAN_RULE_FOUND), kan_rules_count(r, KAN_RULE_UNDECIDED),
             kan_rules_count(r, KAN_RULE_CLEAR));
    add_line(text, "  columns ", line);
    add_kinds(r, text);
    add_promise(r, text);
    add_caps(r, text);
    if (r->beside.n > 0)
        add_line(text, "  beside  ",
                 r->beside_kinds
                     ? "what the file has beside the table holds identifiers: sheets, notes, labels"
                     : "not checked: the file has more than the table: sheets, notes, labels");
    kan_text_print(text, "  result  %s\n",
                   status == KAN_RULES_SATISFIED ? "nothing in the columns is against the rule"
                   : status == KAN_RULES_BROKEN  ? "NOT SATISFIED"
                                                 : "NOT CHECKED: somebody has to decide first");
    add_columns(r, KAN_RULE_FOUND, "Found: what the rule does not allow", text);
    add_columns(r, KAN_RULE_UNDECIDED,
                "For a person to decide: --reviewed NAME says that somebody has read a column",
                text);
    add_columns(r, KAN_RULE_CLEAR, "Clear", text);
    if (r->rule.left[0])
        kan_text_print(text, "\nWhat no program can tell\n");
    for (size_t i = 0; r->rule.left[i]; i++) {
        kan_text_print(text, "  ");
        kan_text_add_wrapped(text, r->rule.left[i], 2, 4, WIDTH);
    }
    kan_text_print(text, "\n");
    add_claim_line(r, text);
    return kan_text_status(text);
}
