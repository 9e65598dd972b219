# Columns of the classes of haven, tibble, hms and bit64, with these packages: kept, they come back as they were.
suppressPackageStartupMessages({
    library(kanon)
    library(haven)
    library(tibble)
    library(bit64)
})
quiet <- suppressMessages
people <- tibble(
    id = as.integer64("9007199254740993") + c(0:4, NA), # beyond what a double can hold
    when = hms::hms(c(1.5, 2:5, NA)),
    region = labelled(c(1, 1, 2, 2, 9, NA), c(north = 1, south = 2, west = 3), label = "Region"),
    asked = labelled_spss(c(1, 2, 1, 2, 99, 1), c(yes = 1, no = 2, refused = 99, absent = 98), na_values = c(98, 99)),
    town = labelled(c("a", "b", "a", "b", "a", "b"), c(Aachen = "a", Bonn = "b", Celle = "c")),
    age = c(31, 31, 31, 42, 42, 42), tag = c(1, 2, tagged_na("a"), 3, 4, 5))
release <- quiet(anonymize(people, qi = "age", k = 3, keep = setdiff(names(people), "age")))$table
for (name in c("id", "when")) stopifnot(identical(release[[name]], people[[name]]))
for (name in c("region", "asked", "town"))
    stopifnot(identical(class(release[[name]]), class(people[[name]])), identical(zap_labels(release[[name]]), zap_labels(people[[name]])))
stopifnot(identical(class(release), class(people)), identical(release$tag, c(1, 2, NA, 3, 4, 5)))
# What no released row shows is gone.
stopifnot(identical(names(attr(release$region, "labels")), c("north", "south")))
stopifnot(identical(names(attr(release$asked, "labels")), c("yes", "no", "refused")), identical(attr(release$asked, "na_values"), 99))
stopifnot(identical(names(attr(release$town, "labels")), c("Aachen", "Bonn")))
# Quasi-identifiers go by their labels.
towns <- quiet(anonymize(people, qi = "town", hierarchies = list(town = c(Aachen = "west", Bonn = "west")), k = 6))$table$town
stopifnot(identical(as.vector(towns), rep("west", 6)))
# Rows that are kept as `*` make text of all, and the frame recounts as what was verified.
starred <- quiet(anonymize(people[1:5, ], qi = "age", k = 3, suppress = 2, keep = setdiff(names(people), "age"), keep_suppressed = TRUE, level = c(age = 0)))
stopifnot(identical(as.vector(starred$table$id), c("9007199254740993", "9007199254740994", "9007199254740995", "*", "*")),
          identical(as.vector(starred$table$when), c("00:00:01.5", "00:00:02", "00:00:03", "*", "*")),
          identical(as.vector(starred$table$region), c("north", "north", "south", "*", "*")))
stopifnot(quiet(verify(starred, original = people[1:5, ], qi = "age", k = 3, keep = setdiff(names(people), "age"), keep_suppressed = TRUE))$holds)
# What can be told apart is refused in a release.
refused <- function(x) tryCatch({ verify(tibble(a = x), qi = "a", k = 2); "none" }, kanon_bad_input = conditionMessage)
stopifnot(grepl("NA\\(a\\), NA\\(b\\)", refused(c(tagged_na("a"), tagged_na("b")))), grepl("microsecond", refused(hms::hms(c(1, 1 + 1e-8)))),
          refused(hms::hms(c(1, 1))) == "none", refused(c(tagged_na("a"), tagged_na("a"))) == "none")
cat("ok: columns of haven, tibble, hms and bit64 come back as they were\n")
