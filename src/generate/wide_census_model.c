/* The tables of the wide census; see wide_census_model.h for what they mean. Read a row of digits
 * against the lines of its column's hierarchy, or against the ends of its bands: same order. */
#include "generate/wide_census_model.h"

static const char *const SEX[] = {"Female;*", "Male;*"};

static const char *const BIRTHPLACE[] = {"Here;Here;Here;*",
                                         "Poland;Eastern-Europe;Europe;*",
                                         "Romania;Eastern-Europe;Europe;*",
                                         "Ukraine;Eastern-Europe;Europe;*",
                                         "Russia;Eastern-Europe;Europe;*",
                                         "Italy;Western-Europe;Europe;*",
                                         "Spain;Western-Europe;Europe;*",
                                         "France;Western-Europe;Europe;*",
                                         "Britain;Western-Europe;Europe;*",
                                         "Turkey;Middle-East;Asia;*",
                                         "Syria;Middle-East;Asia;*",
                                         "Iraq;Middle-East;Asia;*",
                                         "Iran;Middle-East;Asia;*",
                                         "India;Far-East;Asia;*",
                                         "China;Far-East;Asia;*",
                                         "Vietnam;Far-East;Asia;*",
                                         "Philippines;Far-East;Asia;*",
                                         "Nigeria;Africa;Elsewhere;*",
                                         "Ghana;Africa;Elsewhere;*",
                                         "Morocco;Africa;Elsewhere;*",
                                         "Egypt;Africa;Elsewhere;*",
                                         "United-States;America;Elsewhere;*",
                                         "Brazil;America;Elsewhere;*",
                                         "Mexico;America;Elsewhere;*"};

static const char *const MARITAL[] = {"Single;On-their-own;*",   "Married;In-a-union;*",
                                      "Partnered;In-a-union;*",  "Separated;On-their-own;*",
                                      "Divorced;On-their-own;*", "Widowed;On-their-own;*"};

static const char *const EDUCATION[] = {"None;Primary;School;*",
                                        "Grades-1-4;Primary;School;*",
                                        "Grades-5-8;Primary;School;*",
                                        "Grades-9-10;Secondary;School;*",
                                        "Grades-11-12;Secondary;School;*",
                                        "School-diploma;Secondary;School;*",
                                        "Apprenticeship;Vocational;Beyond-school;*",
                                        "Technician;Vocational;Beyond-school;*",
                                        "Bachelor;University;Beyond-school;*",
                                        "Master;University;Beyond-school;*",
                                        "Professional-degree;University;Beyond-school;*",
                                        "Doctorate;University;Beyond-school;*"};

static const char *const SCHOOL[] = {
    "Not-attending;Not-attending;*",     "Nursery;School;*",
    "Primary-school;School;*",           "Secondary-school;School;*",
    "Vocational-school;Beyond-school;*", "University;Beyond-school;*",
    "Evening-classes;Beyond-school;*"};

static const char *const WORK[] = {
    "Child;Dependent;Not-working;*",       "Full-time;Employed;Working;*",
    "Part-time;Employed;Working;*",        "Self-employed;Own-account;Working;*",
    "Family-helper;Own-account;Working;*", "Seeking;Available;Not-working;*",
    "Student;Dependent;Not-working;*",     "Retired;Withdrawn;Not-working;*",
    "Homemaker;Withdrawn;Not-working;*",   "Unable;Withdrawn;Not-working;*"};

static const char *const OCCUPATION[] = {"None;None;None;*",
                                         "Manager;Leading;Non-manual;*",
                                         "Lawyer;Leading;Non-manual;*",
                                         "Physician;Leading;Non-manual;*",
                                         "Engineer;Leading;Non-manual;*",
                                         "Teacher;Leading;Non-manual;*",
                                         "Scientist;Leading;Non-manual;*",
                                         "Nurse;Office;Non-manual;*",
                                         "Technician;Office;Non-manual;*",
                                         "Clerk;Office;Non-manual;*",
                                         "Accountant;Office;Non-manual;*",
                                         "Salesperson;Service;Manual;*",
                                         "Cook;Service;Manual;*",
                                         "Cleaner;Service;Manual;*",
                                         "Guard;Service;Manual;*",
                                         "Carer;Service;Manual;*",
                                         "Builder;Trades;Manual;*",
                                         "Electrician;Trades;Manual;*",
                                         "Machinist;Trades;Manual;*",
                                         "Driver;Trades;Manual;*",
                                         "Farmer;Trades;Manual;*",
                                         "Fisher;Trades;Manual;*"};

