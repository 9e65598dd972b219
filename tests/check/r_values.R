# What docs/manual/r.md says about values: columns that are kept come back as they were, missing ones included,
# and the program's statuses are R's errors.
folder <- tempfile("kanon")
dir.create(folder, mode = "0700")
at <- function(name) file.path(folder, name)

table <- data.frame(
    age = c(31L, 33L, 42L, NA, NA, 47L),
    word = c("a,b", "say \"yes\"", "two\nlines", "NA", NA, " blanks "),
    name = c("Zo\u00eb", "\u6771", "\u20ac", "x", "y", "z"),
    whole = c(1L, -2L, NA, 4L, 5L, 2147483647L),
    real = c(0.1, 1e-300, NA, 123456789.123456, -0.5, 1e15),
    day = as.Date(c("2024-02-29", "1899-12-31", NA, "2024-01-01", "2024-01-01", "2024-01-01")),
    moment = as.POSIXct(c("2024-01-01 10:00:00", "2024-01-01 00:00:01", NA, "2024-06-01 12:30:00",
                          "2024-01-01 10:00:00", "2024-01-01 10:00:00"), tz = "UTC"),
    yes = c(TRUE, FALSE, NA, TRUE, TRUE, FALSE),
    size = factor(c("small", "large", NA, "small", "large", "small"), levels = c("small", "large")),
    "a name, with a comma" = 1:6, check.names = FALSE)
write.csv(table, at("table.csv"), row.names = FALSE, na = "", fileEncoding = "UTF-8")

run <- function(...) {
    said <- suppressWarnings(system2("kanon", shQuote(c(...)), stdout = TRUE, stderr = TRUE))
    c(if (is.null(attr(said, "status"))) 0 else attr(said, "status"), paste(said, collapse = "\n"))
}
said <- run("anonymize", at("table.csv"), "--output", at("release.csv"), "--qi", "age=intervals:10,20",
            "--others", "keep", "--k", "2")
if (said[1] != "0") stop(said[2])
classes <- sapply(table, function(column) class(column)[1])
classes["age"] <- "character"
release <- read.csv(at("release.csv"), na.strings = "", check.names = FALSE, colClasses = classes, encoding = "UTF-8")
stopifnot(identical(names(release), names(table)))
stopifnot(identical(release$age, c("30-39", "30-39", "40-49", NA, NA, "40-49")))
attr(release$moment, "tzone") <- "UTC"
release$size <- factor(release$size, levels = levels(table$size)) # R sorts them when it reads
for (column in names(table)[-1])
    if (!isTRUE(all.equal(release[[column]], table[[column]], tolerance = 0)))
        stop("column '", column, "' came back as ", deparse(release[[column]]))

# 2: wrong input; 3: the promise cannot be kept.
stopifnot(run("anonymize", at("table.csv"), "--output", at("no.csv"), "--qi", "aeg", "--k", "2")[1] == "2")
stopifnot(grepl("did you mean 'age'", run("anonymize", at("table.csv"), "--output", at("no.csv"), "--qi", "aeg",
                                          "--k", "2")[2]))
stopifnot(run("verify", at("release.csv"), "--qi", "age", "--k", "4")[1] == "3")
stopifnot(!file.exists(at("no.csv")))
unlink(folder, recursive = TRUE)
cat("ok: values come back as they were, errors have their status\n")
