# Hierarchies as R has them: lines of a value and its labels, from the lowest level to the top. They go to the library in
# memory; no file is written.

is_path_or_rule <- function(given) is.character(given) && length(given) == 1 && is.null(names(given))

texts_of <- function(x) {
    x <- if (is.factor(x)) as.character(x) else if (is.double(x) && !is.object(x)) number_texts(x) else as.character(x)
    x <- enc2utf8(x)
    x[is.na(x)] <- ""
    x
}

# A list of levels, each a vector of texts. `values` is the column, or NULL where the table is a file.
hierarchy_levels <- function(column, given, values, how) {
    at <- paste0("hierarchies$", column)
    top <- FALSE
    if (is.function(given)) {
        if (is.null(values)) bad_input(at, ": a function needs the values, but the table is a file; read it first")
        texts <- value_texts(column, values, how)
        first <- !duplicated(texts) & !is.na(texts)
        order <- order(texts[first], method = "radix") # so that nothing tells the order of the rows
        distinct <- if (is_haven(values) || is.factor(values)) texts[first][order] else values[first][order]
        labels <- given(distinct)
        labels <- if (is.data.frame(labels)) as.list(labels) else if (is.matrix(labels)) asplit_columns(labels) else list(labels)
        if (any(lengths(labels) != length(distinct)))
            bad_input(at, ": the function gives ", paste(lengths(labels), collapse = ", "), " labels for ", length(distinct),
                      " values; give one label, or one row of labels, for each")
        if (any(vapply(labels, anyNA, NA))) bad_input(at, ": the function gives no label for some value; give one for each")
        lines <- c(list(texts[first][order]), lapply(labels, texts_of))
        return(if (anyNA(texts)) with_missing(unname(lines)) else with_top(unname(lines)))
    }
    if (is.data.frame(given)) lines <- lapply(as.list(given), texts_of)
    else if (is.matrix(given)) lines <- lapply(asplit_columns(given), texts_of)
    else if (is.character(given) && !is.null(names(given))) lines <- list(enc2utf8(names(given)), texts_of(given))
    else if (is.list(given) && !is.null(names(given))) {
        if (length(unique(lengths(given))) != 1) bad_input(at, ": values have different numbers of labels; give each as many")
        lines <- c(list(enc2utf8(names(given))), lapply(seq_len(length(given[[1]])), function(i)
            texts_of(vapply(given, function(labels) as.character(labels[[i]]), ""))))
    } else
        bad_input(at, ": give a rule such as \"intervals:5,10\", a file, a data frame of values and labels, ",
                  "labels with values as names, or a function of values")
    lines <- unname(lines)
    if (!length(lines)) bad_input(at, ": no column; the first one has the values, each further one a level of labels")
    if (length(unique(lengths(lines))) > 1)
        bad_input(at, ": its columns have ", paste(lengths(lines), collapse = ", "), " cells; give each value a label of each level")
    is_named <- !is.data.frame(given) && !is.matrix(given) # names cannot be NA
    if (is_named && !"" %in% lines[[1]] && anyNA(values)) with_missing(lines) else with_top(lines)
}

asplit_columns <- function(x) lapply(seq_len(ncol(x)), function(i) x[, i])

# The top is one label.
with_top <- function(lines) {
    if (length(lines) == 1 || length(unique(lines[[length(lines)]])) > 1) c(lines, list(rep("*", length(lines[[1]])))) else lines
}

# With a line for what is missing: it is that, but at the top, as the builders have it.
with_missing <- function(lines) {
    last <- lines[[length(lines)]]
    if (length(lines) == 1 || any(last != "*")) lines <- c(lines, list(rep("*", length(last))))
    unname(Map(c, lines, c(rep("", length(lines) - 1), "*")))
}
