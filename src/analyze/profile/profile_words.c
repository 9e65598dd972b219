/* The words, by what they mean. Blank-separated, in lower case and without accents; German umlauts
 * as ae, oe, ue, for names are looked up with and without the e. The order means nothing. */
#include "analyze/profile/profile_words.h"

#include <string.h>

static const kan_word_list lists[] = {
    {KAN_WORD_FULL_NAME,
     "surname firstname lastname fullname forename givenname familyname middlename maidenname "
     "nickname alias initials initialen monogram signature unterschrift signatur photo portrait "
     "username benutzername screenname displayname fname lname vorname vornamen vname nachname "
     "nachnamen nname zuname familienname geburtsname rufname maedchenname namenszusatz prenom "
     "prenoms nomdefamille patronyme apellido apellidos cognome nomecognome sobrenome apelido "
     "achternaam voornaam voorletters roepnaam tussenvoegsel imie imiona nazwisko nazwiska "
     "prijmeni priezvisko krestnijmeno etternavn efternavn fornavn mellemnavn mellomnavn "
     "fornamn efternamn tilltalsnamn etunimi etunimet sukunimi keresztnev vezeteknev csaladnev "
     "utonev prenume numedefamilie onomateponymo eponymo prezime priimek teljesnev "},
    {KAN_WORD_NAME,
     "name names namen nom noms nome nombre nombres naam navn namn nimi jmeno meno nev neve nume "
     "numele onoma ime naziv nazwa"},
    {KAN_WORD_PERSON,
     "patient patients patienten patientin pat pt person persons personen personne persona pessoa "
     "persoon osoba osoby osoba henkilo szemely pacient pacienta pacjent pacjenta paciente "
     "paziente pasient potilas beteg asthenis customer cust client clients kunde kunden cliente "
     "klient klienta kund kunde asiakas ugyfel employee emp mitarbeiter personal staff employe "
     "empleado dipendente funcionario medewerker pracownik pracownika zamestnanec anstalld ansatt "
     "medarbejder tyontekija dolgozo angajat member mitglied mitglieder membre miembro socio "
     "membro lid czlonek clen medlem jasen subject participant proband probanden teilnehmer sujet "
     "participante partecipante deelnemer uczestnik ucastnik deltagare deltaker student pupil "
     "schueler eleve alumno studente aluno leerling uczen zak elev oppilas diak user benutzer "
     "nutzer utilisateur usuario utente gebruiker uzytkownik uzivatel anvandare bruger bruker "
     "kayttaja felhasznalo utilizator doctor physician arzt aerztin hausarzt medecin medico dokter "
     "arts lekarz lekar lakare lege laege laakari orvos medic iatros nurse pfleger therapist "
     "therapeut provider practitioner behandler caregiver clinician surgeon operateur referrer "
     "mother father mutter vater mere pere madre padre mae pai moeder vader matka matki ojciec "
     "otec mor far parent parents guardian contact kontakt kontaktperson nextofkin kin holder "
     "owner inhaber halter besitzer titulaire titular titolare insured versicherte versicherter "
     "versicherten assure asegurado assicurato segurado verzekerde policyholder beneficiary "
     "applicant antragsteller respondent befragter interviewer voter waehler tenant mieter "
     "resident bewohner donor spender victim opfer suspect defendant debtor schuldner passenger "
     "driver fahrer traveller guest gast player autor author sender recipient empfaenger animal "
     "subj individual witness zeuge plaintiff prisoner inmate kandidat bearbeiter sachbearbeiter "
     "untersucher operator manager supervisor betreuer "
     "ansprechpartner teacher lehrer docente trainer coach tutor responsable referent candidate "
     "employees people"},
    {KAN_WORD_THING,
     "product produkt producto prodotto produto item article artikel article brand marke variable "
     "column spalte feld field test analyte project projekt campaign category kategorie type typ "
     "event course kurs class group gruppe team ship hotel bank shop restaurant value wert unit "
     "einheit method methode version format source quelle protocol trial study studie"},
    {KAN_WORD_ID_NUMBER,
     "ssn sssn nin nino nhs nhsno nhsnumber newnhsno mrn mpi empi pesel cpf dni nif nie siren "
     "siret "
     "nir bsn personnummer personnr cpr cprnr cprnummer fodselsnummer foedselsnummer fnr hetu "
     "henkilotunnus taj tajszam cnp amka afm rodnecislo rodnecis egn jmbg oib emso kvnr kvnummer "
     "versichertennummer versichertennr versichertenid versnr rvnr svnr svn ahv ahvnr avs steuerid "
     "idnr tin itin aadhaar curp rfc rut nric hkid codicefiscale codfiscale nss egk uuid guid "
     "hesid encryptedhesid matrikelnummer "
     "matrikelnr matrikel plate plates licenseplate licenceplate numberplate vehicleregistration "
     "kennzeichen kfzkennzeichen nummernschild immatriculation plaque targa kenteken rejestracja "
     "spz rendszam rekisterinumero registreringsnummer vin fin fahrgestellnummer imei imsi iccid "
     "msisdn udid idfa adid gaid deviceid serialnumber serialno serienummer seriennummer passport "
     "passportno passeport pasaporte passaporto paszport pas reisepass personalausweis ausweis "
     "socialsecurity socialsecurityno ausweisnummer nationalid identitycard fingerprint biometric "
     "medicarenumber medicareno pid uid subjectid socsec natid natregno nationalnumber "
     "rijksregisternummer insz niss numsecu numsecusociale secu lanr bsnr ik chinumber chino "
     "healthcard gesundheitskarte versichertenkarte healthcardno ohip tajsz szemelyiszam orgnr"},
    {KAN_WORD_NUMBER,
     "id ids nr no num number numbers nummer nummern numer numery numero numeros nro nbr cislo "
     "szam szama azonosito identifier identifiant identificador identificativo identificatore "
     "identificacao identyfikator identifikator identifikation identification ident kennung "
     "kennnummer kennziffer kennzahl key schluessel token serial matricule matricula matricola "
     "tunnus numarul numar arithmos hash pseudonym pseudonyme pseudonimo pseudo rowid recordid "
     "nmbr numbr laufnummer aktenzeichen aktennummer geschaeftszeichen epikey"},
    {KAN_WORD_CODE,
     "code kod kode koodi codigo codice kodikos ref reference referenz referencia referentie index "
     "record"},
    {KAN_WORD_CASE,
     "case fall encounter enc episode visit visite hadm stay icustay sejour dossier akte "
     "akten file chart krankenblatt krankenakte order orders auftrag bestellung commande pedido "
     "ordine zamowienie zamowienia objednavka bestelling invoice rechnung rechnungs facture "
     "factura fattura fatura faktury faktura claim schaden schadens sinistre policy police poliza "
     "polizza polisa polis contract vertrag vertrags contrat contrato contratto umowa umowy "
     "smlouva ticket booking buchung buchungs reservation transaction transaktion sample probe "
     "proben specimen echantillon muestra campione vial lab labor accession study studien trial "
     "screening randomisation randomization enrolment application antrag antrags request "
     "prescription rezept receta ricetta incident session journal sprawa sprawy przypadek "
     "przypadku pripad pripadu arende sag sags sak saks tapaus eset caz caso cas zaak expediente "
     "cartella historia historial row line zeile zeilen lfd laufende sequence seq obs observation "
     "admission aufnahme vorgang vorgangs belegnr beleg kranken behandlungsfall fallakte event "
     "loan credit donation tracking parcel shipment sendung referral ueberweisung befund "
     "aktenzeichen aktennummer "
     "geschaeftszeichen epikey"},
    {KAN_WORD_ISSUER,
     "insurance versicherung versicherungs krankenversicherung krankenversicherungs "
     "krankenversicherten sozialversicherung sozialversicherungs rentenversicherung "
     "rentenversicherungs sozial assurance seguro seguridad sicurezza assicurazione verzekering "
     "verzekerings ubezpieczenia ubezpieczenie pojisteni pojistence forsakring forsikring vakuutus "
     "biztositas biztositasi asigurare asfalisis tax steuer steuern steueridentifikations fiscal "
     "fiscale fiskalni license licence lizenz driverslicense driverslicence fuehrerschein permis "
     "carnet permiso patente korkort kjorekort korekort ajokortti social security sociale social "
     "medicare medicaid national nationale nacional krajowy narodni citizen identity identite "
     "identidad identita identitaet vat ust umsatzsteuer bank pension rente renten military badge "
     "card karte karten carte tarjeta tessera cartao kaart karta karty kort kortti device geraet "
     "geraete appareil dispositivo apparaat urzadzenia zarizeni enhet enheds laite keszulek "
     "implant "
     "pacemaker vehicle fahrzeug fahrzeugs fahrgestell chassis engine sim machine medical health "
     "sanitaria sante salud registration registrierungs register registre hospital krankenkasse "
     "krankenkassen kassen kv rv sv hic beneficiary certificate"},
    {KAN_WORD_CONTACT,
     "email emails mail emailaddress courriel correo correoelectronico mejl epost sahkoposti phone "
     "phones telephone tel telefon telefono telefone telefoon telefonnummer telephon telefonszam "
     "tilefono til tlf puhelin puhelinnumero fon mobile mobil mobiltelefon mobilnr mobilnummer "
     "handy handynummer handynr cellphone cellnumber cellular cellulare celular movil portable gsm "
     "fax telefax url uri website webseite homepage web www twitter facebook instagram linkedin "
     "skype whatsapp telegram address addresses addr address adresse adressen anschrift direccion "
     "domicilio indirizzo endereco morada adres adresu ulica ulice adresa adresy adress osoite cim "
     "cime lakcim dieuthynsi dieythynsi street streetname strasse strase str strassenname rue "
     "calle "
     "via rua straat straatnaam gata gatuadress gate vej vei katu utca strada odos hausnummer "
     "hausnr hnr housenumber houseno housenr huisnummer apartment aptno wohnung ip ipv4 ipv6 "
     "ipaddr mac macaddr macadresse hostname login loginname logon userlogin pager xing "
     "postanschrift wohnanschrift"},
    {KAN_WORD_ACCOUNT,
     "account accountnumber acct konto kontonummer kontonr konta bankkonto compte comptebancaire "
     "cuenta conto conta rekening rekeningnummer ucet uctu tili tilinumero szamlaszam bankszamla "
     "cont logarismos paypal bitcoin wallet"},
    {KAN_WORD_ID_NUMBER,
     "iban bic swift bankverbindung bankleitzahl blz rib creditcard kreditkarte kreditkarten "
     "cardnumber kartennummer kartennr cartebancaire sortcode routing password passwort kennwort "
     "motdepasse contrasena haslo heslo pin"},
    {KAN_WORD_EXACT_PLACE,
     "gps lat lon lng latitude longitude breitengrad laengengrad latitud longitud latitudine "
     "longitudine coordinates coordinate coord coords koordinaten koordinate coordonnees "
     "coordenadas coordinata geo geolocation geocode geohash geom geometry wkt easting northing "
     "utm what3words geopoint latlon latlng latlong"},
    {KAN_WORD_TEXT,
     "comment comments commentaire commentaires comentario comentarios commento commenti remark "
     "remarks remarque remarques bemerkung bemerkungen anmerkung anmerkungen notiz notizen note "
     "notes nota notas freitext freetext text texte texto testo tekst teksti szoveg kommentar "
     "kommentare kommentarer kommentti observations observacion observaciones observacoes "
     "osservazioni opmerking opmerkingen uwagi uwaga komentarz komentar poznamka poznamky "
     "megjegyzes observatii sxolia scholia parathriseis paratiriseis huomautus huomautukset "
     "merknad merknader bemaerkning bemaerkninger anmarkning anmarkningar description beschreibung "
     "descripcion descrizione descricao beschrijving toelichting opis popis beskrivelse "
     "beskrivning kuvaus leiras descriere perigrafi narrative memo message nachricht mensaje "
     "messaggio anamnese anamnesis anamnesi historytext arztbrief brief letter befundtext findings "
     "feedback complaint beschwerde beschwerden verbatim openended verlauf verlaufsnotiz epikrise "
     "epicrisis transcript betreff sonstiges hinweis hinweise begruendung notatka notatki zapis "
     "jegyzet notat notater muistiinpano chiefcomplaint clinicalnotes"},
    {KAN_WORD_BIRTH,
     "birth births birthday birthdate dob yob mob bday born geburt geburts geb gebdat gebdatum "
     "gebtag gebjahr gebj geboren geburtsdatum geburtstag geburtsjahr naissance datenaissance "
     "datenaiss naiss nacimiento fechanac fechanacimiento fnac fechanto nascita datanascita "
     "datadinascita nascimento datanasc datanascimento dtnasc geboorte geboortedatum urodzenia "
     "urodzen urodzony dataur narozeni narozen narodenia fodelse fodelsedatum fodelsear foedsel "
     "foedsels fodsel fodsels fodselsdato foedselsdato fodt foedt fodselsar syntyma syntymaaika "
     "syntymavuosi syntynyt szuletes szuletesi szul nastere nasterii datanasterii gennisi gennisis "
     "gennhsh gennhshs rodjenja rodenja rojstva dogum dtn ddn"},
    {KAN_WORD_DATE,
     "date dates datum dat fecha dt datetime timestamp zeitstempel zeitpunkt year yr jahr quarter "
     "quartal monat annee ano anno jaar maand dzien miesiac rok mesic manad maned paiva paivays "
     "pvm paivamaara vuosi kuukausi datuma honap imerominia hmeromhnia dato aar datumstempel "
     "startdate enddate seit zeitraum aujourdhui dta mois"},
    {KAN_WORD_TIME,
     "data time zeit uhrzeit hora heure ora tijd czas tid aika ido ideje day tag month mes mese "
     "giorno dia dag den jour tage week woche"},
    {KAN_WORD_EVENT,
     "admission admit admitted adm admi discharge discharged disch dis death deaths died deceased "
     "dod visit encounter aufnahme aufn entlassung entlassungs entl einweisung einweisungs "
     "verlegung verlegungs tod todes sterbe gestorben verstorben besuch besuchs eintritt eintritts "
     "austritt austritts hospitalisation admision ingreso alta egreso fallecimiento muerte "
     "defuncion entree sortie deces ricovero dimissione decesso morte internacao obito opname "
     "ontslag ontslags overlijden overlijdens przyjecia przyjecie wypis wypisu zgon zgonu prijeti "
     "propusteni umrti inskrivning inskrivnings utskrivning utskrivnings dods doeds innleggelse "
     "innleggelses utskrivelse indlaeggelse indlaeggelses udskrivning udskrivnings kuolema "
     "kuolin felvetel felveteli elbocsatas halal halalozas internare internarii externare "
     "externarii decesului eisagogi eisagogis exitirio thanatos thanatou hire hired hiring entry "
     "exit marriage wedding graduation registration enrollment vaccination impf purchase kauf "
     "appointment termin arrival departure ankunft created updated modified erstellt op operation "
     "operations surgery diagnosis treatment behandlung behandlungs test symptom onset start begin "
     "end ende beginn accident unfall crash last first letzter erster service shift survey "
     "interview procedure rezept prescription sample collection event"},
    {KAN_WORD_AGE, "age ages alter edad eta idade leeftijd wiek vek alder aalder ika eletkor "
                   "varsta ilikia hlikia "
                   "yas ageyears agegroup altersgruppe altersklasse lebensalter starost"},
    {KAN_WORD_SEX,
     "sex gender sexo sexe sesso genero genre geschlecht geslacht plec pohlavi pohlavie kon koen "
     "kjonn kjoenn sukupuoli cinsiyet spol nem sexul fylo fyllo prefix male female mezczyzna "
     "anrede salutation civilite"},
    {KAN_WORD_POSTCODE,
     "zip plz postcode zipcode postal postleitzahl cep cap psc postnr postnummer postinumero "
     "iranyitoszam codpostal codigopostal codepostal codicepostale kodpocztowy pocztowy pincode "
     "eircode lsoa lsoa11 outcode cp postkode tk zip3 zip5 zipcode postalcode"},
    {KAN_WORD_PLACE,
     "city town county state states region regions country district province municipality village "
     "suburb neighborhood neighbourhood borough parish place location stadt staedte ort wohnort "
     "wohnsitz geburtsort land bundesland bundeslaender kreis landkreis kreise gemeinde ortsteil "
     "stadtteil bezirk kanton regierungsbezirk ville pays departement commune canton quartier lieu "
     "ciudad pais provincia municipio comuna localidad poblacion lugar comune citta regione "
     "quartiere luogo paese cidade estado concelho distrito freguesia localidade stad provincie "
     "gemeente plaats woonplaats wijk miasto kraj wojewodztwo powiat gmina miejscowosc miejsce "
     "mesto obec okres zeme kommun lan laen kommune fylke kaupunki kunta maakunta maa "
     "paikkakunta varos telepules megye orszag oras orasul judet judetul localitate tara poli "
     "nomos chora hemort citizen colonia nation nationality citizenship nationalite nacionalidad "
     "nazionalita "
     "nacionalidade nationaliteit nationalitaet narodowosc obywatelstwo narodnost obcanstvo "
     "medborgarskap statsborgerskap kansalaisuus allampolgarsag cetatenie staatsangehoerigkeit "
     "staatsbuergerschaft herkunft herkunftsland birthplace residence residenz hometown tract "
     "censustract msa cbsa fips puma nuts nuts3 ags gemeindeschluessel standort continent "
     "kontinent natcountry lives livesin drzava grad opcina komune comunidad autonoma "
     "nationalitet"},
    {KAN_WORD_SITE,
     "hospital clinic klinik kliniken krankenhaus krankenhauses station abteilung department dept "
     "ward facility einrichtung hopital ospedale ziekenhuis szpital nemocnice sygehus sjukhus "
     "sykehus sairaala korhaz spital practice praxis site branch filiale store campus "
     "krankenkasse insurer payer gpprac center centre zentrum fachabteilung service servicio "
     "reparto afdeling oddzial oddeleni avdelning avdeling osasto osztaly sectie kasse"},
    {KAN_WORD_RACE,
     "race ethnicity ethnic ethnie ethnos raza etnia etnico etnicidad raca hispanic latino tribe "
     "caste rasse etnicita migrationshintergrund etnicitet ethnicgroup"},
    {KAN_WORD_EDUCATION,
     "education educ school degree educacion instruccion istruzione escolaridade escolaridad "
     "opleiding diploma qualification schulabschluss bildung bildungsabschluss bildungsgrad "
     "abschluss schule studium etudes niveauetudes wyksztalcenie vzdelani vzdelanie utbildning "
     "utdanning utdannelse uddannelse koulutus vegzettseg iskola educatie studii ekpaidefsi "
     "ekpaideysi titolostudio titolodistudio universitaet university college edlevel ausbildung "
     "hochschule"},
    {KAN_WORD_JOB,
     "occupation occup job jobtitle beruf berufs taetigkeit profession metier emploi profesion "
     "ocupacion puesto cargo professione lavoro occupazione profissao ocupacao beroep functie "
     "zawod "
     "stanowisko povolani zamestnani povolanie yrke jobb erhverv stilling ammatti foglalkozas "
     "munkakor profesie ocupatie epaggelma epangelma workclass employer arbeitgeber employeur "
     "empleador datore werkgever pracodawca zamestnavatel arbetsgivare arbeidsgiver company firma "
     "firm unternehmen entreprise empresa azienda bedrijf industry branche sector rank dienstgrad "
     "position specialization specialisation beschaeftigung employment title titel"},
    {KAN_WORD_FAMILY,
     "marital married maritalstatus relationship household children kids kinder kinderzahl enfants "
     "hijos figli filhos kinderen dzieci deti barn lapset gyermek gyerekek copii paidia spouse "
     "partner dependents siblings geschwister familienstand zivilstand zivstd etatcivil "
     "situationfamiliale estadocivil statocivile burgerlijkestaat stancywilny rodinnystav "
     "civilstand sivilstand civilstatus siviilisaaty csaladiallapot starecivila starcivila "
     "oikogeneiaki familysize haushalt haushaltsgroesse divorced widowed parity"},
    {KAN_WORD_HEALTH,
     "hiv aids icd icd10 icd9 cancer tumor tumour drug drugs bmi cholesterol glucose therapy "
     "surgery diagnosis diagnoses diagnose diagnosen diagnostic diagnostico diagnosi diagnoza "
     "diagnozy diagnoosi diagnozis diagnos dx disease illness krankheit erkrankung maladie "
     "enfermedad malattia doenca ziekte choroba nemoc sjukdom sygdom sykdom sairaus betegseg boala "
     "nosos health gesundheit sante salud salute saude medication medikament medikamente "
     "medikation medicine medicament medicamento farmaco lek leki lakemedel medicin treatment "
     "behandlung traitement tratamiento trattamento tratamento behandeling leczenie lecba "
     "therapie terapia symptom symptoms symptome sintomas disorder stoerung pregnancy pregnant "
     "schwangerschaft schwanger grossesse embarazo gravidanza gravidez disability behinderung "
     "handicap genetic genotype injury verletzung bloodpressure bloodtype blutgruppe blutdruck "
     "blood blut alcohol alkohol smoking smoker raucher tabac fumeur suicide mortality comorbidity "
     "allergy allergie allergies alergia vaccine vaccination impfung procedure ops prozedur "
     "operation op hba1c causeofdeath todesursache drg nyha psych depression mental dosage dose "
     "condition asthma diabetes hypertension dementia creatinine hemoglobin labresult"},
    {KAN_WORD_MONEY,
     "income salary wage wages pay earnings debt debts loan credit balance einkommen gehalt lohn "
     "verdienst schulden revenu revenus salaire ingreso ingresos sueldo salario nomina stipendio "
     "reddito retribuzione renda rendimento ordenado vencimento inkomen salaris loon dochod "
     "dochody "
     "zarobki wynagrodzenie pensja plat prijem mzda inkomst loen indkomst inntekt loenn lonn tulot "
     "palkka jovedelem fizetes venit venituri salariu eisodima misthos tax taxes rent miete "
     "mortgage wealth vermoegen assets networth capitalgain capitalloss creditscore benefits "
     "expenses ausgaben sozialhilfe welfare saldo solde"},
    {KAN_WORD_BELIEF,
     "religion religious faith church konfession bekenntnis religione religiao religie wyznanie "
     "nabozenstvi uskonto vallas religio thriskeia crime criminal offence offense offender arrest "
     "conviction convicted straftat vorstrafe vorstrafen verurteilung delito reato orientation "
     "sexualorientation sexuality vote voted party partei parti partido partito politics political "
     "politik tradeunion gewerkschaft syndicat sindicato sindacato denomination weltanschauung"},
    {KAN_WORD_SEEN,
     "language sprache langue idioma lingua taal jezyk jazyk sprak sprog kieli nyelv limba glossa "
     "muttersprache height weight groesse gewicht koerpergroesse koerpergewicht taille poids peso "
     "altura estatura statura lengte wzrost waga vyska vaha vikt laengd hoyde vekt pituus paino "
     "magassag suly inaltime greutate veteran vehicle car model eye hair augenfarbe haarfarbe "
     "hobby insurance versicherung versicherungsart"},
    {KAN_WORD_JOINT,
     "of the de du des del da do di der die das dem den am im at in on for fuer pour para per and "
     "und et y to from von van s n en es e status first last main primary secondary haupt neben "
     "full home work private privat business dienst emergency notfall alt neu old new current "
     "aktuell electronic clinical klinische form complete whole is has level niveau niva nivel "
     "livello poziom stufe grad desc"},
};

