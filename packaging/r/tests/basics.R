# What goes in comes out as what it was; nothing comes out that no released row shows; errors are conditions.
suppressPackageStartupMessages(library(kanon))
quiet <- suppressMessages

n <- 240
set.seed(7)
people <- data.frame(
    age = sample(c(20:60, NA), n, TRUE),
    sex = factor(sample(c("m", "f", NA), n, TRUE), levels = c("m", "f", "never")),
    town = sample(c("Z\u00fcrich", "\u6771\u4eac", "a,b", "say \"yes\"", "two\nlines", NA), n, TRUE),
    yes = sample(c(TRUE, FALSE, NA), n, TRUE),
    real = c(NA, NaN, -0.5, 1e-300, 1e15, 123456789.123456, round(runif(n - 6), 3)),
    day = as.Date("1970-01-01") + sample(c(-40000:-39950, NA, 19000:19050), n, TRUE),
    moment = as.POSIXct("2024-02-29 12:00:00", tz = "UTC") + sample(c(0, 0.25, 1:50, NA), n, TRUE),
    here = as.POSIXct("2024-07-01 12:00:00", tz = "Asia/Tokyo") + sample(0:50, n, TRUE),
    size = factor(sample(c("small", "large", NA), n, TRUE), levels = c("small", "large", "huge"), ordered = TRUE),
    "a name, with = signs" = seq_len(n), check.names = FALSE, stringsAsFactors = FALSE)
attr(people$real, "label") <- "a label"
attr(people$real, "secret") <- people$age # nobody decided on it
attr(people, "na.action") <- 1:3
kept <- setdiff(names(people), c("age", "sex"))
release <- quiet(anonymize(people, qi = c(age = "intervals:10,20", "sex"), k = 3, keep = kept,
                           level = c(age = 1, sex = 0), suppress = "2%"))
table <- release$table
stopifnot(release$result$verified, isTRUE(release$holds), identical(names(table), names(people)))
rows <- seq_len(n)[people[["a name, with = signs"]] %in% table[["a name, with = signs"]]]
stopifnot(length(rows) == nrow(table), identical(row.names(table), as.character(seq_along(rows))))
for (name in setdiff(kept, c("real", "size"))) stopifnot(identical(table[[name]], people[[name]][rows]))
stopifnot(all.equal(as.vector(table$real), ifelse(is.nan(people$real), NA, people$real)[rows], tolerance = 0))
stopifnot(identical(names(attributes(table$real)), "label"), is.null(attr(table, "na.action")))
stopifnot(identical(levels(table$size), c("small", "large")), is.ordered(table$size))
stopifnot(identical(as.character(table$size), as.character(people$size)[rows]))
stopifnot(is.factor(table$sex), !"never" %in% levels(table$sex), is.character(table$age))
groups <- table(paste(table$age, table$sex))
stopifnot(min(groups) >= 3, identical(as.integer(min(groups)), as.integer(release$result$solution$smallest_group)))

# A release is checked as any other table, and against the original.
stopifnot(verify(release, qi = c("age", "sex"), k = 3)$holds)
stopifnot(quiet(verify(release, qi = c("age", "sex"), k = 3, original = people, hierarchies = list(age = "intervals:10,20")))$holds)
stopifnot(!as.logical(verify(people, qi = c("age", "sex"), k = 3)))

# Tibbles stay tibbles.
tibble <- structure(people["age"], class = c("tbl_df", "tbl", "data.frame"))
stopifnot(identical(class(quiet(anonymize(tibble, qi = "age", k = 2, suppress = "all"))$table), class(tibble)))

# Labelled columns are read by their labels, and stay what they are.
labelled <- function(x, ...) structure(x, ..., class = c("haven_labelled", "vctrs_vctr", "double"))
survey <- data.frame(id = 1:6)
survey$region <- labelled(c(1, 1, 2, 2, 9, NA), labels = c(north = 1, south = 2, west = 3), label = "Region")
survey$job <- labelled(c(1, 2, 1, 2, 1, 2), labels = c(yes = 1, no = 2, refused = 99), na_values = 99)
release <- quiet(anonymize(survey, qi = "region", k = 1, keep = "job"))
stopifnot(identical(unclass(release$table$region)[1:6], c(1, 1, 2, 2, 9, NA)))
stopifnot(identical(attr(release$table$region, "labels"), c(north = 1, south = 2)), identical(attr(release$table$region, "label"), "Region"))
stopifnot(identical(attr(release$table$job, "labels"), c(yes = 1, no = 2)), is.null(attr(release$table$job, "na_values")))
towns <- list(region = c(north = "land", south = "land", "9" = "land"))
release <- quiet(anonymize(survey, qi = "region", hierarchies = towns, k = 5, suppress = 1))
stopifnot(identical(as.vector(release$table$region), rep("land", 5)), identical(attr(release$table$region, "label"), "Region"))
stopifnot(quiet(anonymize(survey, qi = "region", k = 1, labels = "codes"))$result$verified)

