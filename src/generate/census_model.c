/* The tables of the synthetic census; see census_model.h for what they mean. Read a row of weights
 * against the lines of its column's hierarchy above: same order. */
#include "generate/census_model.h"

static const char *const GENDER[KAN_CENSUS_GENDERS] = {"Female;*", "Male;*"};

static const char *const RACE[KAN_CENSUS_RACES] = {"White;*", "Black;*", "Asian;*", "Indigenous;*",
                                                   "Mixed;*"};

static const char *const MARITAL[KAN_CENSUS_MARITAL] = {
    "Married;In-a-union;*",   "Partnered;In-a-union;*",   "Living-apart;In-a-union;*",
    "Single;On-their-own;*",  "Separated;On-their-own;*", "Divorced;On-their-own;*",
    "Widowed;On-their-own;*",
};

static const char *const EDUCATION[KAN_CENSUS_EDUCATIONS] = {
    "No-schooling;Primary;School;*",
    "Grades-1-3;Primary;School;*",
    "Grades-4-6;Primary;School;*",
    "Grades-7-8;Primary;School;*",
    "Grade-9;Secondary;School;*",
    "Grade-10;Secondary;School;*",
    "Grade-11;Secondary;School;*",
    "Grade-12;Secondary;School;*",
    "School-diploma;Secondary;School;*",
    "Trade-certificate;Vocational;Beyond-school;*",
    "Technical-diploma;Vocational;Beyond-school;*",
    "University-unfinished;University;Beyond-school;*",
    "Bachelor;University;Beyond-school;*",
    "Master;Postgraduate;Beyond-school;*",
    "Professional-degree;Postgraduate;Beyond-school;*",
    "Doctorate;Postgraduate;Beyond-school;*",
};

const uint8_t kan_census_stages[KAN_CENSUS_EDUCATIONS] = {0, 0, 0, 0, 1, 1, 1, 1,
                                                          1, 2, 2, 3, 3, 4, 4, 4};

static const char *const COUNTRY[KAN_CENSUS_COUNTRIES] = {
    "Canada;North-America;*",
    "United-States;North-America;*",
    "Mexico;Latin-America;*",
    "Jamaica;Latin-America;*",
    "Haiti;Latin-America;*",
    "Guyana;Latin-America;*",
    "Trinidad;Latin-America;*",
    "Colombia;Latin-America;*",
    "Brazil;Latin-America;*",
    "Chile;Latin-America;*",
    "El-Salvador;Latin-America;*",
    "Peru;Latin-America;*",
    "Britain;Western-Europe;*",
    "Ireland;Western-Europe;*",
    "France;Western-Europe;*",
    "Germany;Western-Europe;*",
    "Netherlands;Western-Europe;*",
    "Italy;Western-Europe;*",
    "Portugal;Western-Europe;*",
    "Greece;Western-Europe;*",
    "Poland;Eastern-Europe;*",
    "Ukraine;Eastern-Europe;*",
    "Romania;Eastern-Europe;*",
    "Hungary;Eastern-Europe;*",
    "Croatia;Eastern-Europe;*",
    "Russia;Eastern-Europe;*",
    "India;Asia;*",
    "China;Asia;*",
    "Philippines;Asia;*",
    "Vietnam;Asia;*",
    "Pakistan;Asia;*",
    "Sri-Lanka;Asia;*",
    "Japan;Asia;*",
    "Korea;Asia;*",
    "Iran;Asia;*",
    "Lebanon;Asia;*",
    "Nigeria;Africa;*",
    "Egypt;Africa;*",
    "Ethiopia;Africa;*",
    "Kenya;Africa;*",
    "Somalia;Africa;*",
};

static const char *const WORK_CLASS[KAN_CENSUS_WORK_CLASSES] = {
    "Company-employee;Private-sector;*", "Self-employed;Private-sector;*",
    "Business-owner;Private-sector;*",   "Family-helper;Private-sector;*",
    "Federal-service;Public-sector;*",   "Provincial-service;Public-sector;*",
    "Municipal-service;Public-sector;*",
};

