/* report/report_page.h: pages of documents, however strange. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report_page.h"
#include "support/page.h"

/* Every kind of section has something to show. */
static const char document[] =
    "{'kanon':'0.1.0','command':'anonymize','input':{'path':'dir/@','rows':120,'tuples':44},"
    "'columns':[{'name':'@','role':'quasi-identifier','became':'generalized','singles_out':null},"
    "{'name':'b','role':'keep','became':'unchanged','singles_out':17},"
    "{'name':'c','role':'@','became':'@','singles_out':null}],"
    "'people':[{'column':'@','rows':110,'people':70,'groups':9,'small_groups':1}],"
    "'quasi_identifiers':['@','b'],'privacy':[{'model':'k-anonymity','k':3},"
    "{'model':'alpha','alpha':0.5,'values':['@'],'combined':false,'refined':true,'reached':0.25,"
    "'column':'@'},{'model':'l-diversity','kind':'entropy','l':2,'reached':2.5},"
    "{'model':'t-closeness','t':0.2,'distance':'equal','reached':0.125},{'model':'@'}],"
    "'suppression':{'limit':12,'rows':10},'algorithm':'@','recoding':'full-domain','cost':'ncp',"
    "'lattice':{'nodes':4,'checked':3,'anonymous':2,'minimal':[[0,1]],'complete':true},"
    "'solution':{'levels':[0,1],'height':1,'cuts':null,'groups':9,'smallest_group':3},"
    "'optimal':false,'bound':0.01,'search':\x02,"
    "'metrics':{'height':1,'ncp':0.0625,'classification':null},"
    "'release':{'path':'@','rows':110,'keeps_suppressed':true},'verified':true,"
    "'time_ms':{'search':1500.5},"
    "'report':{'merged_below':3,'suppressed_share':0.08333,'seed':1,"
    "'table':{'all':5,'quasi_identifiers':2,'sensitive':1,'left_out':1,'unchanged':1},"
    "'command':'kanon anonymize @','costs':{'ncp':'@'},"
    "'files':[{'role':'input','column':null,'path':'@','bytes':null,'sha256':null,"
    "'left_out':'guessable'},{'role':'hierarchy','column':'@','path':'@','bytes':12,"
    "'sha256':'@','left_out':null}],"
    "'columns':[{'name':'@','role':'quasi-identifier','change':'level','level':1,'height':2,"
    "'hierarchy':'@','distinct_before':40,'labels':3,'values':[{'label':'@','released':60,"
    "'before':66},{'label':'','released':40,'before':null}],'rest':{'labels':1,'released':10,"
    "'before':10},'hidden':{'before':4},'merged':{'before':40,'released':40},'tells_before':true}],"
    "'most_hit':[{'column':'@','label':'@','before':66,'suppressed':6,'share':0.0909}],"
    "'group_sizes':[{'least':1,'most':2,'groups_before':4,'rows_before':6,'groups_released':0,"
    "'rows_released':0},{'least':3,'most':4,'groups_before':3,'rows_before':10,"
    "'groups_released':9,'rows_released':33}],"
    "'risk':{'threshold':3,'before':{'groups':44,'highest':1.0,'average':0.36,'marketer':0.36,"
    "'share_at_risk':null,'share_unique':0.25},'released':{'groups':9,'highest':0.3333,"
    "'average':0.08,'marketer':0.08,'share_at_risk':0.0,'share_unique':0.0}},"
    "'sample':{'columns':['@'],'other_columns':1,'rows':[{'group_rows':9,'values':['@']}]},"
    "'lattice':{'tops':[1,1],'chosen':[0,1],'heights':[{'height':0,'nodes':1,'passing':0,"
    "'minimal':0},{'height':1,'nodes':2,'passing':1,'minimal':1},{'height':2,'nodes':1,"
    "'passing':1,'minimal':0}],'nodes':[{'levels':[0,0],'passes':false,'minimal':false,"
    "'chosen':false},{'levels':[0,1],'passes':true,'minimal':true,'chosen':true},"
    "{'levels':[1,0],'passes':false,'minimal':false,'chosen':false},"
    "{'levels':[1,1],'passes':true,'minimal':false,'chosen':false}]},"
    "'alternatives':{'minimal':1,'measured':1,'nodes':[{'levels':[0,1],'height':1,'chosen':true,"
    "'groups':9,'suppressed':null,'costs':{'height':1,'ncp':0.0625}}]},"
    "'partition':{'columns':['@','b'],'svg':'@'},"
    "'workload':{'queries':5,'error':{'mean':0.1,'median':0.05,'percentile_90':0.2}}}"
    ",'internal':{'columns':['@'],'smallest':[{'row':7,'group_rows':3,'raw':['@'],"
    "'released':['@']}],'largest':[],'suppressed':[{'row':9,'raw':['@']}],'files':[],"
    "'workload':null,'values':[{'name':'@','labels':1,'values':[{'label':'@','released':3,"
    "'before':null}],'rest':null,'hidden':null,'merged':null,'tells_before':false}]}}";

