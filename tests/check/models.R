# models.R make: a table with numbers of odd scales, missing values, dates, weights and a rare outcome.
# models.R check NAME TABLE FORMULA: what kanon found (NAME.json) against lm and glm.
suppressMessages(library(jsonlite))
asked <- commandArgs(trailingOnly = TRUE)

if (asked[1] == "make") {
    set.seed(7)
    n <- 3000
    x <- round(rnorm(n) * 1000 + 5e6, 2)
    year <- sample(1990:2020, n, TRUE)
    town <- sample(c("Bonn", "Kiel", "Ulm", "a b"), n, TRUE)
    day <- as.Date("2020-01-01") + sample(0:900, n, TRUE)
    effect <- c(Bonn = 0, Kiel = 0.5, Ulm = -1, "a b" = 0.2)[town]
    score <- (x - 5e6) / 1000 + effect + (year - 2005) / 20
    table <- data.frame(y = round(3 * score + rnorm(n), 3), bought = ifelse(runif(n) < plogis(score), "yes", "no"),
                        rare = ifelse(runif(n) < plogis(score - 6), "yes", "no"), x, year,
                        yearlike = round(year + rnorm(n) / 50, 4), town, day, w = round(exp(rnorm(n)) * 50, 1))
    table$x[sample(n, 40)] <- NA
    table$town[sample(n, 30)] <- NA
    write.csv(table, "made.csv", row.names = FALSE, na = "", quote = FALSE)
    quit()
}

name <- asked[2]
formula <- as.formula(gsub("([A-Za-z]+-[a-z]+)", "`\\1`", asked[4]))
table <- read.csv(asked[3], na.strings = c("", "?"), check.names = FALSE, stringsAsFactors = TRUE)
for (column in names(table)[sapply(table, is.factor)]) # by bytes, as kanon orders text
    table[[column]] <- factor(table[[column]], sort(levels(table[[column]]), method = "radix"))
if ("day" %in% names(table)) table$day <- as.numeric(as.Date(as.character(table$day)))
found <- fromJSON(paste0(name, ".json"), simplifyVector = FALSE)$regressions[[1]]
survey <- grepl("^survey", name)
weights <- if (survey) table$w else rep(1, nrow(table))
table$weights_of_rows <- weights
environment(formula) <- environment()
control <- glm.control(epsilon = 1e-14, maxit = 100)
fit <- if (found$kind == "linear") lm(formula, table, weights = weights_of_rows) else suppressWarnings(
    glm(formula, binomial, table, weights = weights_of_rows, control = control))
# R's errors are those of the weights before its last step, so that it takes one more from where it came to.
if (found$kind == "logistic")
    fit <- suppressWarnings(glm(formula, binomial, table, weights = weights_of_rows, control = control, start = coef(fit)))
stopifnot(length(fit$fitted.values) == found$original$rows)

# The linearized estimator of a survey without strata: bread, meat, n / (n - 1).
sandwich <- function(fit, weights) {
    frame <- model.matrix(fit)
    weights <- weights[as.integer(rownames(frame))]
    rest <- if (found$kind == "linear") residuals(fit) else fit$y - fit$fitted.values
    cross <- if (found$kind == "linear") weights else weights * fit$fitted.values * (1 - fit$fitted.values)
    n <- nrow(frame)
    # with numbers centred and scaled, and back: the constant is made of all of them
    middle <- c(0, colMeans(frame)[-1])
    scale <- c(1, apply(frame, 2, sd)[-1])
    scaled <- t((t(frame) - middle) / scale)
    back <- diag(1 / scale)
    back[1, ] <- c(1, (-middle / scale)[-1])
    bread <- solve(crossprod(scaled * cross, scaled))
    meat <- crossprod(scaled * (weights * rest))
    sqrt(diag(back %*% bread %*% meat %*% bread %*% t(back)) * n / (n - 1))
}
here <- coef(summary(fit))
errors <- if (survey) sandwich(fit, weights) else here[, 2]
values <- here[, 1]
labels <- sapply(found$coefficients, function(c) if (is.null(c$column)) "(Intercept)" else
    paste0(if (grepl("-", c$column)) paste0("`", c$column, "`") else c$column, c$value))
stopifnot(identical(labels, names(values)))
ours <- sapply(found$coefficients, function(c) c$original$value)
our_errors <- sapply(found$coefficients, function(c) c$original$error)
off <- max(abs(ours - values) / errors)
off_errors <- max(abs(our_errors / errors - 1))
if (!(off <= 1e-8 && off_errors <= 1e-8))
    stop(name, ": coefficients are off by ", off, " of their error, errors by ", off_errors)
low <- sapply(found$coefficients, function(c) c$original$low)
reach <- if (found$kind == "linear") qt(0.975, fit$df.residual) else qnorm(0.975)
stopifnot(max(abs((ours - low) / our_errors - reach)) < 1e-7)
# The same table twice: intervals that are the same overlap by 1.
stopifnot(all(abs(sapply(found$coefficients, function(c) c$overlap) - 1) < 1e-12))
cat(sprintf("%s: %d coefficients, off by %.1e of an error; errors by %.1e\n", name, length(ours), off, off_errors))
