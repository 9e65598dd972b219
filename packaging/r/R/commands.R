# Commands. Their arguments are those of the library that is loaded (.onLoad): each setting by its name, `_` for `-`.
# Behind `...`, which takes nothing, names must be written out.

table_settings <- c("original", "population", "register")

as_table <- function(data, what) {
    if (inherits(data, "kanon_release")) {
        if (is.null(data$table)) bad_input(what, ": this release is a file; give its path")
        data <- data$table
    }
    if (is.character(data) && length(data) == 1 && !is.na(data)) return(list(path = path.expand(data)))
    if (!is.data.frame(data))
        bad_input(what, ": ", class(data)[1], " is not a table; give a data frame, or the path of a file",
                  if (is.matrix(data) || is.list(data)) " (as.data.frame makes a data frame)")
    list(frame = data)
}

progress_line <- function(stage, done, total, best, bound) {
    part <- if (!is.null(total)) sprintf(" %3.0f %%", 100 * done / total) else sprintf(" %.0f", done)
    cat("\r", stage, part, if (!is.null(best)) sprintf("  best %g", best), "\033[K", sep = "", file = stderr())
}

# A function of progress as the C part calls it: 0 it is done, 1 it was interrupted, 2 it failed, and `kept` has the error.
guarded <- function(progress, kept) {
    function(...) tryCatch({
        progress(...)
        0L
    }, interrupt = function(i) 1L, error = function(e) {
        kept$error <- e
        2L
    })
}

