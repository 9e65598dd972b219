# From a data frame to a release and back, with base R, jsonlite and the program kanon.
set.seed(1)
people <- data.frame(
    name = paste("person", 1:600), age = sample(20:69, 600, TRUE), sex = factor(sample(c("f", "m"), 600, TRUE)),
    zip = sample(c("01067", "01069", "53111", NA), 600, TRUE), ill = factor(sample(c("flu", "gout"), 600, TRUE)),
    seen = as.Date("2024-01-01") + sample(0:90, 600, TRUE), cost = round(runif(600, 10, 900), 2))

kanon <- function(...) { # runs the program; an error of it is an error of R, with its text
    said <- suppressWarnings(system2("kanon", shQuote(c(...)), stdout = TRUE, stderr = TRUE))
    status <- attr(said, "status") # NULL: 0. 2: wrong input, 3: the promise cannot be kept
    if (!is.null(status)) stop(paste(said, collapse = "\n"), " (status ", status, ")", call. = FALSE)
}

dir.create(folder <- tempfile("kanon"), mode = "0700") # the raw table is for you alone
write.csv(people, file.path(folder, "people.csv"), row.names = FALSE, na = "", fileEncoding = "UTF-8")
kanon("anonymize", file.path(folder, "people.csv"), "--output", file.path(folder, "release.csv"),
      "--json", file.path(folder, "result.json"), "--qi", "age=intervals:5,10,20", "--qi", "sex=suppress",
      "--qi", "zip=digits:5", "--k", "5", "--sensitive", "ill", "--l", "2", "--keep", "seen,cost")
result <- jsonlite::fromJSON(file.path(folder, "result.json"))
classes <- sapply(people, function(column) class(column)[1])[c("ill", "seen", "cost")] # kept columns keep theirs
release <- read.csv(file.path(folder, "release.csv"), na.strings = "", check.names = FALSE,
                    colClasses = c(age = "factor", sex = "factor", zip = "factor", classes))
unlink(folder, recursive = TRUE)

stopifnot(result$verified)
sizes <- aggregate(list(rows = release$cost), lapply(release[c("age", "sex", "zip")], addNA), length)
cat(nrow(release), "of", nrow(people), "rows in", nrow(sizes), "groups of", min(sizes$rows), "or more\n")
str(release)