static const char *const OCCUPATION[KAN_CENSUS_OCCUPATIONS] = {
    "Manager;Leading;*",     "Professional;Leading;*",    "Technician;Office;*",
    "Clerk;Office;*",        "Salesperson;Office;*",      "Care-worker;Service;*",
    "Hospitality;Service;*", "Domestic-helper;Service;*", "Guard;Service;*",
    "Soldier;Service;*",     "Craftsperson;Manual;*",     "Machine-operator;Manual;*",
    "Driver;Manual;*",       "Farm-worker;Manual;*",
};

static const char *const SALARY[KAN_CENSUS_SALARIES] = {"Under-60K;*", "60K-and-over;*"};

const kan_census_domain kan_census_domains[KAN_CENSUS_COLUMNS] = {
    {"age", KAN_CENSUS_AGES, NULL},
    {"gender", KAN_CENSUS_GENDERS, GENDER},
    {"race", KAN_CENSUS_RACES, RACE},
    {"marital-status", KAN_CENSUS_MARITAL, MARITAL},
    {"education", KAN_CENSUS_EDUCATIONS, EDUCATION},
    {"native-country", KAN_CENSUS_COUNTRIES, COUNTRY},
    {"work-class", KAN_CENSUS_WORK_CLASSES, WORK_CLASS},
    {"occupation", KAN_CENSUS_OCCUPATIONS, OCCUPATION},
    {"salary-class", KAN_CENSUS_SALARIES, SALARY},
};

const struct kan_census_knot kan_census_age_knots[KAN_CENSUS_AGE_KNOTS] = {
    {17, 90},  {20, 230}, {25, 280}, {37, 290}, {46, 240},
    {55, 140}, {62, 70},  {68, 28},  {78, 6},   {90, 1},
};

const uint8_t kan_census_band_ends[KAN_CENSUS_BANDS] = {18, 21, 25, 34, 49, 64, 90};

const uint16_t kan_census_gender[KAN_CENSUS_GENDERS] = {40, 60};

const uint16_t kan_census_race[KAN_CENSUS_RACES] = {840, 80, 50, 16, 14};

/* By race. Nine people in ten were born at home; the others' origin depends on their race. */
const uint16_t kan_census_country[KAN_CENSUS_RACES][KAN_CENSUS_COUNTRIES] = {
    {9440, 100, 5, 0, 0,  0, 0, 3, 4, 3, 3, 1, 130, 12, 15, 55, 20, 75, 30, 15, 50,
     16,   8,   4, 2, 12, 0, 1, 0, 0, 0, 0, 0, 0,   4,  6,  0,  2,  0,  0,  0},
    {8200, 60, 0, 560, 280, 60, 80, 3, 5, 0, 0, 0, 50, 0, 15, 0,   0, 0,  2,  0, 0,
     0,    0,  0, 0,   0,   0,  0,  0, 0, 0, 0, 0, 0,  0, 0,  180, 0, 60, 30, 45},
    {4000, 80, 0, 0, 0, 40,   10,   0,    0,   0,   0,  0,  100, 0,   0,  0, 0, 0, 0,  0, 0,
     0,    0,  0, 0, 0, 1500, 1350, 1150, 450, 340, 90, 80, 260, 140, 30, 0, 0, 0, 10, 0},
    {9850, 120, 15, 0, 0, 0, 0, 0, 0, 3, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0,    0,   0,  0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0},
    {8200, 140, 260, 40, 10, 60, 50, 140, 180, 30, 200, 60, 100, 0,  10, 10, 10, 0,  20, 0, 0,
     0,    0,   0,   0,  0,  30, 0,  110, 0,   0,  0,   10, 0,   30, 60, 0,  60, 10, 15, 0},
};

/* By age and gender: women first. */
const uint16_t kan_census_marital[KAN_CENSUS_BANDS][KAN_CENSUS_GENDERS][KAN_CENSUS_MARITAL] = {
    {{8, 10, 1, 980, 1, 0, 0}, {3, 5, 1, 990, 1, 0, 0}},
    {{70, 50, 5, 850, 15, 10, 0}, {40, 35, 4, 910, 5, 6, 0}},
    {{240, 90, 10, 590, 25, 45, 0}, {180, 80, 10, 700, 10, 20, 0}},
    {{480, 70, 15, 270, 40, 120, 5}, {500, 60, 15, 340, 20, 64, 1}},
    {{580, 30, 15, 110, 45, 200, 20}, {720, 25, 15, 110, 25, 102, 3}},
    {{560, 15, 15, 50, 30, 220, 110}, {800, 10, 10, 50, 15, 100, 15}},
    {{340, 5, 10, 60, 10, 135, 440}, {780, 5, 10, 45, 10, 70, 80}},
};