static const char *const INDUSTRY[] = {"None;None;*",
                                       "Agriculture;Primary;*",
                                       "Mining;Primary;*",
                                       "Manufacturing;Secondary;*",
                                       "Construction;Secondary;*",
                                       "Trade;Services;*",
                                       "Transport;Services;*",
                                       "Hospitality;Services;*",
                                       "Finance;Services;*",
                                       "Health;Public;*",
                                       "Education;Public;*",
                                       "Government;Public;*",
                                       "Other-services;Services;*"};

static const char *const TENURE[] = {
    "Owned;Owner;*",        "Mortgaged;Owner;*",          "Rented;Tenant;*",
    "Social-rent;Tenant;*", "Employer-housing;Neither;*", "Rent-free;Neither;*"};

static const char *const DWELLING[] = {
    "Detached;House;*",  "Semi-detached;House;*", "Terraced;House;*",
    "Farmhouse;House;*", "Small-block;Flat;*",    "Large-block;Flat;*",
    "Tower;Flat;*",      "Mobile-home;Other;*",   "Institution;Other;*"};

static const char *const HEATING[] = {
    "Gas;Fossil;*",        "Oil;Fossil;*",         "District-heat;Supplied;*",
    "Electric;Supplied;*", "Heat-pump;Supplied;*", "Wood;Solid;*",
    "Coal;Solid;*",        "None;None;*"};

static const char *const COMMUTE[] = {"None;None;None;*",
                                      "Driver;Car;Motorized;*",
                                      "Passenger;Car;Motorized;*",
                                      "Bus;Transit;Motorized;*",
                                      "Train;Transit;Motorized;*",
                                      "Tram;Transit;Motorized;*",
                                      "Bicycle;Active;Unmotorized;*",
                                      "Walking;Active;Unmotorized;*",
                                      "Works-at-home;None;None;*"};

static const char *const LANGUAGE[] = {
    "National;National;*", "English;European;*", "Spanish;European;*",  "French;European;*",
    "Italian;European;*",  "Polish;European;*",  "Romanian;European;*", "Russian;European;*",
    "Turkish;Asian;*",     "Arabic;Asian;*",     "Persian;Asian;*",     "Hindi;Asian;*",
    "Chinese;Asian;*",     "Vietnamese;Asian;*", "Hausa;African;*",     "Akan;African;*"};

static const char *const CITIZEN[] = {"Citizen;*", "Foreigner;*", "Dual-citizen;*"};

static const char *const DISABILITY[] = {"No;*", "Yes;*"};

static const char *const INSURANCE[] = {"Statutory;Public;*", "Private;Private;*",
                                        "Civil-servant;Public;*", "Foreign;Other;*",
                                        "Uninsured;Other;*"};

static const char *const SERVED[] = {"No;*", "Yes;*"};

static const char *const INTERNET[] = {"Yes;*", "No;*"};

static const char *const MOVED[] = {
    "Same-home;Near;Same-country;*",  "Same-district;Near;Same-country;*",
    "Same-region;Far;Same-country;*", "Other-region;Far;Same-country;*",
    "Europe;Abroad;Abroad;*",         "Overseas;Abroad;Abroad;*"};

static const char *const DIAGNOSIS[] = {"None;None;*",
                                        "Hypertension;Circulation;*",
                                        "Heart-disease;Circulation;*",
                                        "Diabetes;Metabolism;*",
                                        "Asthma;Lungs;*",
                                        "Depression;Mind;*",
                                        "Dementia;Mind;*",
                                        "Cancer;Other;*",
                                        "Back-pain;Other;*",
                                        "HIV;Other;*"};

static const char *const BENEFIT[] = {"None;*",    "Unemployment;*",    "Pension;*",
                                      "Housing;*", "Child-allowance;*", "Disability;*"};

static const kan_wide_numbers AGE = {
    "", 0, 1, 1, false, {4, 14, 17, 24, 34, 49, 64, 79, 95}, {5, 10, 20, 40}};

static const kan_wide_numbers DISTRICT = {
    "D", 100, 1, 2, false, {199, 299, 399, 499, 599, 699}, {5, 10, 50, 100, 300}};

static const kan_wide_numbers INCOME = {
    "", 0, 1, 1, true, {0, 9, 19, 29, 39, 59, 99, 199, 499, 999}, {5, 10, 20, 100, 500}};

static const kan_wide_numbers HOURS = {"",         0, 1, 1, true, {0, 14, 29, 37, 40, 49, 64, 98},
                                       {5, 10, 20}};

