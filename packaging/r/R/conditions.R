# Conditions: kanon_error is all of them. kanon_bad_input: wrong use or bad data; kanon_unsatisfied: nothing within the
# limits keeps the promise; kanon_failed: files, memory, a database; kanon_out_of_memory is one of these.

stop_kanon <- function(class, message, call = NULL) {
    stop(structure(class = unique(c(class, "kanon_error", "error", "condition")), list(message = message, call = call)))
}

bad_input <- function(...) stop_kanon("kanon_bad_input", paste0(...))

# What the command line calls by flags, as arguments of R: --k 5 is k = 5.
as_arguments <- function(text) {
    pattern <- "--([a-z][a-z-]*)( (?=[^ ,;)\n]*[A-Z0-9=%])[^ ,;)\n]*[^ ,;:.)\n])?"
    text <- gsub("\\bNULL\\b", "NA", text) # as R calls what is missing
    text <- gsub("--json FILE", "$result", text, fixed = TRUE)
    found <- gregexpr(pattern, text, perl = TRUE)
    regmatches(text, found) <- lapply(regmatches(text, found), function(flags) {
        name <- gsub("-", "_", sub("^--([a-z-]+).*$", "\\1", flags), fixed = TRUE)
        value <- sub("^--[a-z-]+ ?", "", flags)
        known <- name %in% gsub("-", "_", the$settings$name, fixed = TRUE)
        number <- grepl("^[0-9.]+$", value)
        ifelse(!known, flags, ifelse(value == "", name, paste0(name, " = ", ifelse(number, value, dQuote(value, FALSE)))))
    })
    text
}

# The same of what is printed, but for commands that can be typed.
summary_as_arguments <- function(summary) {
    lines <- strsplit(summary, "\n", fixed = TRUE)[[1]]
    is_words <- !grepl("^next: ", lines)
    lines[is_words] <- as_arguments(lines[is_words])
    paste0(lines, "\n", collapse = "")
}

# Raises what a run that failed came to. Ctrl-C is an interrupt again, as R's own functions have it.
raise <- function(outcome, call) {
    text <- as_arguments(outcome$error)
    if (outcome$status == 130L) {
        signalCondition(structure(class = c("interrupt", "condition"), list(message = text, call = call)))
        invokeRestart("abort")
    }
    class <- if (isTRUE(outcome$no_memory)) c("kanon_out_of_memory", "kanon_failed")
             else switch(as.character(outcome$status), "2" = "kanon_bad_input", "3" = "kanon_unsatisfied", "kanon_failed")
    stop_kanon(class, text, call)
}

# Notes are messages: what a careful person would want to know although nothing failed.
tell_note <- function(note) {
    message(structure(class = c("kanon_note", "message", "condition"), list(message = paste0(note, "\n"), call = NULL)))
}
