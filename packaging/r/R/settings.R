# Settings: arguments of R as what the library takes. `the` holds what is asked of it once, when the package is loaded.

the <- new.env(parent = emptyenv())

# What R users may write, by what kanon calls it.
dashed <- function(names) gsub("_", "-", sub("_$", "", names), fixed = TRUE)
underscored <- function(names) gsub("-", "_", names, fixed = TRUE)

settings_for <- function(command) {
    words <- strsplit(the$settings$commands, " ", fixed = TRUE)
    found <- the$settings[vapply(words, function(w) command %in% w, NA), ]
    found[!found$name %in% c("input", "json", "quiet", "progress", "no-progress"), ]
}

# c(name = , column = , value = ) for each value of an argument.
setting_values <- function(setting, value, columns) {
    name <- setting$name
    shown <- underscored(name)
    text <- function(v) {
        if (is.logical(v)) return(if (isTRUE(v)) "true" else if (isFALSE(v)) "false" else bad_input(shown, ": NA is no value"))
        if (is.numeric(v)) {
            if (anyNA(v)) bad_input(shown, ": NA is no value")
            return(number_texts(v))
        }
        if (is.factor(v)) v <- as.character(v)
        if (!is.character(v)) bad_input(shown, ": ", class(v)[1], " is no value; give text or numbers")
        if (anyNA(v)) bad_input(shown, ": NA is no value")
        enc2utf8(if (setting$takes_path) path.expand(v) else v)
    }
    row <- function(column, value) data.frame(name = name, column = column, value = value)
    if (is.null(value) || isFALSE(value)) return(NULL)
    if (isTRUE(value)) {
        if (setting$writes) bad_input(shown, ": give the path of a file")
        return(row(NA, "true"))
    }
    if (!is.null(names(value))) {
        if (!setting$takes_columns && !setting$repeats) bad_input(shown, ": a setting of the whole job has no names")
        parts <- Map(function(column, held) {
            if (!nzchar(column)) setting_values(setting, unname(unlist(held)), columns)
            else row(column, if (is.null(held) || (is.logical(held) && is.na(held))) NA else paste(text(unlist(held)), collapse = ","))
        }, names(value), as.list(value))
        return(do.call(rbind, unname(parts)))
    }
    if (is.list(value)) value <- unlist(value)
    values <- text(value)
    if (setting$takes_columns)
        return(data.frame(name = name, column = ifelse(values %in% columns, values, NA), value = ifelse(values %in% columns, NA, values)))
    if (setting$repeats) return(row(NA, values))
    row(NA, paste(values, collapse = ","))
}

unknown_setting <- function(name, command, call) {
    elsewhere <- c(keyVars = "qi", sensibleVar = "sensitive", weightVar = "sampling_weight", hhId = "household",
                   strataVar = "strata", excludeVars = "drop", numVars = "qi", aggr = "k")
    near <- if (name %in% names(elsewhere)) elsewhere[[name]] else .Call(kanon_c_nearest, dashed(name), command)
    stop_kanon("kanon_bad_input", paste0(underscored(command), "() has no setting '", name, "'",
                                         if (!is.na(near)) paste0("; did you mean ", underscored(near), "?")), call)
}

settings <- function(command = "anonymize") {
    found <- settings_for(dashed(command))
    if (!nrow(found)) bad_input("there is no command '", command, "'")
    data.frame(name = underscored(found$name), value = found$argument, default = found$fallback, group = found$group,
               summary = as_arguments(found$summary))
}

kinds <- function() {
    structure(list(text = .Call(kanon_c_list)), class = "kanon_kinds")
}
