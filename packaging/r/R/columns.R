# Columns of data frames as the C part takes them (src/tables.c), and back. What only R knows of a column (its class,
# its label, which value stands for a text) is kept in a `shape`, and used for columns that were released as they are.

# Attributes that say what a column is. All others are left behind: nobody has looked at what is in them.
known_attributes <- c("class", "label", "units", "tzone", "format.spss", "format.stata", "format.sas", "display_width")

kept_attributes <- function(x) attributes(x)[intersect(names(attributes(x)), known_attributes)]

is_haven <- function(x) inherits(x, "haven_labelled")

number_texts <- function(x) .Call(kanon_c_texts, as.double(x))

column_of <- function(name, kind, format, data, levels = NULL, ordered = FALSE) {
    list(name = enc2utf8(name), kind = kind, format = format, data = data, levels = levels,
         ordered = if (ordered) "yes" else "")
}

# A column that is not read stands for itself: the library refuses its use by what it is.
unread_column <- function(name, what) column_of(name, "unread", paste("R's", what), NULL)

# Seconds since 1970 as clocks of the column's own zone show them, in microseconds.
wall_time <- function(x) {
    times <- as.POSIXlt(x, tz = if (is.null(attr(x, "tzone"))) "" else attr(x, "tzone")[1])
    offset <- times$gmtoff
    if (is.null(offset)) offset <- numeric(length(x))
    offset[is.na(offset)] <- 0
    round((as.double(x) + offset) * 1e6)
}

# The texts of values that have labels: a label where the code has one, else the code.
labelled_texts <- function(x) {
    values <- as.vector(unclass(x))
    texts <- if (is.character(values)) enc2utf8(values) else number_texts(values)
    labels <- attr(x, "labels")
    place <- match(values, labels)
    texts[!is.na(place)] <- enc2utf8(names(labels))[place[!is.na(place)]]
    texts[is.na(values)] <- NA
    texts
}

# One column and its shape. `how` is auto, labels or codes, for labelled ones.
read_column <- function(name, x, how = "auto") {
    if (inherits(x, "AsIs")) class(x) <- setdiff(class(x), "AsIs")
    if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
    shape <- list(kind = "plain", attributes = kept_attributes(x), is_text = is.character(x))
    done <- function(...) list(column = column_of(name, ...), shape = shape)
    refuse <- function(what) list(column = unread_column(name, what), shape = shape)
    if (is.data.frame(x) || !is.null(dim(x))) return(refuse("a column of several columns"))
    if (is.factor(x)) {
        shape$kind <- "factor"
        shape$levels <- levels(x)
        codes <- as.integer(x)
        if (any(codes < 1L | codes > length(levels(x)), na.rm = TRUE)) return(refuse("factor with codes that have no level"))
        codes[is.na(levels(x))[codes]] <- NA
        return(done("factor", "i", codes, enc2utf8(as.character(ifelse(is.na(levels(x)), "", levels(x)))), is.ordered(x)))
    }
    if (is_haven(x)) {
        labels <- attr(x, "labels")
        if (how == "labels" || (how == "auto" && length(labels) >= 2)) {
            texts <- labelled_texts(x)
            first <- !duplicated(texts) & !is.na(texts)
            shape$kind <- "labelled"
            shape$texts <- texts[first]
            shape$values <- as.vector(unclass(x))[first]
            if (length(unique(stats::na.omit(as.vector(unclass(x))))) > sum(first))
                return(refuse("labelled column in which two codes have the same text (labels = \"codes\" takes the codes)"))
            shape$all <- attributes(x)
            return(done("text", "i", texts))
        }
        shape$kind <- "codes"
        shape$all <- attributes(x)
        x <- as.vector(unclass(x))
    }
    if (inherits(x, c("Date", "POSIXct", "hms")) && !typeof(x) %in% c("integer", "double"))
        return(refuse(paste(class(x)[1], "that holds no numbers")))
    if (inherits(x, "Date")) {
        days <- floor(as.double(x))
        if (any(abs(days) > 2147483646, na.rm = TRUE)) return(refuse("Date beyond what a calendar has"))
        shape$kind <- "day"
        shape$is_integer <- is.integer(x)
        return(done("integer", "tdD", as.integer(days)))
    }
    if (inherits(x, "POSIXct")) {
        instants <- unique(x)
        walls <- wall_time(instants)
        if (any(abs(walls) > 9e15, na.rm = TRUE)) return(refuse("POSIXct beyond what a calendar has"))
        if (anyDuplicated(walls[!is.na(walls)]))
            return(refuse("POSIXct in which two moments read alike (a clock was set back, or they differ by less than a microsecond)"))
        shape$kind <- "moment"
        shape$walls <- walls
        shape$instants <- as.double(instants)
        return(done("words", "tsu:", walls[match(x, instants)]))
    }
    if (inherits(x, "hms")) {
        shape$kind <- "time"
        time <- round(as.double(x, units = "secs") * 1e6)
        if (any(abs(time) > 8e15, na.rm = TRUE)) return(refuse("hms beyond what a clock has"))
        return(done("words", "ttu", time))
    }
    if (inherits(x, "integer64") && !is.double(unclass(x))) return(refuse("integer64 that holds no words of 64 bits"))
    if (inherits(x, "integer64")) return(done("bits", "l", unclass(x)))
    if (is.object(x) && !is.null(attr(x, "class"))) return(refuse(paste(class(x), collapse = "/")))
    if (is.logical(x)) return(done("logical", "b", as.vector(x)))
    if (is.integer(x)) return(done("integer", "i", as.vector(x)))
    if (is.double(x)) return(done("real", "g", as.vector(x)))
    if (is.character(x)) return(done("text", "i", enc2utf8(as.vector(x))))
    refuse(typeof(x))
}