/* Long enough to mean the same wherever they stand. */
static const kan_word_list stems[] = {
    {KAN_WORD_FULL_NAME,
     "surname lastname firstname personname patientname patientenname familienname nachname "
     "nomdefamille фамилия фамилии отчество 姓名 氏名"},
    {KAN_WORD_NAME, "имя ονομα όνομα"},
    {KAN_WORD_ID_NUMBER,
     "socialsecurity passport reisepass versichertennummer versichertennr versicherungsnummer "
     "versicherungsnr sozialversicherung steuernummer steuernr steueridentifikation "
     "insurancenumber insuranceno driverslicen driverlicen drivinglicen fiscalcode codicefiscale "
     "nationalid patientid patientnumber patientno patientennummer patientennr patientenid "
     "personid employeeid customerid memberid kundennummer "
     "personalnummer kennzeichen licenseplate licenceplate seriennummer serialnumber "
     "身份证 паспорт снилс инн"},
    {KAN_WORD_CONTACT,
     "email telephone telefon phonenumber mobilephone streetaddress postaladdress hausnummer "
     "ipaddress macaddress 电话 地址 телефон адрес τηλέφωνο διεύθυνση"},
    {KAN_WORD_ACCOUNT, "accountnumber kontonummer"},
    {KAN_WORD_ID_NUMBER, "creditcard cardnumber kreditkart"},
    {KAN_WORD_TEXT,
     "comment kommentar commentaire comentario bemerkung anmerkung freitext freetext remarks "
     "observacion opmerking poznamk notizen комментар примечан"},
    {KAN_WORD_BIRTH,
     "birth geburt nacimiento naissance nascita nascimento geboorte urodzen fodsel foedsel fodels "
     "syntym szulet 出生 生年 рожден"},
    {KAN_WORD_DATE, "datum timestamp дата"},
    {KAN_WORD_AGE, "ageinyears agegroup altersgruppe altersklasse 年龄 年齢 возраст"},
    {KAN_WORD_SEX, "gender geschlecht 性别 性別"},
    {KAN_WORD_POSTCODE,
     "zipcode postcode postleitzahl codigopostal codepostal codicepostale postnummer postalcode "
     "邮编 郵便番号 индекс"},
    {KAN_WORD_PLACE,
     "country residence residenz nationalit nacionalidad staatsangeh citizenship birthplace "
     "hometown censustract bundesland landkreis wojewodztw 城市 国籍 страна город"},
    {KAN_WORD_RACE, "ethnic hispanic 民族"},
    {KAN_WORD_EDUCATION, "educat bildung schulabschluss 学历 образован"},
    {KAN_WORD_JOB, "occupat profess employer workclass jobtitle arbeitgeber 职业 職業 професси"},
    {KAN_WORD_FAMILY,
     "marital familienstand etatcivil estadocivil statocivil burgerlijk zivilstand familysize "
     "haushaltsgr 婚姻"},
    {KAN_WORD_HEALTH,
     "diagnos disease illness krankheit erkrankung maladie enfermedad malattia medication "
     "medikament treatment therap symptom disorder pregnan schwanger disabilit behinderung "
     "handicap "
     "bloodpressure bloodtype alcohol smoking suicid mortality allergi vaccin 诊断 疾病 диагноз"},
    {KAN_WORD_MONEY,
     "income salary einkommen salaire ingresos earning creditscore capitalgain capitalloss "
     "networth 收入 工资 年収 зарплат"},
    {KAN_WORD_BELIEF,
     "religio konfession politic crimin sexualorient tradeunion gewerkschaft 宗教"},
    {KAN_WORD_SEEN, "language muttersprache"},
};