/* By age. Nobody has a doctorate at 18, and the old left school earlier. */
const uint16_t kan_census_education[KAN_CENSUS_BANDS][KAN_CENSUS_EDUCATIONS] = {
    {1, 1, 3, 8, 40, 150, 330, 140, 200, 4, 0, 123, 0, 0, 0, 0},
    {1, 1, 3, 6, 10, 20, 40, 20, 430, 20, 12, 430, 7, 0, 0, 0},
    {1, 1, 4, 6, 8, 14, 20, 10, 370, 35, 30, 330, 165, 6, 1, 0},
    {1, 2, 5, 8, 9, 12, 18, 8, 370, 50, 40, 220, 210, 35, 8, 4},
    {1, 3, 6, 10, 9, 12, 14, 6, 350, 50, 40, 215, 200, 60, 15, 9},
    {2, 4, 10, 28, 12, 20, 20, 6, 385, 35, 26, 175, 160, 80, 20, 15},
    {4, 10, 16, 85, 20, 26, 18, 6, 360, 22, 14, 150, 150, 65, 30, 22},
};

/* By stage of education and gender: women first. */
const uint16_t kan_census_occupation[KAN_CENSUS_STAGES][KAN_CENSUS_GENDERS]
                                    [KAN_CENSUS_OCCUPATIONS] = {
                                        {{15, 3, 3, 50, 60, 100, 290, 110, 2, 0, 30, 290, 5, 42},
                                         {15, 3, 3, 10, 25, 12, 130, 3, 15, 0, 280, 260, 140, 104}},
                                        {{70, 18, 16, 400, 150, 130, 120, 18, 5, 1, 14, 48, 6, 4},
                                         {80, 10, 14, 45, 100, 8, 50, 1, 26, 2, 320, 150, 150, 44}},
                                        {{100, 150, 120, 350, 80, 130, 30, 3, 6, 1, 12, 12, 4, 2},
                                         {120, 70, 130, 45, 90, 8, 14, 0, 40, 3, 320, 70, 60, 30}},
                                        {{220, 230, 40, 310, 120, 36, 30, 2, 6, 1, 3, 1, 0, 1},
                                         {290, 190, 60, 80, 220, 5, 16, 0, 30, 3, 50, 16, 24, 16}},
                                        {{220, 660, 20, 60, 25, 6, 4, 0, 2, 1, 1, 0, 0, 1},
                                         {270, 640, 25, 12, 35, 2, 2, 0, 4, 2, 4, 1, 1, 2}},
};

/* By occupation. */
const uint16_t kan_census_work_class[KAN_CENSUS_OCCUPATIONS][KAN_CENSUS_WORK_CLASSES] = {
    {700, 80, 110, 1, 30, 30, 49}, {580, 80, 30, 1, 35, 100, 174}, {800, 18, 10, 1, 60, 55, 56},
    {810, 14, 6, 2, 54, 48, 66},   {860, 80, 55, 2, 1, 1, 1},      {680, 70, 8, 2, 10, 80, 150},
    {910, 35, 16, 4, 4, 12, 19},   {955, 40, 1, 1, 0, 1, 2},       {260, 8, 2, 0, 80, 160, 490},
    {0, 0, 0, 0, 1, 0, 0},         {790, 145, 35, 1, 8, 8, 13},    {965, 16, 5, 1, 4, 4, 5},
    {810, 80, 20, 1, 14, 12, 63},  {420, 490, 50, 25, 2, 5, 8},
};

const int16_t kan_census_salary_stage[KAN_CENSUS_STAGES] = {10, 110, 200, 330, 560};
const int16_t kan_census_salary_band[KAN_CENSUS_BANDS] = {-300, -250, -150, -20, 70, 70, -60};
const int16_t kan_census_salary_occupation[KAN_CENSUS_OCCUPATIONS] = {
    200, 140, 60, -30, 40, -100, -120, -160, 50, 0, 10, -40, -20, -110,
};
const int16_t kan_census_salary_gender[KAN_CENSUS_GENDERS] = {-90, 40};
