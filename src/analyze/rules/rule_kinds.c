/* The kinds of identifiers, and the words in names and labels of columns that speak for them: in the
 * languages that profile knows, folded as it folds them. A strong word is enough; a weak one is with a
 * word for a number beside it (insurance number, device id), and without it for a person to look at.
 *
 * A column that no word here speaks for is not clear by that: see rule_columns.c. */
#include "analyze/rules/rules.h"

static const kan_id_word words[KAN_ID_KINDS] = {
    [KAN_ID_NAME] = {"name", "names"},
    [KAN_ID_PLACE] = {"place", "places smaller than a state"},
    [KAN_ID_DATE] = {"date", "dates finer than a year, and ages above 89"},
    [KAN_ID_PHONE] = {"phone", "telephone numbers"},
    [KAN_ID_FAX] = {"fax", "fax numbers"},
    [KAN_ID_EMAIL] = {"email", "e-mail addresses"},
    [KAN_ID_SOCIAL] = {"social-security", "social security numbers"},
    [KAN_ID_RECORD] = {"medical-record", "medical record numbers"},
    [KAN_ID_PLAN] = {"health-plan", "health plan beneficiary numbers"},
    [KAN_ID_ACCOUNT] = {"account", "account numbers"},
    [KAN_ID_LICENSE] = {"license", "certificate and license numbers"},
    [KAN_ID_VEHICLE] = {"vehicle", "vehicle identifiers and license plates"},
    [KAN_ID_DEVICE] = {"device", "device identifiers and serial numbers"},
    [KAN_ID_URL] = {"url", "web addresses"},
    [KAN_ID_IP] = {"ip", "network addresses"},
    [KAN_ID_BIOMETRIC] = {"biometric", "biometric identifiers"},
    [KAN_ID_PHOTO] = {"photo", "full-face photographs and the like"},
    [KAN_ID_OTHER] = {"other", "other unique numbers, characteristics and codes"},
};

const kan_id_word *kan_id_word_of(kan_id_kind kind) {
    return &words[kind];
}

kan_id_kind kan_id_kind_find(const char *name) {
    unsigned kind = 0;
    while (kind < KAN_ID_KINDS && strcmp(words[kind].name, name) != 0)
        kind++;
    return (kan_id_kind)kind;
}

#define BIT(kind)  KAN_ID_BIT(KAN_ID_##kind)
#define NUMBER_BIT (1u << KAN_ID_KINDS)
#define CODE_BIT   (1u << (KAN_ID_KINDS + 1))
#define STATE_BIT  (1u << (KAN_ID_KINDS + 2))
#define JOINT_BIT  (1u << (KAN_ID_KINDS + 3))