static const kan_wide_numbers CHILDREN = {"", 0, 1, 1, false, {0, 1, 2, 3, 5, 9}, {2, 4}};

static const kan_wide_numbers HOUSEHOLD = {"", 1, 1, 1, false, {1, 2, 3, 4, 5, 7, 12}, {2, 4}};

static const kan_wide_numbers ROOMS = {"", 1, 1, 1, false, {1, 2, 3, 4, 5, 6, 8, 12}, {2, 4}};

static const kan_wide_numbers RENT = {
    "", 0, 25, 1, false, {0, 275, 475, 675, 975, 1475, 2475, 4975}, {100, 200, 1000}};

static const kan_wide_numbers BUILT = {
    "", 1850, 1, 1, false, {1899, 1919, 1944, 1959, 1979, 1999, 2009, 2024}, {5, 10, 50}};

static const kan_wide_numbers VEHICLES = {"", 0, 1, 1, false, {0, 1, 2, 3, 4, 5}, {2}};

static const kan_wide_numbers MINUTES = {
    "", 0, 1, 1, true, {0, 9, 19, 29, 44, 59, 89, 179}, {5, 15, 30, 60}};

#define WORDS(lines)        sizeof(lines) / sizeof *(lines), (lines), NULL
#define NUMBERS(numbers, n) (n), NULL, &(numbers)