char kan_profile_plain_letter(unsigned char lead, unsigned char next) {
    static const char latin[] = "aaaaaaaceeeeiiiidnooooo ouuuuypsaaaaaaaceeeeiiiidnooooo ouuuuypy";
    static const char extended[] = "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllll"
                                   "lllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzz"
                                   "zzs";
    if (lead == 0xc3)
        return latin[next & 0x3f];
    if (lead == 0xc8)
        return next == 0x98 || next == 0x99 ? 's' : next == 0x9a || next == 0x9b ? 't' : ' ';
    const size_t at = (size_t)(lead & 1) * 64 + (next & 0x3f);
    return (lead == 0xc4 || lead == 0xc5) && at < sizeof extended - 1 ? extended[at] : ' ';
}

const kan_vocabulary kan_profile_vocabulary = {lists, stems, sizeof lists / sizeof *lists,
                                               sizeof stems / sizeof *stems};

void kan_profile_words_at(const kan_vocabulary *vocabulary, const char *text,
                          uint32_t meanings[KAN_WORD_LONGEST + 1]) {
    memset(meanings, 0, (KAN_WORD_LONGEST + 1) * sizeof *meanings);
    for (size_t i = 0; i < vocabulary->n_lists; i++)
        for (const char *word = vocabulary->lists[i].words; *word;) {
            size_t size = 0;
            while (word[size] && word[size] != ' ' && word[size] == text[size])
                size++;
            if ((word[size] == ' ' || word[size] == '\0') && size > 0 && size <= KAN_WORD_LONGEST)
                meanings[size] |= vocabulary->lists[i].meaning;
            /* by hand: words are short, and a call for each costs more */
            for (word += size; *word && *word != ' ';)
                word++;
            word += *word == ' ';
        }
}

static int has_stem(const char *text, const char *name, const char *words) {
    char stem[64];
    for (const char *word = words; *word;) {
        const size_t size = strcspn(word, " ");
        if (size > 0 && size < sizeof stem) {
            memcpy(stem, word, size);
            stem[size] = '\0';
            if (strstr((unsigned char)stem[0] < 0x80 ? text : name, stem))
                return 1;
        }
        word += size;
        word += *word == ' ';
    }
    return 0;
}

uint32_t kan_profile_stems_in(const kan_vocabulary *vocabulary, const char *text,
                              const char *name) {
    uint32_t meanings = 0;
    for (size_t i = 0; i < vocabulary->n_stems; i++)
        if (has_stem(text, name, vocabulary->stems[i].words))
            meanings |= vocabulary->stems[i].meaning;
    return meanings;
}
