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