static const kan_word_list strong_words[] = {
    {BIT(PHONE),
     "phone phones telephone tel telefon telefono telefone telefoon telefonnummer telephon "
     "telefonszam tilefono tlf puhelin puhelinnumero fon mobile mobil mobiltelefon mobilnr "
     "mobilnummer handy handynummer handynr cellphone cellnumber cellular cellulare celular movil "
     "portable gsm msisdn pager whatsapp telegram cell"},
    {BIT(FAX), "fax faxes telefax faxnummer faxnr faksi faks telecopie telecopieur"},
    {BIT(EMAIL), "email emails mail emailaddress courriel correo correoelectronico mejl epost "
                 "sahkoposti mailadresse"},
    {BIT(SOCIAL),
     "ssn sssn socsec socialsecurity socialsecurityno nin nino nir insee nss svn svnr rvnr ahv "
     "ahvnr avs "
     "numsecu numsecusociale pesel cpf dni nif nie bsn personnummer personnr cpr cprnr cprnummer "
     "fodselsnummer foedselsnummer fnr hetu henkilotunnus taj tajszam cnp amka afm rodnecislo "
     "rodnecis "
     "egn jmbg oib emso steuerid idnr tin itin aadhaar curp rfc nric codicefiscale codfiscale "
     "nationalid "
     "natid natregno nationalnumber rijksregisternummer insz niss sozialversicherungsnummer"},
    {BIT(RECORD),
     "mrn mpi empi medrec medicalrecord recordnumber chartnumber krankenblattnummer patientid "
     "patid "
     "patientno patientnumber patnr patientennummer patientennr nhsno nhsnumber newnhsno nhs "
     "fallnummer fallnr caseno casenumber encounterid hadm pid aktenzeichen aktennummer "
     "numerodossier ipp nip historiaclinica cartellaclinica"},
    {BIT(PLAN),
     "kvnr kvnummer versichertennummer versichertennr versichertenid versnr egk medicareno "
     "medicarenumber medicaid mbi hicn hic beneficiary subscriber policyholder memberid "
     "healthplan healthcard healthcardno gesundheitskarte versichertenkarte ohip mutuelle "
     "cartevitale krankenversichertennummer"},
    {BIT(ACCOUNT),
     "iban bic swift blz rib account accounts accountnumber acct konto kontonummer kontonr konta "
     "bankkonto compte comptebancaire cuenta conto conta rekening rekeningnummer ucet uctu tili "
     "tilinumero szamlaszam bankszamla cont logarismos creditcard kreditkarte kreditkarten "
     "cardnumber kartennummer kartennr cartebancaire paypal bitcoin wallet bankverbindung routing"},
    {BIT(LICENSE),
     "driverslicense driverslicence driverlicense drivinglicence licensenumber licencenumber "
     "fuehrerschein fuehrerscheinnummer passport passportno passeport pasaporte passaporto "
     "paszport "
     "reisepass reisepassnummer personalausweis ausweisnummer permis permiso patente korkort "
     "kjorekort ajokortti npi dea lanr bsnr"},
    {BIT(VEHICLE),
     "vin fin plate plates licenseplate licenceplate numberplate vehicleid vehicleregistration "
     "kennzeichen kfzkennzeichen nummernschild immatriculation plaque targa kenteken rejestracja "
     "spz "
     "rendszam rekisterinumero registreringsnummer fahrgestellnummer fahrgestellnr vehicleno"},
    {BIT(DEVICE),
     "imei imsi iccid udid udi idfa adid gaid deviceid deviceserial serialnumber serialno "
     "serienummer "
     "seriennummer serial mac macaddr macaddress macadresse geraetenummer implantid numserie"},
    {BIT(URL), "url urls uri website webseite homepage web www link links profileurl twitter "
               "facebook instagram "
               "linkedin xing skype sitioweb siteweb paginaweb"},
    {BIT(IP), "ip ipv4 ipv6 ipaddr ipaddress ipadresse adresseip direccionip hostname remoteaddr"},
    {BIT(BIOMETRIC), "fingerprint fingerprints fingerabdruck voiceprint voice stimme retina iris "
                     "palmprint faceprint "
                     "biometric biometrics biometrie biometrico empreinte huella impronta "
                     "vingerafdruk gait dna dnaid "
                     "genome genom signature unterschrift faceid touchid voicerecording"},
    {BIT(PHOTO),
     "photo photos photograph portrait face image images picture pictures foto fotos fotografie "
     "fotografia bild lichtbild passbild avatar selfie headshot valokuva fenykep mugshot dicom "
     "profilepic pic passphoto imagen immagine imagem"},
    {BIT(OTHER),
     "uuid guid fingerprintid username benutzername login loginname userlogin screenname passwort "
     "password pin token hash pseudonym pseudonyme pseudonimo barcode qrcode cookie rfid "
     "subjectid uid matrikelnummer matrikelnr studentid employeeid employeenumber personalnummer"},
    {BIT(PLACE),
     "address addresses addr adresse adressen anschrift direccion domicilio indirizzo endereco "
     "morada adres "
     "adresu ulica ulice adresa adresy adress osoite cim cime lakcim street streetname strasse str "
     "strassenname rue calle rua straat straatnaam gata gatuadress vej vei katu utca strada odos "
     "hausnummer hausnr hnr housenumber houseno huisnummer apartment aptno wohnung city town "
     "village "
     "suburb neighborhood neighbourhood precinct parish borough township county ort wohnort stadt "
     "gemeinde landkreis kreis ortsteil stadtteil ville commune quartier arrondissement ciudad "
     "barrio "
     "municipio comuna comune citta quartiere cidade freguesia concelho stad gemeente woonplaats "
     "wijk "
     "miasto gmina powiat miejscowosc mesto obec okres kommun kommune kaupunki kunta varos "
     "telepules "
     "oras judet poli grad opcina hometown birthplace tract censustract geocode geohash lat lon "
     "lng "
     "latitude longitude gps coordinates coordinate coord coords breitengrad laengengrad latitud "
     "longitud latitudine longitudine easting northing fips cbsa msa puma ags gemeindeschluessel "
     "postanschrift wohnanschrift residence"},
};

