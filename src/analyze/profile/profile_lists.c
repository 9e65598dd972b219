/* Common names of people and places. Short lists: a column is judged by many values, and a share
 * of them is enough. In lower case and without accents, as the words of a value are folded. */
#include "analyze/profile/profile.h"
#include "core/signs.h"

#include <string.h>

enum { MOST_WORD = 40, MOST_WORDS = 5 };

static const char *const first_names =
    " adam adrian agnes agnieszka aino alan albert alberto alejandro aleksander aleksandra "
    "alessandro "
    "alessia alex alexander alexandra alexandru alexis alfred ali alice alicia aleksi alina amelia "
    "amy ana anastasia anders andre andrea andreas andreea andrei andrew andrzej angela anita anja "
    "ann anna anne anneke annika antoine anton antonia antonio antti arthur astrid aurelie barbara "
    "bart beata beatriz ben benjamin bernd bernhard birgit bjorn bob brian brigitte bruno camille "
    "carl carla carlos carmen carol carolina caroline caterina catherine cecilia celine charles "
    "charlotte chiara chloe chris christian christina christine christoph christophe christopher "
    "claire clara claudia claude cristian cristina daniel daniela daniele dave david deborah denis "
    "dennis diana diego dieter dimitris dirk dominik dominique donald dorota dorothy edward eero "
    "elena eleni elias elin elisa elisabeth elizabeth elke ella emil emilia emily emma emmanuel "
    "eric "
    "erik erika ernst esther eva evelyn ewa fabian fatma federico felix fernando filip finn "
    "florence florian francesca francesco francisco francois frank franz frederic frederik "
    "friedrich "
    "gabor gabriel gabriela gary george georg georgios gerard gerd gerhard gertrud giorgos "
    "giovanni "
    "giulia giuseppe grace greta grzegorz guillaume gunter gunther gustav hannah hanna hans harald "
    "harry heidi heike heinrich heinz helen helena helga henri henrik henry hermann holger horst "
    "hugo "
    "ian ida inge ingrid ioan ioana ioannis irene isabel isabella isabelle istvan ivan jack jacob "
    "jacques jakob jakub jan jana jane janos jason javier jean jeff jennifer jens jeremy jerzy "
    "jessica "
    "jesus jim jiri joan joanna joao joe johan johann johanna johannes john jonas jonathan jorge "
    "jose "
    "josef joseph juan juha julia julian julie juliette julien jurgen juergen justin kaisa karel "
    "karen "
    "karin karl karoline katarina katarzyna katharina kathleen katja katrin kees kenneth kerstin "
    "kevin "
    "klaas klaus konstantinos krzysztof kurt lars laszlo laura lauren laurent lea lena leo leon "
    "leonie "
    "li lina linda lisa louis louise luca lucas lucia lucie luis luisa lukas luke maciej magdalena "
    "malgorzata manfred manon manuel manuela marc marcel marcin marco marcos marek margaret "
    "margarethe "
    "maria mariana marianne marie marina mario marion mark marko markus marta martha martin "
    "martina "
    "martine mary mateusz mathieu matteo matthew matthias max maximilian megan mehmet melanie mia "
    "michael michal michel michele miguel mihai mika mikael mikko mohamed mohammed monica monika "
    "monique muhammad mustafa nadia nadine natalia natalie nathalie nathan nicolas nicole niels "
    "nikolaos "
    "nina noah nora olaf ole olga oliver olivia olivier oscar oskar otto pablo pamela paola paolo "
    "pascal patricia patrick paul paula pauline pavel pawel pedro peter petr petra petri philip "
    "philipp "
    "philippe pia pierre pieter piotr rachel radek rafael rainer ralf raquel raul rebecca regina "
    "renate richard riccardo rita robert roberto robin roland rolf roman ronald rosa rose roxana "
    "ruth "
    "ryan sabine salvatore samantha samuel sandra sara sarah scott sean sebastian sergio silvia "
    "simon "
    "simone sofia sofie sonia sonja sophie stefan stefania stefano stephan stephanie stephen steve "
    "steven susan susanne svein sven sylvia sylvie tamas tanja teresa theo theresa thomas tim timo "
    "timothy tobias tomas tomasz tom tony torsten ulrich ulrike ursula ute uwe valentina valerie "
    "vera "
    "veronica veronika victor victoria viktor vincent virginia volker walter waltraud werner "
    "wilhelm "
    "william willem wojciech wolfgang yasmin yusuf yves yvonne zbigniew zoe zofia zsolt zuzana ";