const kan_wide_domain kan_wide_domains[KAN_WIDE_COLUMNS] = {
    {"age", NUMBERS(AGE, 9), NULL, {{KAN_WIDE_ALONE, {"453556654"}}}},
    {"sex",
     WORDS(SEX),
     NULL,
     {{KAN_WIDE_AGE, {"77", "77", "77", "77", "77", "77", "77", "77", "87"}}}},
    {"district", NUMBERS(DISTRICT, 6), NULL, {{KAN_WIDE_ALONE, {"765443"}}}},
    {"birthplace",
     WORDS(BIRTHPLACE),
     "011111111222222223333333",
     {{KAN_WIDE_ALONE, {"944333222432232111121210"}},
      {KAN_WIDE_DISTRICT, {"01", "01", "0", "0", "10", "20"}},
      {KAN_WIDE_AGE, {"30", "20", "10", "0", "01", "01", "0", "0", "10"}}}},
    {"marital-status",
     WORDS(MARITAL),
     NULL,
     {{KAN_WIDE_AGE,
       {"9.", "9.", "9000.", "85610.", "776331", "685463", "584375", "473256", "362147"}},
      {KAN_WIDE_SEX, {"000001", "0"}}}},
    {"education",
     WORDS(EDUCATION),
     "000111223333",
     {{KAN_WIDE_AGE,
       {"9.", "497.", "02885.", "0135686463..", "112347757632", "113447757632", "124547656532",
        "235647645431", "346746534320"}},
      {KAN_WIDE_BIRTHPLACE, {"0", "000000100000", "110000001100", "110"}}}},
    {"school",
     WORDS(SCHOOL),
     NULL,
     {{KAN_WIDE_AGE,
       {"77.", "0298.", "4.0872.", "7.04572", "9..1253", "9...123", "9....01", "9....00", "9."}},
      {KAN_WIDE_EDUCATION, {"0", "0000100", "0000010", "0000020"}}}},
    {"work-status",
     WORDS(WORK),
     "0123345677",
     {{KAN_WIDE_AGE,
       {"9.", "9.", ".35.139.00", ".752247.22", ".865054.43", ".876052054", ".776140655",
        ".23410.955", ".0010..945"}},
      {KAN_WIDE_SEX, {"0010100020", "0100000000"}},
      {KAN_WIDE_EDUCATION, {"0000010010", "0", "01010", "0201000000"}}}},
    {"occupation",
     WORDS(OCCUPATION),
     "0111111222233333444444",
     {{KAN_WIDE_WORK, {"9.", ".0", ".0", ".220000000000300030202", "30", "9.", "9.", "9."}},
      {KAN_WIDE_EDUCATION,
       {"0100000013045744636551", "0400010337365545645640", "0500220675444135576330",
        "0866785545641012111120"}},
      {KAN_WIDE_SEX, {"0000010201000103000000", "0100200010000020332311"}},
      {KAN_WIDE_DISTRICT,
       {"011000000110", "01000010", "0", "0000000000000000002000", "0000000000000000000030",
        "0000000000000000000034"}}}},
    {"industry",
     WORDS(INDUSTRY),
     NULL,
     {{KAN_WIDE_OCCUPATION,
       {"9.", ".114342266764", ".115364266465", ".111263716346", ".537736101024"}},
      {KAN_WIDE_DISTRICT,
       {"0000000020000", "0000000010010", "0001000000000", "0031000000000", "0200000100000",
        "0300000200000"}}}},
    {"income",
     NUMBERS(INCOME, 10),
     "0000112233",
     {{KAN_WIDE_WORK,
       {"9.", ".135676410", ".576431000", "2566665431", "6753100...", "885310.", "278655310.",
        "774300."}},
      {KAN_WIDE_EDUCATION, {"0210000000", "0011100000", "0001210000", "0000012333"}},
      {KAN_WIDE_SEX, {"0011000000", "0000011111"}},
      {KAN_WIDE_OCCUPATION, {"0", "0000011222", "0001110000", "0121000000", "0011110000"}}}},
    {"hours",
     NUMBERS(HOURS, 8),
     NULL,
     {{KAN_WIDE_WORK, {"9.", ".0169541", ".476200.", ".3444564", "9.", "9.", "9.", "9."}},
      {KAN_WIDE_SEX, {"01100000", "00000011"}}}},
    {"children",
     NUMBERS(CHILDREN, 6),
     "012333",
     {{KAN_WIDE_AGE,
       {"9.", "9.", "90.", "9530..", "877410", "677520", "688631", "588742", "588753"}},
      {KAN_WIDE_MARITAL, {"500000", "011110", "0", "0", "0", "0"}}}},
    {"household",
     NUMBERS(HOUSEHOLD, 7),
     "0123444",
     {{KAN_WIDE_MARITAL, {"6543210", ".877530", ".865410", "7554310", "8664310", "8642100"}},
      {KAN_WIDE_AGE,
       {"0589875", "0589885", "0478764", "3333210", "2233210", "1234320", "3321000", "4410000",
        "5400000"}},
      {KAN_WIDE_CHILDREN, {"0", "0011100", "0001210", "0000123"}}}},
    {"rooms",
     NUMBERS(ROOMS, 8),
     "00112233",
     {{KAN_WIDE_HOUSEHOLD, {"56653210", "35676431", "24566542", "13456653", "02345664"}},
      {KAN_WIDE_INCOME, {"11100000", "00111000", "00011121", "00000135"}},
      {KAN_WIDE_DISTRICT, {"21100000", "11100", "0", "0", "0001110", "00001111"}}}},
    {"tenure",
     WORDS(TENURE),
     NULL,
     {{KAN_WIDE_INCOME, {"445602", "556412", "676110", "774000"}},
      {KAN_WIDE_AGE, {"0", "0", "0", "003101", "022000", "130000", "220000", "410000", "400100"}},
      {KAN_WIDE_DISTRICT, {"002100", "001100", "0", "0", "10", "20"}}}},
    {"rent",
     NUMBERS(RENT, 8),
     NULL,
     {{KAN_WIDE_TENURE, {"9620....", ".0256753", ".0367641", ".37741..", "3454310.", "9."}},
      {KAN_WIDE_INCOME, {"02210000", "00121000", "00001221", "00000135"}},
      {KAN_WIDE_DISTRICT, {"00001221", "00001110", "00011000", "00110000", "01100000", "02100000"}},
      {KAN_WIDE_ROOMS, {"02200000", "01110000", "00001100", "00000121"}}}},
    {"dwelling",
     WORDS(DWELLING),
     "000011122",
     {{KAN_WIDE_ROOMS, {"101066643", "344146540", "655243310", "743431000"}},
      {KAN_WIDE_DISTRICT,
       {"001013300", "011012100", "111010000", "211110000", "321200010", "421300020"}},
      {KAN_WIDE_TENURE, {"20", "10", "000011100", "000012200", "000010003", "0"}}}},
    {"built",
     NUMBERS(BUILT, 8),
     "00011222",
     {{KAN_WIDE_DWELLING, {"45466655", "54357765", "00024675"}},
      {KAN_WIDE_DISTRICT, {"21001000", "11000000", "0", "0", "10", "310"}},
      {KAN_WIDE_TENURE, {"110", "00000122", "0", "00022100", "0", "10"}}}},
    {"heating",
     WORDS(HEATING),
     NULL,
     {{KAN_WIDE_BUILT, {"77340541", "77641321", "74536310"}},
      {KAN_WIDE_DWELLING, {"11002200", "10310000", "00030112"}},
      {KAN_WIDE_DISTRICT, {"00300000", "0010", "0", "0", "01000200", "02000310"}}}},
    {"vehicles",
     NUMBERS(VEHICLES, 6),
     NULL,
     {{KAN_WIDE_HOUSEHOLD, {"563000", "355310", "255421", "145532", "245543"}},
      {KAN_WIDE_INCOME, {"310000", "021000", "012210", "011222"}},
      {KAN_WIDE_DISTRICT, {"30", "10", "0", "010", "011000", "012110"}}}},
    {"commute",
     WORDS(COMMUTE),
     "011222330",
     {{KAN_WIDE_WORK, {"9.", ".74443435", ".63443554", ".62100247", "9.", "12443456.", "9.", "9."}},
      {KAN_WIDE_VEHICLES, {"000222211", "020", "0310", "0310", "0310", "0310"}},
      {KAN_WIDE_DISTRICT, {"000233010", "000121010", "000100010", "0", "010", "020"}},
      {KAN_WIDE_EDUCATION, {"001100010", "0", "0", "000011003"}}}},
    {"minutes",
     NUMBERS(MINUTES, 8),
     NULL,
     {{KAN_WIDE_COMMUTE, {"9.", ".4665421", ".1356653", ".676310."}},
      {KAN_WIDE_DISTRICT, {"00001110", "0", "0", "01000110", "01000110", "02000120"}}}},
    {"language",
     WORDS(LANGUAGE),
     NULL,
     {{KAN_WIDE_BIRTHPLACE,
       {"9100011131100000", "6323365500000000", "5200000066444300", "5564000004000054"}},
      {KAN_WIDE_AGE, {"20", "20", "10", "10", "0", "0", "0", "0", "0"}}}},
    {"citizen",
     WORDS(CITIZEN),
     NULL,
     {{KAN_WIDE_BIRTHPLACE, {"924", "584", "675", "675"}},
      {KAN_WIDE_AGE, {"100", "100", "0", "0", "010", "0", "0", "10", "10"}}}},
    {"disability",
     WORDS(DISABILITY),
     NULL,
     {{KAN_WIDE_AGE, {"80", "81", "81", "82", "83", "84", "85", "86", "77"}},
      {KAN_WIDE_WORK, {"0", "0", "0", "0", "0", "0", "0", "03"}}}},
    {"insurance",
     WORDS(INSURANCE),
     NULL,
     {{KAN_WIDE_INCOME, {"92213", "94420", "86510", "78410"}},
      {KAN_WIDE_WORK, {"0", "0", "0", "03001", "0", "0", "0", "0"}},
      {KAN_WIDE_BIRTHPLACE, {"0", "00021", "00011", "00011"}},
      {KAN_WIDE_OCCUPATION, {"0", "00200", "0", "0", "0"}}}},
    {"served",
     WORDS(SERVED),
     NULL,
     {{KAN_WIDE_AGE, {"0.", "0.", "0.", "00", "00", "01", "02", "03", "03"}},
      {KAN_WIDE_SEX, {"90", "85"}}}},
    {"internet",
     WORDS(INTERNET),
     NULL,
     {{KAN_WIDE_AGE, {"83", "83", "83", "80", "80", "81", "83", "66", "48"}},
      {KAN_WIDE_INCOME, {"01", "0", "10", "20"}},
      {KAN_WIDE_EDUCATION, {"01", "0", "0", "10"}}}},
    {"moved",
     WORDS(MOVED),
     NULL,
     {{KAN_WIDE_AGE,
       {"855310", "954310", "954310", "766532", "766431", "944210", "932000", "930000", "930000"}},
      {KAN_WIDE_BIRTHPLACE, {"0", "000030", "000013", "000014"}},
      {KAN_WIDE_TENURE, {"20", "10", "01110", "010", "001110", "0"}}}},
    {"diagnosis",
     WORDS(DIAGNOSIS),
     NULL,
     {{KAN_WIDE_AGE,
       {"9000400000", "9000500011", "9001530130", "8111530131", "8222541242", "7534552363",
        "6655453561", "5766445650", "4666437640"}},
      {KAN_WIDE_DISABILITY, {"2000000000", "0011013220"}},
      {KAN_WIDE_INCOME, {"0101010010", "0", "10", "100"}}}},
    {"benefit",
     WORDS(BENEFIT),
     NULL,
     {{KAN_WIDE_WORK,
       {"700150", "800250", "702340", "800140", "574320", "700450", "529100", "612435"}},
      {KAN_WIDE_INCOME, {"000200", "0", "10", "30"}},
      {KAN_WIDE_DISABILITY, {"0", "000004"}},
      {KAN_WIDE_CHILDREN, {"300000", "000010", "000020", "000130"}}}},
};
