# What came out, and how it is shown.

print.kanon_result <- function(x, ...) {
    cat(x$summary)
    invisible(x)
}

print.kanon_kinds <- function(x, ...) {
    cat(x$text)
    invisible(x)
}

summary.kanon_result <- function(object, ...) object$result

as.logical.kanon_verification <- function(x, ...) x$holds

# Lists of objects as rows: objects in them become columns with a dot, lists of objects are left out.
flat <- function(object, before = "") {
    out <- list()
    for (name in names(object)) {
        value <- object[[name]]
        full <- paste0(before, name)
        if (is.null(value)) out[[full]] <- NA
        else if (is.list(value) && !is.null(names(value))) out <- c(out, flat(value, paste0(full, ".")))
        else if (is.atomic(value)) out[[full]] <- if (length(value) == 1) value else paste(value, collapse = ", ")
    }
    out
}

rows_of <- function(objects) {
    rows <- lapply(objects, flat)
    names <- unique(unlist(lapply(rows, names)))
    columns <- lapply(names, function(name) {
        cells <- lapply(rows, function(row) if (is.null(row[[name]])) NA else row[[name]])
        unlist(cells)
    })
    out <- as.data.frame(setNames(columns, names), check.names = FALSE, optional = TRUE, stringsAsFactors = FALSE)
    names(out) <- names
    out
}

# The table of a result: of a release its rows, of a comparison its cells, of a risk its sizes of groups, of a profile
# and of utility their columns. `what` is another list of objects of the result.
as.data.frame.kanon_result <- function(x, row.names = NULL, optional = FALSE, what = NULL, ...) {
    if (is.null(what) && inherits(x, "kanon_release")) {
        if (is.null(x$table)) bad_input("this release is a file; read that")
        return(as.data.frame(x$table))
    }
    if (is.null(what)) what <- switch(x$command, compare = "cells", risk = "sizes", "columns")
    found <- if (what == "sizes") x$result$risk$sizes else x$result[[what]]
    if (!is.list(found) || !length(found) || !is.null(names(found)))
        bad_input("the result has no rows called '", what, "'; $result has all of it")
    rows_of(found)
}

# ---- pictures ----

# Groups of a release by size.
plot.kanon_release <- function(x, xlab = "rows in a group", ylab = "groups", ...) {
    if (is.null(x$table)) bad_input("this release is a file; read that")
    qi <- intersect(unlist(x$result$quasi_identifiers), names(x$table))
    key <- do.call(paste, c(lapply(x$table[qi], as.character), sep = "\r"))
    sizes <- table(as.vector(table(key)))
    barplot(sizes, xlab = xlab, ylab = ylab, ...)
    invisible(sizes)
}

plot.kanon_risk <- function(x, xlab = "rows in a group", ylab = "groups", ...) {
    sizes <- as.data.frame(x)
    barplot(setNames(sizes$groups, sizes$size), xlab = xlab, ylab = ylab, ...)
    invisible(sizes)
}

# What each cell costs, by k: a line for each search and limit.
plot.kanon_comparison <- function(x, cost = NULL, xlab = "k", ylab = cost, ...) {
    cells <- as.data.frame(x)
    if (is.null(cost)) cost <- if (any(!is.na(cells$metrics.ncp))) "ncp" else cells$cost[1]
    value <- cells[[paste0("metrics.", cost)]]
    if (is.null(value) || all(is.na(value))) bad_input("plot: no cell has the cost '", cost, "'")
    cells <- cells[!is.na(value), ]
    value <- value[!is.na(value)]
    series <- factor(paste0(cells$algorithm, ", suppress ", cells$suppress))
    plot(cells$k, value, xlab = xlab, ylab = if (is.null(ylab)) cost else ylab, pch = as.integer(series),
         ylim = range(0, value), ...)
    for (i in seq_along(levels(series))) {
        mine <- series == levels(series)[i]
        order <- order(cells$k[mine])
        lines(cells$k[mine][order], value[mine][order], lty = i)
    }
    legend("bottomright", levels(series), pch = seq_along(levels(series)), lty = seq_along(levels(series)), bty = "n")
    invisible(cells)
}

# How far the shares of each column moved.
plot.kanon_utility <- function(x, xlab = "total variation", ...) {
    columns <- as.data.frame(x)
    moved <- setNames(columns$even.total_variation, columns$name)
    barplot(rev(moved), horiz = TRUE, las = 1, xlab = xlab, ...)
    invisible(moved)
}