static const char *const last_names =
    " adams ahmed allen almeida alonso alvarez andersen anderson andersson bailey bakker barbieri "
    "baker barnes bauer baumann beck becker bell bennett berg berger bernard bianchi blanc bonnet "
    "braun brooks brown bruno butler campbell carlsson carter castro chen christensen clark clarke "
    "collins colombo conti cook cooper costa cox cruz cvetkovic davies davis dejong devries diaz "
    "dominguez dubois dupont durand edwards eriksson esposito evans fernandes fernandez ferrari "
    "ferreira fischer flores fontana foster fournier frank fuchs gallo garcia gil girard gomes "
    "gomez "
    "gonzales gonzalez gray green greco gruber gunther gustafsson haas hall hansen hansson harris "
    "hartmann hayes henry hernandez hill hofer hoffmann hofmann horvath howard huber hughes ivanov "
    "jackson jacobs james jansen janssen jansson jenkins jensen jimenez johansen johansson johnson "
    "jones jonsson jorgensen kaczmarek kaiser kelly keller khan kim king klein kiss koch kohler "
    "korhonen kovacs kowalczyk kowalski kozlowski kraus krause krueger kruger kuhn lambert lang "
    "larsen "
    "larsson laurent lee lefebvre lehmann leroy lewandowski lewis lopez lopes lorenz ludwig madsen "
    "maier makinen mancini marino marques martinez martins mayer meier mendez mercier meyer michel "
    "miller mitchell molina moller moeller moore morales moreau morel moreno moretti morgan morris "
    "mueller muller munoz murphy murray myers nagy navarro nelson neumann nguyen nielsen nieminen "
    "nikolaidis nilsson novak novotny nowak olsen olsson oliveira ortega ortiz papadopoulos parker "
    "patel pedersen pereira perez perry persson peters petersen peterson petrov pettersson "
    "phillips "
    "pinto pires popa popescu powell price ramirez ramos rasmussen reed reyes ricci richardson "
    "richter rivera rizzo roberts robinson rodrigues rodriguez rogers romano romero rossi roth "
    "rousseau "
    "roux rubio ruiz russell russo sanchez sanders santos sanz schmid schmidt schmitt schmitz "
    "schneider "
    "scholz schreiber schroder schroeder schubert schulte schulz schulze schuster schwarz scott "
    "serrano "
    "silva simmons smit smith soares sorensen souza stein steiner stewart suarez sullivan svensson "
    "svoboda szabo taylor thomas thompson torres toth turner vasquez vargas vandenberg visser "
    "virtanen "
    "vogel vogt wagner walker wang ward watson weber weiss werner white williams wilson winkler "
    "winter wisniewski wolf wood wright wojcik yilmaz young zimmermann zielinski ";

static const char *const places =
    "|alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|"
    "hawaii"
    "|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan"
    "|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico"
    "|new york|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island"
    "|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|west virginia"
    "|wisconsin|wyoming|district of columbia|puerto rico"
    "|baden-wurttemberg|baden-wuerttemberg|bayern|bavaria|berlin|brandenburg|bremen|hamburg|hessen"
    "|hesse|mecklenburg-vorpommern|niedersachsen|lower saxony|nordrhein-westfalen"
    "|rheinland-pfalz|saarland|sachsen|saxony|sachsen-anhalt|schleswig-holstein|thuringen|"
    "thueringen"
    "|burgenland|karnten|kaernten|niederosterreich|niederoesterreich|oberosterreich|oberoesterreich"
    "|salzburg|steiermark|tirol|vorarlberg|wien|vienna"
    "|zurich|bern|luzern|uri|schwyz|obwalden|nidwalden|glarus|zug|fribourg|freiburg|solothurn"
    "|basel-stadt|basel-landschaft|schaffhausen|appenzell|st. gallen|graubunden|aargau|thurgau"
    "|ticino|vaud|valais|neuchatel|geneve|genf|jura"
    "|alberta|british columbia|manitoba|new brunswick|newfoundland|nova scotia|ontario|quebec"
    "|saskatchewan|yukon"
    "|england|scotland|wales|northern ireland|united kingdom|uk|great britain|ireland|france|spain"
    "|portugal|italy|germany|deutschland|austria|osterreich|oesterreich|switzerland|schweiz|belgium"
    "|netherlands|luxembourg|denmark|danmark|sweden|sverige|norway|norge|finland|suomi|iceland|"
    "poland"
    "|polska|czech republic|czechia|slovakia|hungary|magyarorszag|romania|bulgaria|greece|hellas"
    "|croatia|slovenia|serbia|bosnia|albania|turkey|russia|ukraine|belarus|estonia|latvia|lithuania"
    "|usa|us|united states|united-states|canada|mexico|brazil|argentina|chile|peru|colombia"
    "|venezuela|cuba|china|japan|korea|india|pakistan|iran|iraq|syria|israel|egypt|morocco|algeria"
    "|nigeria|kenya|ghana|ethiopia|south africa|australia|new zealand|vietnam|thailand|philippines"
    "|indonesia|malaysia|afghanistan|espana|italia|frankreich|italien|spanien|polen|turkei|tuerkei"
    "|rumanien|rumaenien|kroatien|griechenland|italie|espagne|allemagne|belgique|suisse|";