static const char moments[] =
    "{'states':500,'choices':20,'gap':0.25,'moments':[{'seconds':0.001,'states':1,'cost':900,"
    "'bound':10},{'seconds':0.5,'states':300,'cost':40,'bound':30}]}";

/* The document with " for '. */
static json_t *make_document(bool has_moments, bool is_internal) {
    char *text = malloc(sizeof document + sizeof moments + 8);
    size_t n = 0;
    assert_non_null(text);
    for (const char *at = document; *at; at++) {
        if (!is_internal && strncmp(at, ",'internal'", 11) == 0) {
            text[n++] = '}';
            break;
        }
        const char *part = has_moments ? moments : "null";
        if (*at != '\x02') {
            text[n++] = *at == '\'' ? '"' : *at;
            continue;
        }
        for (; *part; part++)
            text[n++] = *part == '\'' ? '"' : *part;
    }
    text[n] = '\0';
    json_error_t error;
    json_t *object = json_loads(text, 0, &error);
    if (!object)
        fail_msg("%s at %d", error.text, error.position);
    free(text);
    return object;
}

/* Every string with an @ in it becomes the value. */
static void fill(json_t *at, const char *value) {
    const char *key;
    json_t *member;
    size_t i;
    json_object_foreach(at, key, member) fill(member, value);
    json_array_foreach(at, i, member) fill(member, value);
    if (json_is_string(at) && strchr(json_string_value(at), '@'))
        assert_int_equal(json_string_set(at, value), 0);
}

static kan_text print(kan_run *run, const json_t *object) {
    kan_text text;
    kan_text_init(&text, run);
    assert_int_equal(kan_report_page_print(run, object, &text), KAN_OK);
    return text;
}

static void every_number_is_the_one_of_the_document(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (int has_moments = 0; has_moments < 2; has_moments++) {
        json_t *object = make_document(has_moments, true);
        kan_text text = print(run, object);
        expect_safe_page(text.bytes);
        assert_true(expect_page_numbers(text.bytes, object) > 60);
        kan_text_destroy(&text);
        json_decref(object);
    }
    kan_run_destroy(run);
}

static void hostile_values_are_text_and_nothing_else(void **state) {
    (void)state;
    static const char *const values[] = {"<script>alert(1)</script>",
                                         "\"><img src=x onerror=alert(1)>",
                                         "' onload='x",
                                         "--><svg/onload=x>",
                                         "</title></style></script><script>",
                                         "&lt;b&gt;",
                                         "\x01\x02\x1b[31m",
                                         "\u202eabc\u2066\xc2\x9b;31m",
                                         "a\nb\tc\r",
                                         "javascript:alert(1)",
                                         "=cmd|' /C calc'!A0",
                                         "]]>",
                                         "{{7*7}}"};
    kan_run *run = kan_run_create();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        json_t *object = make_document(i % 2, true);
        fill(object, values[i]);
        assert_int_equal(
            json_object_set_new(json_object_get(object, "metrics"), values[i], json_integer(7)), 0);
        kan_text text = print(run, object);
        expect_safe_page(text.bytes);
        assert_null(strstr(text.bytes, "<script"));
        assert_null(strstr(text.bytes, "\u202e"));
        assert_null(strstr(text.bytes, "\xc2\x9b"));
        kan_text_destroy(&text);
        json_decref(object);
    }
    kan_run_destroy(run);
}

