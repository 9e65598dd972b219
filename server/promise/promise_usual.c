/* What others ask of a table that leaves the house: k alone, because that is all that these sources say. None is here
 * without one; the manual has the same table. */
#include "promise.h"

static const struct {
    unsigned k;
    const char *whom, *source;
} usual[] = {
    {5, "for recipients under an agreement",
     "the most common rule of data custodians: K. El Emam, Guide to the De-Identification of "
     "Personal Health "
     "Information, 2013"},
    {11, "for the public",
     "11 patients per cell: Health Canada, guidance on the Public Release of Clinical Information"},
    {12, "for the public, strictly below a risk of 0.09",
     "0.09: European Medicines Agency, external guidance on the implementation of Policy 0070"},
    {20, "for the public, where the values could do great harm",
     "0.05: Information and Privacy Commissioner of Ontario, De-identification Guidelines for "
     "Structured Data"},
};

void sv_promise_usual(const sv_request *request, sv_text *out) {
    const char *counted = sv_setting(request->project, "person", 0) ? "people" : "rows";
    sv_raw(
        out,
        "<section id=\"usual\"><details><summary><strong>What others ask for</strong>, by whom the "
        "release is for</summary>");
    sv_form(request, out, "promise");
    sv_raw(out, "<ul class=\"plain\">\n");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        sv_html(out,
                "<li><p><button type=\"submit\" class=\"plain small\" name=\"o.k\" "
                "value=\"%u\">k = %u</button> %s<br><small>%s</small></p></li>\n",
                usual[i].k, usual[i].k, usual[i].whom, usual[i].source);
    sv_html(
        out,
        "</ul></form><p class=\"note\">Conventions, most of them about patients, and no laws: your "
        "authority may have a rule of its own. They say how many %s look alike, and neither how "
        "many "
        "may be left out nor what protects sensitive columns: that stays as it is. <a "
        "href=\"/manual/choosing-a-method.html\">Where they come "
        "from</a></p></details></section>\n",
        counted);
}