/* Two or three capitals. */
static const char *const codes =
    "|AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|"
    "NY"
    "|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|PR|GU|VI|BW|BY|BE|BB|HB|HH|HE|MV|NI|"
    "NW"
    "|RP|SL|SN|ST|SH|TH|AT|CH|FR|ES|IT|PT|NL|LU|DK|SE|NO|FI|IS|PL|CZ|SK|HU|RO|BG|GR|HR|SI|RS|TR|RU|"
    "UA"
    "|EE|LV|LT|IE|GB|UK|US|BR|AR|CN|JP|KR|AU|NZ|ZA|MX|EG|MA|NG|IR|IQ|SY|AF|DEU|AUT|CHE|FRA|ESP|ITA"
    "|PRT|NLD|BEL|LUX|DNK|SWE|NOR|FIN|POL|CZE|SVK|HUN|ROU|BGR|GRC|HRV|SVN|SRB|TUR|RUS|UKR|GBR|IRL|"
    "USA"
    "|CAN|MEX|BRA|CHN|JPN|IND|AUS|ZH|LU|UR|SZ|OW|NW|GL|ZG|FR|SO|BS|BL|SH|AI|SG|GR|AG|TG|TI|VD|VS|GE"
    "|JU|AB|BC|MB|NB|NS|ON|QC|SK|PE|NT|YT|NU|";

/* A letter of a word in lower case and without its accent. Returns the bytes read. */
static size_t fold_letter(const char *at, size_t left, char *out) {
    const unsigned char c = (unsigned char)at[0], next = left > 1 ? (unsigned char)at[1] : 0;
    *out = kan_is_capital(at[0]) ? (char)(c | 0x20) : at[0];
    if (c < 0x80 || (next & 0xc0) != 0x80)
        return 1;
    *out = kan_profile_plain_letter(c, next);
    return 2;
}

static void fold_word(const char *word, size_t size, char out[MOST_WORD]) {
    size_t n = 0;
    for (size_t i = 0; i < size && n + 1 < MOST_WORD;)
        i += fold_letter(word + i, size - i, &out[n++]);
    out[n] = '\0';
}

static bool has_item(const char *list, char edge, const char *item) {
    char framed[MOST_WORD + 2];
    const size_t size = strlen(item);
    if (size + 3 > sizeof framed || size == 0)
        return false;
    framed[0] = framed[size + 1] = edge;
    memcpy(framed + 1, item, size);
    framed[size + 2] = '\0';
    return strstr(list, framed) != NULL;
}

bool kan_profile_is_name_like(kan_slice value) {
    unsigned n_words = 0;
    if (value.size < 2 || value.size > 60)
        return false;
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.bytes[i];
        const bool is_start = i == 0 || !kan_is_letter_byte(value.bytes[i - 1]);
        if (!kan_is_letter_byte(c) && (c == '\0' || !strchr(" ,.'-", c)))
            return false;
        /* small words stand inside (van, de) and after an apostrophe; others begin large */
        if (kan_is_letter_byte(c) && is_start && !(kan_is_capital(c) || (unsigned char)c >= 0x80) &&
            i == 0)
            return false;
        n_words += kan_is_letter_byte(c) && is_start;
    }
    return n_words >= 1 && n_words <= MOST_WORDS;
}

bool kan_profile_has_common_name(kan_slice value) {
    char word[MOST_WORD];
    for (size_t i = 0; i < value.size;) {
        size_t end = i;
        while (end < value.size && kan_is_letter_byte(value.bytes[end]))
            end++;
        if (end > i + 1) {
            fold_word(value.bytes + i, end - i, word);
            if (has_item(first_names, ' ', word) || has_item(last_names, ' ', word))
                return true;
        }
        i = end + 1;
    }
    return false;
}

bool kan_profile_is_place(kan_slice value) {
    char word[MOST_WORD];
    if (value.size >= MOST_WORD || value.size < 2 || memchr(value.bytes, '|', value.size))
        return false;
    if (value.size <= 3 && kan_is_capital(value.bytes[0]) && kan_is_capital(value.bytes[1])) {
        memcpy(word, value.bytes, value.size);
        word[value.size] = '\0';
        return has_item(codes, '|', word);
    }
    fold_word(value.bytes, value.size, word);
    return has_item(places, '|', word);
}