# Hierarchies: of one kind as of another, and by a file.
ages <- data.frame(age = c(31, 34, 38, 42, 45, 47))
by <- function(given) quiet(anonymize(ages, qi = "age", hierarchies = list(age = given), k = 3))$table$age
wanted <- rep(c("30-39", "40-49"), each = 3)
lines <- hierarchy_build(ages, c(age = "intervals:10"))$age
path <- tempfile(fileext = ".csv")
write.table(lines, path, sep = ";", row.names = FALSE, col.names = FALSE, quote = FALSE)
decades <- function(age) paste0(age %/% 10 * 10, "-", age %/% 10 * 10 + 9)
labels <- setNames(wanted, ages$age)
for (given in list("intervals:10", lines, as.matrix(lines), path, decades, labels, as.list(labels)))
    stopifnot(identical(by(given), wanted))
unlink(path)
days <- data.frame(day = as.Date(c("2024-01-05", "2024-01-20", NA, NA)))
stopifnot(identical(quiet(anonymize(days, qi = "day", hierarchies = list(day = function(d) format(d, "%Y")), k = 2))$table$day,
                    c("2024", "2024", NA, NA)))

# Distances by a hierarchy that is in memory are those by a file of it.
ward <- data.frame(age = rep(c(31, 42), each = 6), ill = rep(c("flu", "cold", "gout", "asthma"), 3))
kinds_of <- data.frame(ill = c("flu", "cold", "asthma", "gout"), kind = c("breath", "breath", "breath", "joint"), top = "*")
path <- tempfile(fileext = ".csv")
write.table(kinds_of, path, sep = ";", row.names = FALSE, col.names = FALSE, quote = FALSE)
reached <- function(given) quiet(anonymize(ward, qi = "age", k = 2, sensitive = "ill", t = 0.5, t_hierarchy = list(ill = given)))$result$privacy
stopifnot(identical(reached(kinds_of), reached(path)), grepl("hierarchical", paste(unlist(reached(path)), collapse = " ")))
unlink(path)

# Conditions.
said <- kanon:::as_arguments("give --qi age=HIERARCHY\n--drop NAME, --k 5, --keep, such as --memory 2K; --no-such is left --suppress 1%.")
stopifnot(identical(said, "give qi = \"age=HIERARCHY\"\ndrop = \"NAME\", k = 5, keep, such as memory = \"2K\"; --no-such is left suppress = \"1%\"."))
class_of <- function(call) tryCatch({ quiet(call); "none" }, kanon_error = function(e) class(e)[1])
text_of <- function(call) tryCatch({ quiet(call); "none" }, kanon_error = conditionMessage)
stopifnot(class_of(anonymize(ages, qi = "aeg", k = 2)) == "kanon_bad_input")
stopifnot(grepl("did you mean 'age'", text_of(anonymize(ages, qi = "aeg", k = 2))))
stopifnot(grepl("did you mean suppress", text_of(anonymize(ages, qi = "age", k = 2, supress = 1))))
stopifnot(grepl("need their names", text_of(anonymize(ages, "age", 2, 3))))
stopifnot(class_of(anonymize(ages, qi = "age", k = 2, memory = "1K")) == "kanon_out_of_memory")
stopifnot(class_of(anonymize(ages, qi = "age", k = 2, output = "/no/such/folder/out.csv")) == "kanon_bad_input")
stopifnot(class_of(anonymize(data.frame(a = c(1, 1, 2, 2), s = c(1, 1, 1, 1)), qi = "a", k = 2, sensitive = "s", l = 2)) %in%
          c("kanon_unsatisfied", "kanon_bad_input"))