# How a column with labels is read: `labels` is one word, or words by column.
how_labelled <- function(labels, name) {
    asked <- if (is.null(labels)) "auto"
             else if (is.null(names(labels))) labels[[1]]
             else if (name %in% names(labels)) labels[[name]] else "auto"
    if (!asked %in% c("auto", "labels", "codes")) bad_input("labels: give \"auto\", \"labels\" or \"codes\"")
    asked
}

# What one reader of the column can tell apart and the library counts as one value: a release must not show it. NULL: none.
told_apart <- function(x) {
    is_time <- inherits(x, c("Date", "POSIXct", "POSIXlt", "hms"))
    if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
    if (is.factor(x))
        return(if (anyNA(levels(x)) && anyNA(unclass(x)) && any(is.na(levels(x))[unclass(x)], na.rm = TRUE))
            c("NA as a level and as no level", "factor(as.character(x)) makes them one"))
    if (!is.double(x) || inherits(x, "integer64")) return(NULL)
    kinds <- .Call(kanon_c_missing_kinds, x)
    if (length(kinds) > 1)
        return(c(paste("the missing values", paste(kinds, collapse = ", ")), "x[is.na(x)] <- NA makes them one"))
    if (!is_time) return(NULL)
    plain <- as.double(unclass(x))
    if (inherits(x, "Date") && any(plain != floor(plain) & is.finite(plain)))
        return(c("Dates with parts of a day", "as.Date(format(x)) takes the days"))
    if (inherits(x, "hms")) {
        plain <- unique(as.double(x, units = "secs"))
        if (anyDuplicated(round(plain * 1e6)[!is.na(plain)]))
            return(c("times that differ by less than a microsecond", "round them"))
    }
    NULL
}

# Of a release whatever tells rows apart must be counted. `said` are the settings: columns that none names, or only to be
# kept, are of no group. A job file may name any.
refuse_told_apart <- function(data, said) {
    said <- said[!said$name %in% c("keep", "drop"), ]
    named <- c(said$column, said$value)
    for (name in names(data)) {
        if (!"job" %in% said$name && !any(grepl(name, named[!is.na(named)], fixed = TRUE))) next
        apart <- told_apart(.subset2(data, match(name, names(data))))
        if (!is.null(apart))
            bad_input("data: column '", name, "' shows ", apart[1], ", which would be counted as one value; ", apart[2])
    }
}

# `what` is the argument, for messages.
read_frame <- function(data, labels = NULL, what = "data") {
    unnamed <- if (length(names(data)) == length(data)) which(is.na(names(data))) else seq_along(data)
    if (length(unnamed)) bad_input(what, ": column ", unnamed[1], " has no name; give each one with names()")
    rows <- .row_names_info(data, 2L)
    read <- lapply(seq_along(data), function(i) {
        name <- names(data)[i]
        x <- .subset2(data, i)
        one <- read_column(name, x, how_labelled(labels, name))
        n <- length(one$column$data)
        if (one$column$kind != "unread" && n != rows)
            bad_input(what, ": column '", name, "' has ", n, " values, and the frame ", rows,
                      " rows; make the frame again, with data.frame()")
        one
    })
    list(columns = lapply(read, `[[`, "column"), shapes = setNames(lapply(read, `[[`, "shape"), names(data)),
         rows = as.double(rows))
}

# ---- back ----

# What came from the library as a plain vector. Dictionaries are factors of their texts.
plain_vector <- function(column, n) {
    data <- column$data
    kind <- column$kind
    if (kind == "factor") {
        levels <- plain_vector(column$levels, length(column$levels$data))
        return(if (is.character(levels)) factor(levels[data], levels = levels) else levels[data])
    }
    if (kind == "missing") return(rep(NA, n))
    if (kind == "days") return(structure(data, class = "Date"))
    if (kind == "bits") return(structure(data, class = "integer64"))
    if (startsWith(kind, "ts")) {
        unit <- c(s = 1, m = 1e3, u = 1e6, n = 1e9)[[substr(kind, 3, 3)]]
        return(structure(data / unit, class = c("POSIXct", "POSIXt"), tzone = "UTC"))
    }
    if (startsWith(kind, "tt")) {
        unit <- c(s = 1, m = 1e3, u = 1e6, n = 1e9)[[substr(kind, 3, 3)]]
        return(structure(data / unit, class = c("hms", "difftime"), units = "secs"))
    }
    data
}

