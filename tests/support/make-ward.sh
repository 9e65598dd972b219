#!/usr/bin/env bash
# A table of a German hospital, invented: names, birth dates, several stays of a patient.
#
# make ward|plain: 240 stays of 80 patients as a ward of Germany writes them, or as kanon does.
awk -v as="$1" 'function num(whole, part,   text) { # 1.234,5 or 1234.5
    if (as == "plain") return whole "." part
    text = whole >= 1000 ? int(whole / 1000) "." sprintf("%03d", whole % 1000) : whole
    return text "," part
}
function day(y, m, d) {
    return as == "plain" ? sprintf("%d-%02d-%02d", y, m, d) : sprintf("%02d.%02d.%d", d, m, y)
}
function gone(sign) { return as == "plain" ? "" : sign }
BEGIN {
    split("Pneumonie Fraktur Asthma Diabetes", ill, " ")
    split("Müller Schäfer Nowak Rossi Weber Dupont Silva Kaya", last, " ")
    sep = ";"
    print "Patient" sep "Nachname" sep "geboren" sep "PLZ" sep "Geschlecht" sep "Gewicht" sep "Kosten" sep "Diagnose"
    for (s = 0; s < 240; s++) {
        p = (s * 7) % 80
        print 91000 + p * 13 sep last[1 + p % 8] sep day(1950 + p % 40, 1 + p % 12, 1 + p % 28) sep \
            sprintf("%05d", 4100 + p % 6 * 10) sep (p % 11 == 5 ? gone("NA") : p % 2 ? "m" : "w") sep \
            (p % 13 == 3 ? gone("NA") : p % 17 == 4 ? gone("-9") : num(55 + p % 40, p % 2 ? 5 : 25)) sep \
            num(400 + (s * 37) % 3000, 50) sep ill[1 + (p + int(s / 80)) % 4]
    }
}' | if [ "$1" = ward ]; then iconv -f utf-8 -t windows-1252; else cat; fi