stopifnot(grepl("not a table", text_of(anonymize(1:3, qi = "age", k = 2))))
stopifnot(grepl("no such column|no quasi-identifier", text_of(anonymize(ages, qi = "age", k = 2, hierarchies = list(town = "digits:2")))))
stopifnot(grepl("hierarchies\\$age", text_of(anonymize(ages, qi = "age", k = 2, hierarchies = list(age = c("31" = "x"))))))
odd <- data.frame(age = c(1, 1)); odd$list <- list(1, 2); odd$complex <- c(1i, 2i)
stopifnot(identical(names(quiet(anonymize(odd, qi = "age", k = 2))$table), "age"))
stopifnot(class_of(anonymize(odd, qi = c("age", "list"), k = 2)) == "kanon_bad_input")
stopifnot(class_of(anonymize(odd, qi = "age", keep = "complex", k = 2)) == "kanon_bad_input")
back <- as.POSIXct(c(1729987200, 1729990800), origin = "1970-01-01", tz = "Europe/Berlin") # 02:00 twice, when clocks were set back
stopifnot(class_of(anonymize(data.frame(a = c(1, 1), t = back), qi = "a", keep = "t", k = 2)) == "kanon_bad_input")
notes <- character()
invisible(withCallingHandlers(anonymize(people, qi = "age", k = 2, suppress = "all"),
                    kanon_note = function(note) { notes <<- c(notes, conditionMessage(note)); invokeRestart("muffleMessage") }))
stopifnot(any(grepl("left out", notes)))

# Rows that are kept as `*` make text of the columns they are in, and the frame recounts as what was verified.
mixed <- data.frame(age = c(31, 32, 33, 34, 99), sex = factor(c("a", "a", "b", "b", "c")),
                    size = factor(c("p", "p", "q", "q", "r"), levels = c("r", "q", "p"), ordered = TRUE),
                    day = as.Date("2020-01-01") + c(0, 0, 1, 1, 2), town = c("x", "x", "y", "y", "z"),
                    at = as.POSIXct("2020-01-01", tz = "Europe/Berlin") + c(0, 0, 1, 1, 2.25), pay = c(1.5, 2, 3, 4, 5),
                    count = c(1L, 1L, 2L, 2L, 3L), yes = c(TRUE, TRUE, FALSE, FALSE, NA))
attr(mixed$pay, "label") <- "Pay"
mixed$region <- labelled(c(1, 1, 2, 2, 3), labels = c(a = 1, b = 2, c = 3))
mixed$code <- labelled(c(1, 1, 2, 2, 3), labels = c(a = 1))
names_of <- c("age", "sex", "size", "day")
by_age <- list(age = "intervals:10")
others <- setdiff(names(mixed), names_of)
given <- list(mixed, qi = names_of, hierarchies = by_age, level = c(sex = 0, size = 0, day = 0), k = 2, suppress = "50%", keep = others)
stars <- quiet(do.call(anonymize, c(given, keep_suppressed = TRUE)))
job <- tempfile(fileext = ".yaml") # which may ask for it, too
writeLines("keep-suppressed: true", job)
stopifnot(identical(quiet(do.call(anonymize, c(given, job = job)))$table, stars$table))
unlink(job)
stopifnot(all(vapply(stars$table, function(x) identical(as.character(x[5]), "*") && !anyNA(x), NA)))
stopifnot(identical(as.character(stars$table$day[1:4]), format(mixed$day[1:4])), identical(levels(stars$table$size), c("q", "p", "*")),
          identical(as.vector(stars$table$region), c("a", "a", "b", "b", "*")), identical(attr(stars$table$pay, "label"), "Pay"))
stopifnot(quiet(verify(stars, original = mixed, qi = names_of, hierarchies = by_age, k = 2, keep = others, keep_suppressed = TRUE))$holds)
stopifnot(!verify(stars, qi = names_of, k = 2)$holds) # a group of one row, for whoever does not know
without <- quiet(do.call(anonymize, given))$table # without such rows all are what they were
for (name in setdiff(names(mixed), c("age", "sex", "size", "region", "code"))) stopifnot(identical(without[[name]], mixed[[name]][1:4]) || name == "pay")
stopifnot(identical(class(without$region), class(mixed$region)), is.ordered(without$size))