static void a_megabyte_of_value_is_cut(void **state) {
    (void)state;
    enum { SIZE = 1 << 20 };
    kan_run *run = kan_run_create();
    json_t *object = make_document(false, true);
    char *value = malloc(SIZE + 1);
    memset(value, 'w', SIZE);
    value[SIZE] = '\0';
    fill(object, value);
    (void)json_object_del(json_object_get(object, "report"), "partition");
    kan_text text = print(run, object);
    assert_true(text.size < 200000);
    expect_safe_page(text.bytes);
    free(value);
    kan_text_destroy(&text);
    json_decref(object);
    kan_run_destroy(run);
}

/* Puts something else in the place of each member in turn. Returns false behind the last. */
static bool spoil(json_t *at, size_t *n, json_t *instead) {
    const char *key;
    json_t *member;
    size_t i;
    json_object_foreach(at, key, member) {
        if ((*n)-- == 0)
            return json_object_set(at, key, instead) == 0;
        if (spoil(member, n, instead))
            return true;
    }
    json_array_foreach(at, i, member) {
        if ((*n)-- == 0)
            return json_array_set(at, i, instead) == 0;
        if (spoil(member, n, instead))
            return true;
    }
    return false;
}

static void whatever_is_missing_or_odd_the_page_is_whole(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    json_t *odd[] = {json_null(), json_string("<odd>"), json_integer(-3), json_array(),
                     json_real(1e300)};
    json_t *whole[] = {make_document(false, true), make_document(true, true)};
    for (size_t n = 0;; n++) {
        json_t *object = json_deep_copy(whole[n % 2]);
        size_t left = n;
        if (!spoil(object, &left, odd[n % 5])) {
            json_decref(object);
            break;
        }
        kan_text text = print(run, object);
        expect_safe_page(text.bytes);
        kan_text_destroy(&text);
        json_decref(object);
    }
    for (size_t i = 0; i < 5; i++)
        json_decref(odd[i]);
    json_decref(whole[0]);
    json_decref(whole[1]);
    kan_run_destroy(run);
}

static size_t count(const char *text, const char *word) {
    size_t n = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        n++;
    return n;
}

static void an_internal_page_says_so_everywhere(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    json_t *object = make_document(false, true), *other = make_document(false, false);
    kan_text internal = print(run, object), shared = print(run, other);
    assert_non_null(strstr(internal.bytes, "<title>INTERNAL"));
    assert_non_null(strstr(internal.bytes, "class=\"stamp\""));
    assert_int_equal(count(internal.bytes, "<section"),
                     count(internal.bytes, "<span class=\"tag\">internal</span>"));
    assert_null(strstr(shared.bytes, "INTERNAL"));
    assert_null(strstr(shared.bytes, "class=\"stamp\""));
    assert_int_equal(count(shared.bytes, "class=\"tag\""), 0);
    kan_text_destroy(&internal);
    kan_text_destroy(&shared);
    json_decref(object);
    json_decref(other);
    kan_run_destroy(run);
}

/* The item of "What is not promised" about sensitive values. */
static void expect_limit(const char *models, double confidence, const char *const *words) {
    kan_run *run = kan_run_create();
    json_t *object = make_document(false, false);
    json_t *column = json_pack("[{s:s, s:f, s:i}]", "column", "illness", "confidence", confidence,
                               "rows_certain", confidence < 1 ? 0 : 12);
    assert_int_equal(json_object_set_new(object, "privacy", json_loads(models, 0, NULL)), 0);
    assert_int_equal(json_object_set_new(json_object_get(object, "report"), "sensitive", column),
                     0);
    kan_text text = print(run, object);
    const char *limits = strstr(text.bytes, "<section id=\"limits\"");
    assert_non_null(limits);
    for (; *words; words++)
        if (!strstr(limits, *words))
            fail_msg("%s: %s", *words, limits);
    assert_true(expect_page_numbers(text.bytes, object) > 40);
    expect_safe_page(text.bytes);
    kan_text_destroy(&text);
    json_decref(object);
    kan_run_destroy(run);
}