as_texts <- function(x) if (is.factor(x)) as.character(x) else x

# Labels and codes of missing values that a released row shows; the others would tell of rows that are not there.
shown_labels <- function(x, shape) {
    shown <- unique(x)
    attributes(x) <- shape$attributes
    labels <- shape$all$labels
    attr(x, "labels") <- labels[labels %in% shown]
    missing <- shape$all$na_values
    if (any(missing %in% shown)) attr(x, "na_values") <- missing[missing %in% shown]
    range <- shape$all$na_range
    if (!is.null(range) && any(shown >= range[1] & shown <= range[2], na.rm = TRUE)) attr(x, "na_range") <- range
    x
}

# Whether a column that was released as it is can be what it was: rows that were kept as `*` make texts of all others, and
# `*` is none of its values.
is_as_it_was <- function(column, shape) {
    is_text <- column$kind == "text" || (column$kind == "factor" && column$levels$kind == "text")
    if (!is_text) return(TRUE)
    if (!shape$kind %in% c("factor", "labelled")) return(isTRUE(shape$is_text))
    texts <- if (column$kind == "text") column$data else column$levels$data[column$data]
    all(is.na(texts) | texts %in% (if (shape$kind == "factor") enc2utf8(shape$levels) else shape$texts))
}

# A column that was released as it is, as it was.
restored <- function(column, shape, n) {
    x <- plain_vector(column, n)
    switch(shape$kind,
        factor = {
            texts <- as_texts(x)
            x <- factor(texts, levels = intersect(shape$levels, texts), ordered = "ordered" %in% shape$attributes$class)
            if (!is.null(shape$attributes$label)) attr(x, "label") <- shape$attributes$label
            x
        },
        labelled = shown_labels(shape$values[match(as_texts(x), shape$texts)], shape),
        codes = shown_labels(as_texts(x), shape),
        day = with_attributes(if (shape$is_integer) as.integer(x) else as.double(x), shape),
        moment = {
            walls <- as.double(x) * 1e6
            with_attributes(shape$instants[match(round(walls), shape$walls)], shape)
        },
        with_attributes(as_texts(x), shape))
}

with_attributes <- function(x, shape) {
    attributes(x) <- shape$attributes
    x
}

# A column that shows labels: text, and a factor where it was one.
relabelled <- function(column, shape, n) {
    x <- as_texts(plain_vector(column, n))
    if (is.null(shape)) return(x)
    label <- shape$attributes$label
    if (shape$kind == "factor") {
        texts <- as.character(x)
        shown <- unique(texts[!is.na(texts)])
        x <- factor(texts, levels = c(intersect(shape$levels, shown), sort(setdiff(shown, shape$levels), method = "radix")))
    }
    if (!is.null(label)) attr(x, "label") <- label
    x
}

give_frame <- function(columns, n, unchanged, shapes, is_tibble) {
    out <- lapply(columns, function(column) {
        shape <- shapes[[column$name]]
        if (!is.null(shape) && column$name %in% unchanged && is_as_it_was(column, shape)) restored(column, shape, n)
        else if (is.null(shape) && column$kind != "factor") plain_vector(column, n)
        else relabelled(column, shape, n)
    })
    names(out) <- vapply(columns, `[[`, "", "name")
    attr(out, "row.names") <- .set_row_names(n)
    class(out) <- c(if (is_tibble) c("tbl_df", "tbl"), "data.frame")
    out
}

# The texts that kanon has for values, which hierarchies are about.
value_texts <- function(name, x, how = "auto") {
    read <- read_column(name, x, how)$column
    data <- read$data
    switch(read$kind,
        logical = ifelse(is.na(data), NA_character_, ifelse(data, "true", "false")),
        factor = read$levels[data],
        text = data,
        integer = if (read$format == "tdD") format(structure(data, class = "Date"), "%Y-%m-%d") else number_texts(data),
        real = number_texts(data),
        words = {
            whole <- data %/% 1e6
            rest <- sub("0+$", "", sprintf("%06.0f", data %% 1e6))
            rest <- ifelse(rest == "", "", paste0(".", rest))
            times <- structure(whole, class = c("POSIXct", "POSIXt"), tzone = "UTC")
            shown <- format(times, if (read$format == "ttu") "%H:%M:%S" else "%Y-%m-%d %H:%M:%S", tz = "UTC")
            ifelse(is.na(data), NA_character_, paste0(shown, rest))
        },
        bad_input("hierarchies$", name, ": a column of ", sub("^R's ", "", read$format), " has no hierarchy of values; give a rule"))
}
