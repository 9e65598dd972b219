/* What is told of a release with codes. The summary may be shared with it: it follows from released rows,
 * and from how many people are left out. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/wording.h"
#include "job/codes/codes_inside.h"

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *promise_json(const kan_code_job *c) {
    return json_pack("{s:s,s:o,s:i,s:o}", "model", "k^m-anonymity", "k", kan_json_count(c->k),
                     "known", (int)c->known, "of", kan_json_text(c->column_name));
}

static json_t *sets_json(const kan_code_sets_recount *recount) {
    return json_pack("{s:o,s:o,s:o}", "counted", kan_json_count(recount->n_sets), "fewest",
                     kan_json_count(recount->fewest), "rare", kan_json_count(recount->n_rare));
}

static double share(const kan_code_job *c, kan_u128 cost, uint64_t n_codes) {
    const double most = (double)n_codes * (double)c->question.tree.suppressed;
    return most > 0 ? (double)cost / most : 0;
}

static double released_cost(const kan_code_job *c) {
    return share(c, kan_codes_released_cost(&c->question, &c->answer), c->n_released_codes);
}

static kan_status set_release_json(const kan_code_job *c, const char *output, kan_result *out) {
    const kan_codes_answer *answer = &c->answer;
    const bool by_cuts = c->question.by_cuts;
    json_t *codes = json_pack(
        "{s:o,s:o,s:i,s:s,s:o}", "column", kan_json_text(c->column_name), "hierarchy",
        kan_json_text(c->hierarchy->origin), "height", (int)c->hierarchy->height, "recoding",
        by_cuts ? "full-subtree" : "full-domain", "level",
        by_cuts || c->hierarchy->n_codes == 0 ? json_null() : json_integer(answer->levels[0]));
    json_t *people =
        json_pack("{s:o,s:o,s:o}", "all", kan_json_count(c->question.people.n), "released",
                  kan_json_count(c->recount.n_people), "limit", kan_json_count(c->question.limit));
    return kan_result_set_json(
        out,
        json_pack(
            "{s:s,s:s,s:o,s:o,s:o,s:o,s:s,s:o,s:o,s:o,s:b,s:o,s:o,s:{s:o,s:b},"
            "s:{s:o,s:o,s:o,s:o}}",
            "kanon", KANON_VERSION, "command", "anonymize", "promise", promise_json(c), "codes",
            codes, "people", people, "sets", sets_json(&c->recount), "cost", c->cost->kind.name,
            "cost_of_all", kan_json_real(share(c, answer->cost, c->n_codes)), "cost_of_released",
            kan_json_real(released_cost(c)), "bound",
            kan_json_real(share(c, answer->bound, c->n_codes)), "optimal", (int)answer->is_proven,
            "recodings_checked", kan_json_count(answer->n_checked), "suppressed_people",
            kan_json_count(answer->n_left), "release", "path", kan_json_text(output), "verified", 1,
            "time_ms", "read", kan_json_time(c->read_ms), "search", kan_json_time(c->search_ms),
            "write", kan_json_time(c->write_ms), "verify", kan_json_time(c->verify_ms)));
}

/* ---- words ---------------------------------------------------------------------------------- */

static void add_promise(const kan_code_job *c, const char *holds, kan_text *text) {
    kan_text_print(text,
                   "  %-12swhoever knows up to %u %s of a person finds at least %" PRIu64
                   " people with %s, or none%s\n",
                   "promise", c->known, kan_plural(c->known, "code", "codes"), c->k,
                   kan_plural(c->known, "it", "them"), holds);
}

static void add_codes(const kan_code_job *c, kan_text *text) {
    kan_text_print(text, "  %-12s%s, ", "codes", c->column_name);
    if (c->question.by_cuts)
        kan_text_print(text, "each at a level of its own of %u\n", c->hierarchy->height);
    else
        kan_text_print(text, "level %u of %u\n",
                       c->hierarchy->n_codes > 0 ? c->answer.levels[0] : 0, c->hierarchy->height);
}

/* A hierarchy that was built has the codes of all people, and shares of it depend on those who are left
 * out. */
static bool may_tell_cost(const kan_code_job *c) {
    return c->answer.n_left == 0 || c->lines || !c->cost->price->is_by_share;
}

/* Whether it is proven depends on people who are left out, too: it is told where there are none. */
static void add_cost(const kan_code_job *c, kan_text *text) {
    const char *name = c->cost->kind.name;
    const char *proven = c->question.by_cuts ? ", proven: no other choice of levels costs less"
                                             : ", proven: no other level costs less";
    const char *open = ", not proven to be the least; --effort N looks at more";
    if (may_tell_cost(c))
        kan_text_print(text, "  %-12s%s %.4f over the codes of released people%s\n", "cost", name,
                       released_cost(c),
                       c->answer.n_left > 0  ? ""
                       : c->answer.is_proven ? proven
                                             : open);
    else
        kan_text_print(text, "  %-12s%s is not told: it depends on people who are left out\n",
                       "cost", name);
}