# Settings that go by the order of the quasi-identifiers go by that of qi, wherever the hierarchies are.
pairs <- data.frame(age = c(31, 31, 42, 42), zip = c(10, 10, 20, 20), sex = c("f", "f", "m", "m"))
tens <- function(x) paste0(x %/% 10, "x")
leveled <- function(qi, hierarchies, levels) quiet(anonymize(pairs, qi = qi, hierarchies = hierarchies, levels = levels, k = 2))$table
for (given in list("intervals:10", tens)) {
    shown <- if (is.function(given)) c("3x", "3x", "4x", "4x") else c("30-39", "30-39", "40-49", "40-49")
    for (other in list(NULL, list(zip = "intervals:10"), list(zip = tens), list(sex = "suppress"), list(sex = toupper))) {
        table <- leveled(c("age", "zip", "sex"), c(other, list(age = given)), c(1, 0, 0))
        stopifnot(identical(table$age, shown), identical(as.double(table$zip), pairs$zip), identical(table$sex, pairs$sex))
        table <- leveled(c("zip", "sex", "age"), c(list(age = given), other), c(0, 0, 1))
        stopifnot(identical(table$age, shown), identical(as.double(table$zip), pairs$zip), identical(table$sex, pairs$sex))
    }
}
stopifnot(grepl("age is given twice", text_of(leveled(c("age", "zip"), list(age = tens, age = "suppress"), c(1, 0)))))

# What R can tell apart and would be counted as one value is refused where a release is checked.
tagged <- function(letter) { # as haven has them
    bytes <- writeBin(NA_real_, raw(), endian = "big")
    bytes[4] <- charToRaw(letter)
    readBin(bytes, "double", endian = "big")
}
checked <- function(x) { frame <- data.frame(i = seq_along(x)); frame$a <- x; verify(frame, qi = "a", k = 2) }
two <- "would be counted as one value"
for (x in list(c(NA, NaN), c(NA, tagged("a")), c(tagged("a"), tagged("b")), labelled(c(tagged("a"), tagged("b")), labels = c(x = 1, y = 2)),
               as.Date(c(NA, NaN), origin = "1970-01-01"), as.Date("2020-01-01") + c(0.1, 0.6), .POSIXct(c(NA, NaN)),
               structure(1:2, levels = c("x", NA), class = "factor")[c(1, 2, NA)])) {
    stopifnot(class_of(checked(x)) == "kanon_bad_input", grepl("column 'a'", text_of(checked(x))), grepl(two, text_of(checked(x))))
}
for (x in list(c(NaN, NaN), c(NA_real_, NA_real_), c(tagged("a"), tagged("a")), as.Date("2020-01-01") + c(0, 0), factor(c(NA, NA))))
    stopifnot(checked(x)$holds)

# Frames that are not whole are refused, and nothing is read beyond its end.
frame <- function(columns, rows) structure(columns, class = "data.frame", row.names = seq_len(rows))
lengths_of <- list(1:2, c(1.5, 2), c("a", "b"), c(TRUE, NA), factor(c("a", "b")), as.Date("2020-01-01") + 0:1, .POSIXct(c(1, 2)))
for (short in lengths_of) {
    stopifnot(class_of(anonymize(frame(list(a = 1:4, b = short), 4), qi = "a", k = 1, keep = "b")) == "kanon_bad_input")
    stopifnot(grepl("column 'b' has 2 values", text_of(anonymize(frame(list(a = 1:4, b = short), 4), qi = "a", k = 1))))
}
stopifnot(grepl("the frame 9 rows", text_of(anonymize(frame(list(a = 1:4), 9), qi = "a", k = 1))))
stopifnot(grepl("^original: column 'a' has 1 ", text_of(verify(ages, original = frame(list(a = 1), 2), qi = "age", k = 2))))
stopifnot(class_of(hierarchy_build(frame(list(a = 1:4), 9), c(a = "intervals:10"))) == "kanon_bad_input")
ragged <- frame(list(value = ages$age, label = "x"), 6)
stopifnot(class_of(by(ragged)) == "kanon_bad_input", grepl("hierarchies\\$age: its columns have 6, 1 cells", text_of(by(ragged))))
stopifnot(class_of(by(frame(list(), 0))) == "kanon_bad_input")
# The C part looks for itself.
run <- function(columns, rows, lines = list(), line = NA) tryCatch({
    .Call(kanon:::kanon_c_run, "profile", list("qi", "a", NA_character_, as.integer(line)), list(list("input", columns, rows)), lines, FALSE, NULL)
    "none"
}, error = conditionMessage)
column <- function(kind, data, levels = NULL) list(list(name = "a", kind = kind, format = "i", data = data, levels = levels, ordered = ""))
for (short in list(column("integer", 1:2), column("real", c(1, 2)), column("text", "a"), column("logical", NA), column("integer", c(1, 2, 3)),
                   column("words", 1), column("bits", 1), column("factor", 1:2, "a"), column("factor", 1:3, NULL)))
    stopifnot(grepl("'a' is not what its table has", run(short, 3)))
