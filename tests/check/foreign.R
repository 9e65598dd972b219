# For foreign.sh: files of SPSS, Stata and SAS as R's haven writes and reads them.
#   foreign.R write TABLE.csv     table.sav .zsav .dta .xpt, and labels.sav .dta with labelled codes
#   foreign.R read FILE           FILE.csv, with labels in place of codes
#   foreign.R labels FILE         fails unless the class of FILE has its labels and its column label
library(haven)
words <- commandArgs(trailingOnly = TRUE)

read_any <- function(path) {
    if (grepl("sav$", path)) read_sav(path)
    else if (grepl("dta$", path)) read_dta(path)
    else read_xpt(path)
}

if (words[1] == "write") {
    table <- read.csv(words[2], stringsAsFactors = FALSE, check.names = FALSE)
    write_sav(table, "table.sav")
    write_sav(table, "table.zsav", compress = "zsav")
    write_dta(table, "table.dta")
    write_xpt(table, "table.xpt", version = 8)
    coded <- table
    for (name in names(coded)[-1]) {
        values <- sort(unique(table[[name]]))
        codes <- as.numeric(seq_along(values))
        coded[[name]] <- labelled(as.numeric(match(table[[name]], values)),
                                  setNames(codes, values), label = paste("About", name))
    }
    write_sav(coded, "labels.sav")
    write_dta(coded, "labels.dta")
} else if (words[1] == "read") {
    table <- read_any(words[2])
    plain <- lapply(table, function(column) {
        column <- if (is.labelled(column)) as_factor(column) else column
        text <- as.character(column)
        ifelse(is.na(text), "", text)
    })
    plain <- as.data.frame(plain, stringsAsFactors = FALSE, check.names = FALSE)
    quoted <- function(text) ifelse(grepl("[\",\n]", text),
                                    paste0("\"", gsub("\"", "\"\"", text), "\""), text)
    lines <- do.call(paste, c(lapply(plain, quoted), sep = ","))
    writeLines(c(paste(quoted(names(plain)), collapse = ","), lines), paste0(words[2], ".csv"))
} else {
    column <- read_any(words[2])$salary_class
    stopifnot(is.labelled(column), identical(attr(column, "label"), "About salary_class"),
              identical(names(attr(column, "labels")), c("<=50K", ">50K")))
}
