# The same release from R as from other ways in, cell by cell, for frames with factors, labels, dates and missing values.
#
#   Rscript r_package.R make FOLDER N     N random tables: files for the others (r_release.c), and r.tsv of R's release
#   Rscript r_package.R compare FOLDER    c.tsv, python.tsv and cli.csv of each have the same cells as r.tsv
suppressPackageStartupMessages(library(kanon))
texts <- function(table) as.data.frame(lapply(stats::setNames(nm = names(table)), function(name) {
    x <- kanon:::value_texts(name, table[[name]])
    ifelse(is.na(x), "", x)
}), check.names = FALSE)
put <- function(table, path) write.table(table, path, sep = "\t", quote = FALSE, row.names = FALSE, na = "", fileEncoding = "UTF-8")
get <- function(path, sep) utils::read.table(path, sep = sep, header = TRUE, colClasses = "character", na.strings = character(),
                                             quote = if (sep == ",") "\"" else "", comment.char = "", check.names = FALSE, encoding = "UTF-8")

maybe <- function(x, share) { x[runif(length(x)) < share] <- NA; x }

make <- function(folder, number) {
    set.seed(number)
    n <- sample(c(40, 150, 400), 1)
    people <- data.frame(
        age = maybe(sample(20:69, n, TRUE), sample(c(0, 0.1), 1)),
        sex = factor(maybe(sample(c("f", "m"), n, TRUE), 0.05), levels = c("m", "f", "other")),
        zip = maybe(sample(c("01067", "01069", "53111", "53113", "9000"), n, TRUE), 0.05),
        born = maybe(as.Date("1950-01-01") + sample(0:3000, n, TRUE), 0.02),
        pay = maybe(round(runif(n, -10, 900), sample(0:2, 1)), 0.1),
        seen = maybe(as.Date("2024-01-01") + sample(0:90, n, TRUE), 0.1),
        at = as.POSIXct("2024-02-29 22:00:00", tz = "America/New_York") + sample(0:20000, n, TRUE),
        ok = maybe(sample(c(TRUE, FALSE), n, TRUE), 0.1),
        ill = factor(maybe(sample(c("flu", "gout", "\u00fcbel"), n, TRUE), 0.05), levels = c("gout", "never", "\u00fcbel", "flu")),
        stringsAsFactors = FALSE)
    people$region <- structure(maybe(sample(c(1, 2, 7), n, TRUE), 0.05), labels = c(north = 1, south = 2, west = 3),
                               class = c("haven_labelled", "vctrs_vctr", "double"))
    rules <- c(age = sample(c("intervals:5,10,20", "suppress", "intervals:3,9"), 1), sex = "suppress", zip = "digits:5",
               born = "date:month,year", region = "suppress")
    qi <- rules[sample(names(rules), sample(2:4, 1))]
    keep <- setdiff(names(people), names(qi))
    given <- list(qi = qi, keep = keep, k = sample(2:6, 1), suppress = sample(c("0", "5%", "all"), 1),
                  algorithm = sample(c("auto", "datafly", "mondrian", "samarati"), 1))
    if (given$algorithm == "mondrian") given$suppress <- "all"
    release <- suppressMessages(do.call(anonymize, c(list(people), given)))$table
    shown <- texts(people)
    put(shown, file.path(folder, "table.tsv"))
    write.csv(shown, file.path(folder, "table.csv"), row.names = FALSE, na = "", fileEncoding = "UTF-8")
    types <- c(age = "integer", sex = "factor", zip = "text", born = "day", pay = "real", seen = "day", at = "moment", ok = "logical",
               ill = "factor", region = "text")
    write.table(data.frame(names(types), types), file.path(folder, "types.tsv"), sep = "\t", quote = FALSE, row.names = FALSE, col.names = FALSE)
    said <- rbind(data.frame(name = "qi", value = paste0(names(qi), "=", qi)), data.frame(name = "keep", value = paste(keep, collapse = ",")),
                  data.frame(name = c("k", "suppress", "algorithm"), value = c(given$k, given$suppress, given$algorithm)))
    write.table(said, file.path(folder, "settings.tsv"), sep = "\t", quote = FALSE, row.names = FALSE, col.names = FALSE)
    put(texts(release), file.path(folder, "r.tsv"))
    # What is kept is what it was, cell by cell, whatever its class.
    unchanged <- intersect(keep, names(release))
    stopifnot(identical(unchanged, keep))
    stopifnot(identical(lapply(release[unchanged], function(x) class(x)), lapply(people[unchanged], function(x) class(x))))
    # With rows that are kept as `*` the frame has the cells of the file.
    path <- file.path(folder, "starred.csv")
    starred <- suppressMessages(do.call(anonymize, c(list(people), given, keep_suppressed = TRUE)))
    suppressMessages(do.call(anonymize, c(list(people), given, keep_suppressed = TRUE, output = path)))
    stopifnot(identical(texts(starred$table), get(path, ",")), nrow(starred$table) == n)
    sum(starred$table$at == "*")
}

compare <- function(folder) {
    wanted <- get(file.path(folder, "r.tsv"), "\t")
    for (other in c("c.tsv", "python.tsv", "cli.csv")) {
        found <- get(file.path(folder, other), if (endsWith(other, "csv")) "," else "\t")
        if (!identical(dim(found), dim(wanted)) || !identical(names(found), names(wanted)))
            stop(folder, ": ", other, " has ", nrow(found), " rows of ", toString(names(found)), ", and R's release ", nrow(wanted), " of ", toString(names(wanted)))
        differ <- which(as.matrix(found) != as.matrix(wanted), arr.ind = TRUE)
        if (nrow(differ)) {
            at <- differ[1, ]
            stop(folder, ": ", other, ", row ", at[1], ", ", names(wanted)[at[2]], ": '", found[at[1], at[2]], "', and in R '", wanted[at[1], at[2]],
                 "'; ", nrow(differ), " cells differ")
        }
    }
    nrow(wanted) * ncol(wanted)
}

given <- commandArgs(TRUE)
if (given[1] == "make") {
    starred <- vapply(seq_len(as.integer(given[3])), function(number) {
        folder <- file.path(given[2], number)
        dir.create(folder)
        make(folder, number)
    }, 0L)
    stopifnot(sum(starred > 0) > 3)
} else {
    folders <- list.dirs(given[2], recursive = FALSE)
    cells <- sum(vapply(folders, compare, 0))
    cat("ok:", length(folders), "releases are the same from R, Python, C and the command line,", cells, "cells\n")
}