/* Long enough to mean the same wherever they stand. */
static const kan_word_list strong_stems[] = {
    {BIT(PHONE), "telephone telefon phonenumber mobilephone cellphone телефон 电话 τηλέφωνο"},
    {BIT(FAX), "faxnum telefax"},
    {BIT(EMAIL), "email"},
    {BIT(SOCIAL), "socialsecurity sozialversicherung nationalid снилс инн 身份证"},
    {BIT(RECORD),
     "medicalrecord patientid patientnumber patientno patientennummer patientennr patientenid"},
    {BIT(PLAN), "versichertennummer versichertennr healthplan beneficiar subscriberid memberid"},
    {BIT(ACCOUNT), "accountnumber accountno kontonummer creditcard cardnumber kreditkart"},
    {BIT(LICENSE), "driverslicen driverlicen drivinglicen passport reisepass паспорт licensenum "
                   "licencenum certificatenum"},
    {BIT(VEHICLE), "licenseplate licenceplate kennzeichen vehicleid"},
    {BIT(DEVICE), "serialnumber seriennummer deviceid deviceserial macaddress"},
    {BIT(IP), "ipaddress"},
    {BIT(BIOMETRIC), "fingerprint voiceprint biometri fingerabdruck"},
    {BIT(PHOTO), "photograph portrait"},
    {BIT(PLACE), "streetaddress postaladdress hausnummer latitude longitude адрес 地址 διεύθυνση "
                 "城市 город birthplace hometown"},
};

static const kan_word_list weak_words[] = {
    {BIT(RECORD), "patient patients patienten patientin pat medical medizinisch record records "
                  "chart case fall akte "
                  "dossier encounter episode visit stay admission sejour historia cartella "
                  "hospital krankenakte"},
    {BIT(PLAN),
     "insurance versicherung versicherungs krankenversicherung krankenkasse krankenkassen kasse "
     "assurance "
     "seguro assicurazione verzekering ubezpieczenia ubezpieczenie pojisteni forsakring forsikring "
     "vakuutus biztositas asigurare plan policy police poliza polizza member mitglied membre "
     "miembro "
     "insured versicherte versicherter assure medicare payer"},
    {BIT(ACCOUNT), "bank billing invoice rechnung rechnungs facture factura fattura faktura card "
                   "karte kartei customer kunde kunden guarantor"},
    {BIT(LICENSE), "license licence lizenz certificate zertifikat certificat certificado "
                   "registration identity ausweis permit driver"},
    {BIT(VEHICLE), "vehicle car fahrzeug kfz voiture vehiculo veicolo auto"},
    {BIT(DEVICE), "device geraet geraete appareil dispositivo apparaat urzadzenia enhet laite "
                  "keszulek implant pacemaker "
                  "prosthesis sensor pump monitor equipment machine"},
    {BIT(SOCIAL), "social sozial national nacional tax steuer citizen person persons personal"},
    {BIT(BIOMETRIC), "finger voiceid genetic genotype"},
    {BIT(OTHER), "employee student subject participant user"},
    {BIT(PLACE), "region district area zone site location lugar lieu ort standort clinic ward"},
    {NUMBER_BIT,
     "id ids nr no num number numbers nummer nummern numer numero numeros nro nbr cislo szam szama "
     "identifier identifiant identificador identificativo identificatore identyfikator "
     "identifikator "
     "identifikation identification kennung kennnummer kennziffer kennzahl "
     "token "
     "serial matricule tunnus hash nmbr numbr nummero"},
    {CODE_BIT, "code key schluessel kod kode codigo codice"},
    {STATE_BIT, "state states country countries nation land bundesland staat pays pais paese stato "
                "estado canton kanton "
                "province nationality citizenship"},
    {JOINT_BIT, "of the de du des del da do der die das s n"},
};

static const kan_vocabulary strong = {strong_words, strong_stems,
                                      sizeof strong_words / sizeof *strong_words,
                                      sizeof strong_stems / sizeof *strong_stems};
static const kan_vocabulary weak = {weak_words, NULL, sizeof weak_words / sizeof *weak_words, 0};

/* What others know of people: with a code beside it, a sex_code, it is that, and no number of theirs. */
#define KNOWN                                                                                      \
    (KAN_WORD_DATE | KAN_WORD_AGE | KAN_WORD_SEX | KAN_WORD_POSTCODE | KAN_WORD_RACE |             \
     KAN_WORD_EDUCATION | KAN_WORD_JOB | KAN_WORD_FAMILY | KAN_WORD_HEALTH)

kan_name_kinds kan_rule_name_kinds(const char *name, size_t skip) {
    const unsigned sure = kan_profile_name_meanings(&strong, name, skip);
    const unsigned perhaps = kan_profile_name_meanings(&weak, name, skip);
    kan_name_kinds out = {.meanings =
                              kan_profile_name_meanings(&kan_profile_vocabulary, name, skip)};
    const bool is_number =
        (perhaps & NUMBER_BIT) || ((perhaps & CODE_BIT) && !(out.meanings & KNOWN));
    out.strong = (sure | (is_number ? perhaps & ~BIT(PLACE) : 0)) & KAN_ID_ALL;
    /* "IP address", "e-mail address": no place */
    if (out.strong & (BIT(IP) | BIT(EMAIL) | BIT(URL) | BIT(DEVICE)))
        out.strong &= ~BIT(PLACE);
    out.weak = perhaps & KAN_ID_ALL & ~out.strong;
    out.names_state = perhaps & STATE_BIT;
    return out;
}
