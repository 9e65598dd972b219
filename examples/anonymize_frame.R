# From a data frame to a release, with the R package.
set.seed(1)
people <- data.frame(
    name = paste("person", 1:600), age = sample(20:69, 600, TRUE), sex = factor(sample(c("f", "m"), 600, TRUE)),
    zip = sample(c("01067", "01069", "53111", NA), 600, TRUE), ill = factor(sample(c("flu", "gout"), 600, TRUE)),
    seen = as.Date("2024-01-01") + sample(0:90, 600, TRUE), cost = round(runif(600, 10, 900), 2))

release <- kanon::anonymize(people, qi = c("age", "sex", "zip"), k = 5, sensitive = "ill", l = 2, keep = c("seen", "cost"),
                            drop = "name", hierarchies = list(
                                age = "intervals:5,10,20",
                                sex = "suppress",
                                zip = c("01067" = "Dresden", "01069" = "Dresden", "53111" = "Bonn")))
str(release$table)
cat(release$result$solution$groups, "groups of", release$result$solution$smallest_group, "or more\n")

checked <- kanon::verify(release, qi = c("age", "sex", "zip"), k = 5, sensitive = "ill", l = 2)
stopifnot(checked$holds)

# What other values of k would cost, as a data frame; plot(cells) draws it.
cells <- kanon::compare(people, qi = c(age = "intervals:5,10,20", sex = "suppress", zip = "digits:5"), ks = c(2, 5, 10, 20))
print(as.data.frame(cells)[, c("algorithm", "k", "groups", "metrics.ncp")])

# An error is a condition, which says what to do.
cat(tryCatch(kanon::anonymize(people, qi = "aeg", k = 5), kanon_bad_input = conditionMessage), "\n")