static void what_a_promise_leaves_open_is_named_with_the_confidence_reached(void **state) {
    (void)state;
    expect_limit("[{\"model\":\"k-anonymity\",\"k\":3}]", 1,
                 (const char *const[]){"Nothing is promised about sensitive values", "homogeneity",
                                       "attribute disclosure", ">100\u202f%</data> sure",
                                       ">12</data> rows are in groups that have one value alone",
                                       NULL});
    expect_limit("[{\"model\":\"l-diversity\",\"kind\":\"distinct\",\"l\":2}]", 0.995,
                 (const char *const[]){"need not be equally likely", "skewness",
                                       "attribute disclosure", ">99.5\u202f%</data> sure",
                                       "similarity", NULL});
    expect_limit("[{\"model\":\"alpha\",\"alpha\":0.5,\"values\":null}]", 0.5,
                 (const char *const[]){"up to the share that was promised", "skewness",
                                       ">50.0\u202f%</data> sure", NULL});
    expect_limit("[{\"model\":\"t-closeness\",\"t\":0.2}]", 0.25,
                 (const char *const[]){"as far as t allows", ">25.0\u202f%</data> sure", NULL});
}

static void headings_go_down_by_one(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    json_t *object = make_document(true, true);
    kan_text text = print(run, object);
    int level = 0;
    for (const char *at = text.bytes; (at = strstr(at, "<h")) != NULL; at++)
        if (at[2] >= '1' && at[2] <= '6' && at[3] == '>') {
            assert_true(at[2] - '0' <= level + 1);
            level = at[2] - '0';
        }
    assert_int_equal(count(text.bytes, "<h1>"), 1);
    assert_int_equal(count(text.bytes, "<html lang="), 1);
    kan_text_destroy(&text);
    json_decref(object);
    kan_run_destroy(run);
}

static void the_page_asks_nothing_of_the_network(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    json_t *object = make_document(true, false);
    kan_text text = print(run, object);
    assert_non_null(strstr(text.bytes, "default-src 'none'"));
    assert_null(strstr(text.bytes, "://"));
    assert_null(strstr(text.bytes, "url("));
    assert_null(strstr(text.bytes, "@import"));
    assert_true(text.size < 100000);
    kan_text_destroy(&text);
    json_decref(object);
    kan_run_destroy(run);
}

/* The page of a document whose release has this path. */
static kan_text print_release(kan_run *run, const char *path) {
    json_t *object = make_document(false, false);
    json_t *report = json_object_get(object, "report");
    assert_int_equal(
        json_string_set(json_object_get(json_object_get(object, "release"), "path"), path), 0);
    assert_int_equal(json_object_set_new(report, "date", json_string("2026-11-16")), 0);
    kan_text text = print(run, object);
    expect_safe_page(text.bytes);
    json_decref(object);
    return text;
}

static void title_and_foot_of_every_printed_page_name_the_release(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_text plain = print_release(run, "out/release.csv");
    assert_non_null(strstr(plain.bytes, "<title>release.csv \u2013 anonymization report, "
                                        "2026-11-16, kanon 0.1.0</title>"));
    assert_non_null(strstr(plain.bytes, "@bottom-left{content:\"release.csv \u2013 "
                                        "anonymization report\"}"));
    assert_non_null(strstr(plain.bytes, "counter(page)"));
    assert_non_null(strstr(plain.bytes, "<strong><bdi>release.csv</bdi></strong> on 2026-11-16"));
    kan_text hostile = print_release(run, "a\"}<b>\\*{}\u202e\n.csv");
    assert_non_null(strstr(hostile.bytes, "{content:\"a\\22 \\7d \\3c b\\3e "));
    assert_int_equal(count(hostile.bytes, "</style>"), 1);
    kan_text_destroy(&plain);
    kan_text_destroy(&hostile);
    kan_run_destroy(run);
}

/* On paper the signature is on the page of what is not promised, and numbers that a screen folds
 * away are there. */
static void paper_has_the_signature_with_what_is_not_promised_and_all_numbers(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    json_t *object = make_document(false, true);
    kan_text text = print(run, object);
    const char *paper = strstr(text.bytes, "@media print{");
    assert_non_null(paper);
    assert_non_null(strstr(paper, ".end{break-inside:avoid}"));
    assert_non_null(strstr(paper, "details::details-content{content-visibility:visible"));
    const char *end = strstr(paper, "<div class=\"end\">\n<section id=\"limits\">");
    assert_non_null(end);
    const char *sign = strstr(end, "</section>\n<section id=\"sign\">");
    assert_non_null(sign);
    assert_int_equal(count(end, "<section"), 2);
    assert_non_null(strstr(sign, "</section>\n</div>\n</main>"));
    kan_text_destroy(&text);
    json_decref(object);
    kan_run_destroy(run);
}