# Runs a command with the arguments of the function that calls it.
run_command <- function(command, data, given, call) {
    extra <- given[["..."]]
    given[["..."]] <- NULL
    if (length(extra)) {
        named <- names(extra)
        if (is.null(named) || any(named == "")) bad_input(underscored(command), "(): settings need their names, such as k = 5")
        unknown_setting(named[1], command, call)
    }
    progress <- given$progress
    labels <- given$labels
    hierarchies <- given$hierarchies
    given[c("progress", "labels", "hierarchies")] <- NULL
    if (isTRUE(progress)) progress <- progress_line
    if (!is.null(progress) && !isFALSE(progress) && !is.function(progress))
        bad_input("progress: give TRUE, or a function of (stage, done, total, best, bound)")

    tables <- list()
    shapes <- list()
    said <- list()
    # `line` is the place of a hierarchy in memory, which stands for the value.
    say <- function(rows, line = NA_integer_) if (!is.null(rows)) said[[length(said) + 1]] <<- cbind(rows, line = line)
    use <- function(setting, table) {
        if (!is.null(table$path)) return(say(data.frame(name = setting, column = NA, value = table$path)))
        what <- if (setting == "input") "data" else setting
        read <- read_frame(table$frame, labels, what)
        if (setting == "input") shapes <<- read$shapes
        tables[[length(tables) + 1]] <<- list(setting, read$columns, read$rows)
    }
    main <- NULL
    if (!is.null(data)) {
        main <- as_table(data, "data")
        use("input", main)
    } else if (is.null(given$job)) {
        bad_input("data: NULL is not a table; give a data frame, or the path of a file")
    }
    values <- main$frame # of which hierarchies are
    for (setting in intersect(table_settings, names(given))) {
        if (is.null(given[[setting]])) next
        other <- as_table(given[[setting]], setting)
        use(setting, other)
        if (setting == "original") values <- other$frame
        given[[setting]] <- NULL
    }
    if (!is.null(labels) && (is.null(main) || !is.null(main$path))) given$labels <- labels # of a file

    known <- settings_for(command)
    columns <- unique(c(names(main$frame), names(values)))
    lines <- list()
    in_memory <- function(setting, column, given)
        list(setting, enc2utf8(column), hierarchy_levels(column, given, values[[column]], how_labelled(labels, column)))
    far <- given$t_hierarchy # as far as they are not files
    for (column in if (is.list(far)) names(far)) {
        if (is_path_or_rule(far[[column]])) next
        lines[[length(lines) + 1]] <- in_memory("t-hierarchy", column, far[[column]])
        say(data.frame(name = "t-hierarchy", column = column, value = NA), length(lines))
        given$t_hierarchy[[column]] <- NULL
    }
    if (is_path_or_rule(hierarchies)) {
        say(data.frame(name = "hierarchies", column = NA, value = path.expand(hierarchies)))
    } else if (!is.null(hierarchies)) {
        if (is.null(names(hierarchies)) || any(names(hierarchies) == ""))
            bad_input("hierarchies: give a folder, or a list with columns as names")
        qi <- setting_values(known[known$name == "qi", ], given$qi, columns)
        qi_lines <- rep(NA_integer_, NROW(qi))
        for (column in names(hierarchies)) {
            at <- which(qi$column %in% column | (is.na(qi$column) & qi$value %in% column))
            if (!length(at)) bad_input("hierarchies$", column, ": no quasi-identifier has this name (qi)")
            if (sum(names(hierarchies) == column) > 1) bad_input("hierarchies$", column, " is given twice")
            if (length(at) > 1) bad_input("qi: '", column, "' is named twice")
            one <- hierarchies[[column]]
            # In its place: other settings, such as levels, go by the order of the quasi-identifiers.
            qi$column[at] <- column
            qi$value[at] <- if (is_path_or_rule(one)) path.expand(one) else NA
            if (is_path_or_rule(one)) next
            lines[[length(lines) + 1]] <- in_memory("qi", column, one)
            qi_lines[at] <- length(lines)
        }
        given$qi <- NULL
        say(qi, qi_lines)
    }
    for (name in names(given)) {
        if (is.null(given[[name]])) next
        setting <- known[known$name == dashed(name), ]
        say(setting_values(setting[1, ], given[[name]], columns))
    }
    said <- do.call(rbind, said)
    if (is.null(said)) said <- data.frame(name = character(), column = character(), value = character(), line = integer())
    if (command == "verify" && !is.null(main$frame)) refuse_told_apart(main$frame, said)
    said <- said[order(said$name == "job"), ] # it takes what nobody has set before
    kept <- new.env(parent = emptyenv())
    outcome <- .Call(kanon_c_run, command, list(said$name, as.character(said$column), as.character(said$value), as.integer(said$line)),
                     tables, lines, command == "anonymize", if (is.function(progress)) guarded(progress, kept))
    if (identical(progress, progress_line)) cat("\r\033[K", file = stderr())
    for (one in lines) # as users know them
        for (field in c("error", "notes", "summary"))
            if (!is.null(outcome[[field]]))
                outcome[[field]] <- gsub(paste0("memory:", if (one[[1]] != "qi") "t-hierarchy/", one[[2]], ".csv"),
                                         paste0(if (one[[1]] == "qi") "hierarchies$" else "t_hierarchy$", one[[2]]), outcome[[field]], fixed = TRUE)
    if (outcome$progress_failed)
        stop_kanon("kanon_failed", paste0("progress: the function failed: ", conditionMessage(kept$error)), call)
    if (outcome$status != 0L) raise(outcome, call)
    notes <- as_arguments(outcome$notes)
    for (note in notes) tell_note(note)
    if (outcome$interrupted) warning("interrupted: the result is what was found by then", call. = FALSE)
    new_result(command, outcome, notes, main$frame, shapes)
}

new_result <- function(command, outcome, notes, frame, shapes) {
    result <- .Call(kanon_c_json, outcome$json)
    out <- list(command = command, result = result, summary = summary_as_arguments(outcome$summary), holds = outcome$holds,
                unchecked = if (!is.na(outcome$unchecked)) outcome$unchecked, notes = notes,
                job = if (!is.na(outcome$job)) outcome$job)
    if (!is.null(outcome$columns)) {
        is_same <- vapply(result$columns, function(c) identical(c$became, "unchanged") && is.null(c$treated), NA)
        out$table <- give_frame(outcome$columns, outcome$rows, vapply(result$columns[is_same], `[[`, "", "name"), shapes,
                                inherits(frame, "tbl_df"))
    }
    kind <- c(anonymize = "kanon_release", verify = "kanon_verification", compare = "kanon_comparison", risk = "kanon_risk",
              profile = "kanon_profile", utility = "kanon_utility", attack = "kanon_attack")[[command]]
    structure(out, class = c(kind, "kanon_result"))
}