stopifnot(grepl("different lengths", run(column("integer", 1:3), 3, list(list("qi", "a", list(c("1", "2"), "x"))), 1L)))
stopifnot(grepl("no such hierarchy", run(column("integer", 1:3), 3, list(), 1L)))

# Names that are missing.
stopifnot(class_of(anonymize(frame(list(1:4), 4), qi = "a", k = 1)) == "kanon_bad_input")
stopifnot(grepl("column 2 has no name", text_of(anonymize(setNames(frame(list(1:4, 1:4), 4), c("a", NA)), qi = "a", k = 1))))
broken <- frame(list(a = structure(c(1L, 7L), levels = "x", class = "factor"), b = 1:2), 2)
stopifnot(class_of(anonymize(broken, qi = "a", k = 1)) == "kanon_bad_input")
stopifnot(nrow(quiet(anonymize(data.frame(a = c(1, 1), b = factor(c(NA, NA))), qi = "a", keep = "b", k = 2))$table) == 2)

# Progress: a function is called, and what fails in it ends the job.
stages <- character()
invisible(quiet(anonymize(people, qi = "age", k = 2, suppress = "all",
                progress = function(stage, done, total, best, bound) stages <<- c(stages, stage))))
stopifnot("search" %in% stages || "verify" %in% stages)
stopifnot(class_of(anonymize(people, qi = "age", k = 2, suppress = "all", progress = function(...) stop("no"))) == "kanon_failed")

# Other commands, as frames and pictures.
cells <- quiet(compare(people, qi = c(age = "intervals:10,20", "sex"), ks = c(2, 5), suppress = "10%"))
stopifnot(setequal(as.data.frame(cells)$k, c(2, 5)))
found <- risk(people, qi = c("age", "sex"))
stopifnot(sum(with(as.data.frame(found), size * groups)) == n)
stopifnot(identical(as.data.frame(profile(people))$name, names(people)))
moved <- quiet(utility(anonymize(ages, qi = c(age = "intervals:10"), k = 3), original = ages, qi = c(age = "intervals:10")))
stopifnot(identical(as.data.frame(moved)$name, "age"))
pdf(NULL)
plot(cells); plot(found); plot(moved); plot(release)
invisible(dev.off())
stopifnot(grepl("promise", capture.output(print(release))[4]) || any(grepl("promise", capture.output(print(release)))))
stopifnot("suppress" %in% settings()$name, any(grepl("k-anonymity", capture.output(print(kinds())))))

# Ctrl-C: an interrupt as any other, and of a search that has an answer this answer.
wide <- data.frame(a = rep(1:40, 5), b = rep(1:50, 4), c = rep(1:8, 25))
struck <- FALSE
strike <- function(at) function(stage, done, total, best, bound) if (!struck && at(stage, best)) {
    struck <<- TRUE
    tools::pskill(Sys.getpid(), tools::SIGINT)
    Sys.sleep(0.05)
}
outcome <- tryCatch(quiet(anonymize(wide, qi = names(wide), k = 5, progress = strike(function(stage, best) TRUE))),
                    interrupt = function(i) "interrupt")
stopifnot(identical(outcome, "interrupt"))
struck <- FALSE
# A search that would not end by itself: it goes on until it is struck.
wide <- data.frame(a = sample(1:41, 2000, TRUE), b = sample(1:500, 2000, TRUE), c = sample(1:50, 2000, TRUE))
outcome <- tryCatch(withCallingHandlers(
    quiet(anonymize(wide, qi = names(wide), k = 5, algorithm = "k-optimize", progress = strike(function(stage, best) stage == "search" && !is.null(best)))),
    warning = function(w) { stopifnot(grepl("interrupted", conditionMessage(w))); invokeRestart("muffleWarning") }),
    interrupt = function(i) "interrupt")
stopifnot(struck, is.list(outcome), outcome$result$verified)