/* The verdict and its figures come before all words, and cells say what they are, for phones. */
static void figures_come_first_and_cells_of_wide_tables_are_labelled(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    json_t *object = make_document(false, true);
    fill(object, "a\"<b>");
    kan_text text = print(run, object);
    const char *figures = strstr(text.bytes, "<section id=\"promise\"");
    assert_non_null(figures);
    figures = strstr(figures, "<dl class=\"facts\" id=\"short\">");
    assert_non_null(figures);
    const char *promised = strstr(figures, "<h3>What is promised</h3>");
    assert_non_null(promised);
    assert_non_null(strstr(promised, "<nav"));
    assert_int_equal(count(text.bytes, "<h2>"), count(text.bytes, "<section"));
    const char *suppressed = strstr(figures, "<dt>Rows suppressed</dt>");
    assert_true(suppressed && suppressed < promised);
    assert_non_null(strstr(figures, "promised: <data value=\"3\" data-key=\"privacy.0.k\">"));
    assert_non_null(strstr(text.bytes, "<td class=\"v\" data-label=\"a&quot;&lt;b&gt;\">"));
    kan_text_destroy(&text);
    json_decref(object);
    kan_run_destroy(run);
}

static void lines_end_between_words_and_not_in_them(void **state) {
    (void)state;
    static const struct {
        const char *value, *shown;
    } cases[] = {
        {"education", "<bdi>education</bdi>"},
        {"Undergraduate", "<bdi>Undergraduate</bdi>"},
        {"Married-civ-spouse-and-so-on-and-on", "<bdi>Married-civ-spouse-and-so-on-and-on</bdi>"},
        {"level_of_education_of_all", "<bdi>level_<wbr>of_education_<wbr>of_all</bdi>"},
        {"abcdefghijklmnopqrstuvwxyz", "<bdi>abcdefghijklmnopqrstuvwx<wbr>yz</bdi>"},
    };
    kan_run *run = kan_run_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_text text;
        kan_text_init(&text, run);
        kan_page page = {.to = &text};
        kan_page_name(&page, cases[i].value, strlen(cases[i].value), 60);
        assert_int_equal(kan_text_status(&text), KAN_OK);
        assert_string_equal(text.bytes, cases[i].shown);
        kan_text_destroy(&text);
    }
    kan_run_destroy(run);
}

/* What a legend names is drawn. */
static void a_legend_names_only_what_is_drawn(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    json_t *object = make_document(true, true);
    kan_text with = print(run, object);
    assert_non_null(strstr(with.bytes, "lower bound: less is impossible"));
    json_t *moments_of = json_object_get(json_object_get(object, "search"), "moments");
    for (size_t i = 0; i < json_array_size(moments_of); i++)
        assert_int_equal(
            json_object_set_new(json_array_get(moments_of, i), "bound", json_integer(0)), 0);
    kan_text without = print(run, object);
    assert_null(strstr(without.bytes, "lower bound: less is impossible"));
    assert_non_null(strstr(without.bytes, "cost of the best answer so far"));
    kan_text_destroy(&with);
    kan_text_destroy(&without);
    json_decref(object);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_promise_leaves_open_is_named_with_the_confidence_reached),
        cmocka_unit_test(every_number_is_the_one_of_the_document),
        cmocka_unit_test(hostile_values_are_text_and_nothing_else),
        cmocka_unit_test(a_megabyte_of_value_is_cut),
        cmocka_unit_test(whatever_is_missing_or_odd_the_page_is_whole),
        cmocka_unit_test(an_internal_page_says_so_everywhere),
        cmocka_unit_test(headings_go_down_by_one),
        cmocka_unit_test(the_page_asks_nothing_of_the_network),
        cmocka_unit_test(title_and_foot_of_every_printed_page_name_the_release),
        cmocka_unit_test(paper_has_the_signature_with_what_is_not_promised_and_all_numbers),
        cmocka_unit_test(figures_come_first_and_cells_of_wide_tables_are_labelled),
        cmocka_unit_test(lines_end_between_words_and_not_in_them),
        cmocka_unit_test(a_legend_names_only_what_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
