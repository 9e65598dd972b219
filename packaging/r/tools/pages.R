# Help pages of the commands, from the settings and commands of the library: their names, what they take, what they
# mean. The pages of everything else are in man/.
#
#   Rscript pages.R LIBRARY MAN
arguments <- commandArgs(TRUE)
library(kanon, lib.loc = arguments[1], warn.conflicts = FALSE)
inside <- asNamespace("kanon")

escaped <- function(text) gsub("([\\%{}])", "\\\\\\1", text)
wrapped <- function(text) paste(strwrap(text, 100), collapse = "\n")

examples <- list(
    anonymize = c("people <- data.frame(age = c(31, 34, 38, 42, 45, 47), sex = factor(c(\"f\", \"f\", \"m\", \"m\", \"f\", \"m\")),",
                  "                     ill = factor(c(\"flu\", \"asthma\", \"flu\", \"HIV\", \"HIV\", \"HIV\")))",
                  "release <- kanon::anonymize(people, qi = c(\"age\", \"sex\"), hierarchies = list(age = \"intervals:10\"),",
                  "                            k = 3, keep = \"ill\")", "release$table", "release$result$verified"),
    verify = c("release <- data.frame(age = c(\"30-39\", \"30-39\", \"40-49\"))", "kanon::verify(release, qi = \"age\", k = 2)$holds"),
    risk = c("people <- data.frame(age = c(31, 31, 42), sex = c(\"f\", \"f\", \"m\"))",
             "kanon::risk(people, qi = c(\"age\", \"sex\"))$result$risk$prosecutor$highest"),
    profile = "as.data.frame(kanon::profile(data.frame(age = c(31, 31, 42))))[, c(\"name\", \"type\", \"distinct\")]",
    compare = c("people <- data.frame(age = rep(c(31, 34, 38, 42), 3))",
                "cells <- kanon::compare(people, qi = c(age = \"intervals:5,10\"), ks = c(2, 6))",
                "as.data.frame(cells)[, c(\"k\", \"metrics.ncp\")]", "plot(cells)"),
    utility = c("before <- data.frame(age = c(31, 34, 42, 45))", "after <- data.frame(age = c(\"30-39\", \"30-39\", \"40-49\", \"40-49\"))",
                "kanon::utility(after, original = before, qi = c(age = \"intervals:10\"))$result$numbers$il1s$value"),
    attack = c("release <- data.frame(age = c(\"30-39\", \"30-39\", \"40-49\"))",
               "found <- kanon::attack(release, register = data.frame(age = c(31, 35, 42)), qi = c(age = \"intervals:10\"))",
               "found$result$register$matched$one$people"))

value <- c(
    anonymize = "A \\code{kanon_release}: \\code{$table} is the released data frame (a tibble where a tibble came in), unless \\code{output} named a file.",
    verify = "A \\code{kanon_verification}: \\code{$holds} says whether the promise holds; \\code{$unchecked} what could not be checked.",
    risk = "A \\code{kanon_risk}, to be printed and plotted.", profile = "A \\code{kanon_profile}; \\code{as.data.frame} gives its columns.",
    compare = "A \\code{kanon_comparison}; \\code{as.data.frame} gives its cells, \\code{plot} what each costs.",
    utility = "A \\code{kanon_utility}; \\code{as.data.frame} gives its columns.", attack = "A \\code{kanon_attack}.")

of_table <- list(
    data = "A data frame or tibble, a release of \\code{\\link{anonymize}}, or the path of a file of any format that kanon reads.",
    "..." = "Nothing. Arguments behind it need their whole names.",
    progress = "\\code{TRUE} for a line on standard error, or a function of (stage, done, total, best, bound); what is not known is \\code{NULL}.",
    hierarchies = paste("A folder with a file for each column, or a list from columns to hierarchies: a rule (\\code{\"intervals:5,10\"}), a",
                        "file, a data frame of values and their labels, labels with values as names, or a function that gives the labels of",
                        "values, as a vector or a data frame."),
    labels = "For columns of class \\code{haven_labelled} and files with labels: \\code{\"labels\"}, \\code{\"codes\"} or \\code{\"auto\"} (labels, where a column has two or more); or these words with columns as names.")

for (command in get("the_commands", inside)) {
    formals <- formals(get(command, inside))
    known <- get("settings_for", inside)(command)
    about <- get("the", inside)$commands
    about <- about[about$name == command, ]
    usage <- vapply(names(formals), function(name) if (is.null(formals[[name]])) paste(name, "= NULL") else name, "")
    items <- vapply(names(formals), function(name) {
        setting <- known[known$name == get("dashed", inside)(name), ]
        text <- of_table[[name]]
        if (is.null(text)) {
            text <- escaped(get("as_arguments", inside)(setting$summary[1]))
            text <- paste0(toupper(substr(text, 1, 1)), substring(text, 2))
            if (!is.na(setting$argument[1])) text <- paste0("\\code{", escaped(setting$argument[1]), "}. ", text)
            else text <- paste0("\\code{TRUE}: ", text)
            if (!is.na(setting$choices[1])) text <- paste0(text, ". One of ", escaped(gsub("|", ", ", setting$choices[1], fixed = TRUE)))
            if (!is.na(setting$fallback[1])) text <- paste0(text, " (default: ", escaped(setting$fallback[1]), ")")
            text <- paste0(text, ".")
        }
        paste0("\\item{", if (name == "...") "\\dots" else name, "}{", wrapped(text), "}")
    }, "")
    page <- c("% Made by tools/pages.R from the settings of the library.",
        paste0("\\name{", command, "}"), paste0("\\alias{", command, "}"), paste0("\\title{", escaped(about$summary), "}"),
        "\\description{", wrapped(escaped(get("as_arguments", inside)(gsub("\n", " ", about$about)))), "}",
        "\\usage{", paste0(command, "(", paste(strwrap(paste(usage, collapse = ", "), 84, exdent = 4), collapse = "\n"), ")"), "}",
        "\\arguments{", items, "}",
        "\\details{", wrapped(paste("Settings about columns take a name, several names, or values with columns as names:",
            "\\code{qi = c(\"age\", \"sex\")}, \\code{qi = c(age = \"intervals:5,10\", \"sex\")}. What each setting means is told at",
            "length in the manual of kanon; it has the same name there, as a flag with \\code{-} for \\code{_}. Errors are conditions, see",
            "\\code{\\link{kanon-package}}.")), "}",
        "\\value{", value[[command]], "See \\code{\\link{kanon_result}}.", "}",
        if (!is.null(examples[[command]])) c("\\examples{", escaped(examples[[command]]), "}"))
    writeLines(page, file.path(arguments[2], paste0(command, ".Rd")), useBytes = TRUE)
}