# The bodies; .onLoad gives them their arguments.
anonymize <- function(data, ...) run_command("anonymize", data, arguments(environment(), ...), sys.call())
verify <- function(data, ...) run_command("verify", data, arguments(environment(), ...), sys.call())
risk <- function(data, ...) run_command("risk", data, arguments(environment(), ...), sys.call())
utility <- function(data, ...) run_command("utility", data, arguments(environment(), ...), sys.call())
profile <- function(data, ...) run_command("profile", data, arguments(environment(), ...), sys.call())
compare <- function(data, ...) run_command("compare", data, arguments(environment(), ...), sys.call())
attack <- function(data, ...) run_command("attack", data, arguments(environment(), ...), sys.call())

# What was given, beside the table: the arguments by name, those of `...` as they are.
arguments <- function(frame, ...) {
    names <- setdiff(ls(frame, all.names = TRUE), c("data", "..."))
    out <- mget(names, envir = frame)
    out[["..."]] <- list(...)
    out
}

hierarchy_build <- function(data, column, method = NULL) {
    if (!is.data.frame(data) || !is.character(column)) bad_input("give a data frame, and the names of columns")
    folder <- tempfile("kanon-")
    dir.create(folder, mode = "0700")
    on.exit(unlink(folder, recursive = TRUE))
    built <- lapply(seq_along(column), function(i) {
        name <- if (is.null(names(column)) || !nzchar(names(column)[i])) column[i] else names(column)[i]
        rule <- if (!identical(name, column[[i]])) column[[i]] else method
        read <- read_frame(data)
        path <- file.path(folder, paste0(i, ".csv"))
        said <- list(c("column", if (!is.null(rule)) "method", "output"), c(name, if (!is.null(rule)) NA, NA),
                     c(NA, rule, path), rep(NA_integer_, if (is.null(rule)) 2 else 3))
        outcome <- .Call(kanon_c_run, "hierarchy-build", said, list(list("input", read$columns, read$rows)), list(), FALSE, NULL)
        if (outcome$status != 0L) raise(outcome, sys.call(-2))
        lines <- utils::read.table(path, sep = ";", quote = "\"", colClasses = "character", na.strings = character(),
                                   encoding = "UTF-8", comment.char = "", stringsAsFactors = FALSE)
        names(lines) <- c("value", paste0("level", seq_len(ncol(lines) - 1)))
        lines
    })
    names(built) <- if (is.null(names(column))) column else ifelse(nzchar(names(column)), names(column), column)
    built
}

# Which arguments a command has, as formals: the table, those that most calls have, `...`, and all others.
command_formals <- function(command) {
    found <- underscored(settings_for(command)$name)
    found <- unique(c(found, "progress"))
    first <- intersect(c("qi", "k"), found)
    rest <- sort(setdiff(found, c(first, "data")))
    reserved <- c("if", "else", "repeat", "while", "function", "for", "next", "break", "in", "TRUE", "FALSE", "NULL", "Inf", "NaN")
    rest[rest %in% reserved] <- paste0(rest[rest %in% reserved], "_")
    has_data <- command == "verify" || command == "profile" || command == "attack"
    c(if (has_data) alist(data = ) else alist(data = NULL), setNames(rep(list(NULL), length(first)), first), alist(... = ),
      setNames(rep(list(NULL), length(rest)), rest))
}

the_commands <- c("anonymize", "verify", "risk", "utility", "profile", "compare", "attack")

.onLoad <- function(libname, pkgname) {
    found <- .Call(kanon_c_settings)
    the$settings <- as.data.frame(found, stringsAsFactors = FALSE)
    the$commands <- as.data.frame(.Call(kanon_c_commands), stringsAsFactors = FALSE)
    for (command in the_commands) {
        body <- get(command, envir = topenv())
        formals(body) <- command_formals(command)
        assign(command, body, envir = topenv())
    }
}