static void add_kept(const kan_code_job *c, kan_text *text) {
    bool is_first = true;
    char quoted[256];
    for (size_t i = 0; i < c->setup.input.n_columns; i++) {
        if (!kan_setup_releases(&c->setup, i))
            continue;
        kan_text_print(text, "%s%s", is_first ? "  as it is    " : ", ",
                       kan_quote(kan_slice_of(c->setup.input.columns[i]), quoted));
        is_first = false;
    }
    if (!is_first)
        kan_text_print(text, "; nothing is promised of whoever knows what these tell\n");
}

static void add_sets(const kan_code_sets_recount *found, const kan_code_job *c, kan_text *text) {
    char sets[32];
    if (found->n_people == 0)
        return;
    kan_text_print(text, "%s %s of up to %u %s, the rarest shown by %" PRIu64 " %s\n",
                   kan_count_text(found->n_sets, sets), kan_plural(found->n_sets, "set", "sets"),
                   c->known, kan_plural(c->known, "code", "codes"), found->fewest,
                   kan_plural(found->fewest, "person", "people"));
}

kan_status kan_code_job_tell_release(kan_code_job *c, const char *output, kan_result *out) {
    kan_text *text = &out->summary;
    char people[32], left[32];
    kan_note(c->run,
             "rows stand in the order of the input: whoever knows that order can tell which "
             "row is whose");
    kan_text_print(text, "%s: %s %s\n\n", output, kan_count_text(c->recount.n_people, people),
                   kan_plural(c->recount.n_people, "row", "rows"));
    add_promise(c, "", text);
    kan_text_print(text, "  %-12s%s released, %s left out\n", "people",
                   kan_count_text(c->recount.n_people, people),
                   kan_count_text(c->answer.n_left, left));
    add_codes(c, text);
    add_cost(c, text);
    add_kept(c, text);
    kan_text_print(text, "  %-12sread again and counted before it was named: ", "verified");
    add_sets(&c->recount, c, text);
    KAN_TRY(kan_text_status(text));
    return set_release_json(c, output, out);
}

/* ---- verify --------------------------------------------------------------------------------- */

static json_t *faults_json(const kan_text *fault) {
    json_t *list = json_array();
    for (const char *at = fault->size > 0 ? fault->bytes : ""; *at;) {
        const size_t size = strcspn(at, "\n");
        list = kan_json_append(list, kan_json_slice((kan_slice){at, size}));
        at += size + (at[size] == '\n');
    }
    return list;
}

kan_status kan_code_job_tell_verdict(kan_code_job *c, const char *name,
                                     const kan_code_verdict *verdict, kan_result *out) {
    kan_text *text = &out->summary;
    const kan_code_sets_recount *found = &verdict->recount;
    char people[32];
    out->holds = verdict->fault.size == 0 && verdict->unchecked.size == 0;
    if (verdict->fault.size == 0 && verdict->unchecked.size > 0)
        kan_text_add(&out->unchecked, verdict->unchecked.bytes, verdict->unchecked.size);
    kan_text_print(text, "%s: %s\n", name,
                   out->holds                 ? "verified"
                   : verdict->fault.size == 0 ? "NOT VERIFIED"
                                              : "NOT what was promised");
    const bool is_counted = found->n_people > 0 && !found->is_foreign;
    if (is_counted || !c->is_open)
        kan_text_print(text, "\n");
    if (is_counted) {
        add_promise(c, found->n_rare > 0 ? ": does not hold" : ": holds", text);
        kan_text_print(text, "  %-12s%s\n", "people", kan_count_text(found->n_people, people));
        kan_text_print(text, "  %-12s", "counted");
        add_sets(found, c, text);
    }
    if (is_counted && verdict->is_decided && verdict->has_columns)
        kan_text_print(text, "  %-12shold: each of them was decided on, and none is missing\n",
                       "columns");
    if (!c->is_open)
        kan_text_print(text,
                       "  %-12sagainst no original: whether the codes are true was not looked "
                       "at\n",
                       "compared");
    if (verdict->fault.size > 0)
        kan_text_print(text, "\n%s", verdict->fault.bytes);
    if (verdict->unchecked.size > 0)
        kan_text_print(text, "\n%s\n", verdict->unchecked.bytes);
    KAN_TRY(kan_text_status(text));
    return kan_result_set_json(
        out,
        json_pack("{s:s,s:s,s:o,s:o,s:o,s:o,s:b,s:s,s:o,s:o}", "kanon", KANON_VERSION, "command",
                  "verify", "release", kan_json_text(name), "promise", promise_json(c), "people",
                  kan_json_count(found->n_people), "sets", sets_json(found), "has_original",
                  (int)c->is_open, "status", kan_result_status_name(out), "faults",
                  faults_json(&verdict->fault), "unchecked",
                  verdict->unchecked.size > 0 ? kan_json_text(verdict->unchecked.bytes)
                                              : json_null()));
}
