/* Newton's steps from the constant alone, for both kinds of model: a linear one is there after the first,
 * and the next corrects it by its residuals. A pass over the rows gives, at the coefficients so far, the gradient, the
 * cross products and the loss; where the loss grew, the step was too long, and is halved.
 *
 * Separation: the probability of rows that are told apart gets e times nearer to 0 or 1 by each step,
 * forever, so that their coefficients go on by about 1 of the linear predictor. After LONG steps
 * no finite coefficient is that far from where it began; what still moves then is separated. Its cross
 * products vanish meanwhile, and where the factor loses a column for that, it is separated, too. */
#include <math.h>
#include <string.h>

#include "analyze/fit/fit_inside.h"
#include "core/memory.h"

#define COLLINEAR    1e-10 /* the square of 1e-5 of a length */
#define VANISHED     1e-12
#define CLOSE        1e-9 /* of a standard error */
#define MOVES        1e-5
#define MOVES_LITTLE 1e-3  /* of a standard error, however far */
#define GROWN        1e-10 /* of the loss: more than rounding */
enum { LONG = 30, MOST_STEPS = 60, MOST_HALVINGS = 30, CORRECTIONS = 2 };

typedef struct {
    kan_fit_frame frame;
    kan_fit_sums sums;
    double *b, *step, *room;
    bool *is_out;  /* of the factor */
    double *trial; /* a factor that is tried */
    bool *trial_out;
    kan_fitted *fit;
} fitting;

/* ---- standard errors ------------------------------------------------------------------------ */

/* The length of z, R' z = x: x'(R'R)^-1 x is its square. */
static double reach_of(const fitting *f, const double *x) {
    double squares = 0;
    memcpy(f->room, x, f->frame.n * sizeof *x);
    kan_cholesky_forward(f->sums.cross, f->frame.n, f->is_out, f->room);
    for (size_t i = 0; i < f->frame.n; i++)
        squares += f->room[i] * f->room[i];
    return sqrt(squares);
}

/* The same between the inverse of the cross products, from both sides of the spread. */
static double spread_of(const fitting *f, const double *x) {
    const size_t n = f->frame.n;
    double sum = 0;
    memcpy(f->room, x, n * sizeof *x);
    kan_cholesky_forward(f->sums.cross, n, f->is_out, f->room);
    kan_cholesky_back(f->sums.cross, n, f->is_out, f->room);
    for (size_t i = 0; i < n; i++) {
        const double *line = f->sums.spread + i * n;
        sum += line[i] * f->room[i] * f->room[i];
        for (size_t j = i + 1; j < n; j++)
            sum += 2 * line[j] * f->room[i] * f->room[j];
    }
    return sum > 0 ? sqrt(sum) : 0;
}

/* What the coefficient of a column is of those of scaled columns. */
static void combine(const fitting *f, size_t column, double *x) {
    const kan_design *design = f->frame.question->design;
    memset(x, 0, f->frame.n * sizeof *x);
    x[column] = 1;
    for (size_t t = 0; t < design->n_terms; t++) {
        const kan_fit_term *term = &f->frame.terms[t];
        if (!term->numbers)
            continue;
        if (column == 0)
            x[term->first] = -term->mean / term->deviation;
        else if (column == term->first)
            x[column] = 1 / term->deviation;
    }
}

static double degrees_of(const fitting *f) {
    return (double)f->frame.n_rows - (double)f->fit->n_found - (double)f->fit->n_separated;
}

static double error_of(const fitting *f, double *x, size_t column) {
    const double n = (double)f->frame.n_rows, degrees = degrees_of(f);
    combine(f, column, x);
    if (f->frame.question->is_survey)
        return spread_of(f, x) * sqrt(n / (n - 1));
    const double error = reach_of(f, x);
    return f->fit->kind == KAN_FIT_LOGISTIC ? error : error * sqrt(f->fit->loss / degrees);
}

/* ---- the result ----------------------------------------------------------------------------- */

static void count_states(fitting *f) {
    kan_fitted *fit = f->fit;
    for (size_t i = 0; i < f->frame.n; i++) {
        fit->n_found += fit->states[i] == KAN_COEFFICIENT_FOUND;
        fit->n_collinear += fit->states[i] == KAN_COEFFICIENT_COLLINEAR;
        fit->n_separated += fit->states[i] == KAN_COEFFICIENT_SEPARATED;
    }
}

/* The constant of numbers that are not centred is made of all of them. */
static void spread_separation(fitting *f) {
    const kan_design *design = f->frame.question->design;
    for (size_t t = 0; t < design->n_terms; t++) {
        const kan_fit_term *term = &f->frame.terms[t];
        if (term->numbers && f->fit->states[term->first] == KAN_COEFFICIENT_SEPARATED)
            f->fit->states[0] = KAN_COEFFICIENT_SEPARATED;
    }
}

static void write_result(fitting *f) {
    kan_fitted *fit = f->fit;
    double *x = f->step; /* no further one is made */
    const bool is_linear = fit->kind == KAN_FIT_LINEAR;
    spread_separation(f);
    count_states(f);
    if (is_linear && fit->loss <= 1e-24 * fit->null_loss) /* what rounding left */
        fit->loss = 0;
    const double degrees = degrees_of(f);
    const bool has_errors = degrees >= 1 || (!is_linear && !f->frame.question->is_survey);
    fit->reach = has_errors ? kan_t_quantile(is_linear ? degrees : INFINITY) : NAN;
    for (size_t i = 0; i < f->frame.n; i++) {
        double sum = 0;
        fit->errors[i] =
            has_errors && fit->states[i] == KAN_COEFFICIENT_FOUND ? error_of(f, x, i) : NAN;
        combine(f, i, x);
        for (size_t j = 0; j < f->frame.n; j++)
            sum += x[j] * f->b[j];
        fit->coefficients[i] = fit->states[i] == KAN_COEFFICIENT_COLLINEAR ? 0 : sum;
    }
}

/* ---- steps ---------------------------------------------------------------------------------- */

static kan_status add_up(fitting *f, bool wants_cross, bool wants_spread) {
    const kan_fit_pass pass = {
        .frame = &f->frame, .b = f->b, .wants_cross = wants_cross, .wants_spread = wants_spread};
    return kan_fit_add_up(&pass, &f->sums);
}

static void find_step(fitting *f) {
    memcpy(f->step, f->sums.gradient, f->frame.n * sizeof *f->step);
    kan_cholesky_forward(f->sums.cross, f->frame.n, f->is_out, f->step);
    kan_cholesky_back(f->sums.cross, f->frame.n, f->is_out, f->step);
}

static void move(fitting *f, double by) {
    for (size_t i = 0; i < f->frame.n; i++)
        f->b[i] += by * f->step[i];
}

static void note_separated(fitting *f) {
    for (size_t i = 0; i < f->frame.n; i++)
        if (!f->is_out[i] && fabs(f->step[i]) > MOVES)
            f->fit->states[i] = KAN_COEFFICIENT_SEPARATED;
}

/* step' H step is the square of its length in standard errors, along whatever direction. */
static double length_of_step(const fitting *f) {
    double sum = 0;
    for (size_t i = 0; i < f->frame.n; i++)
        sum += f->is_out[i] ? 0 : f->step[i] * f->sums.gradient[i];
    return sum > 0 ? sqrt(sum) : 0;
}

static double longest(const fitting *f) {
    double most = 0;
    for (size_t i = 0; i < f->frame.n; i++)
        most = fmax(most, fabs(f->step[i]));
    return most;
}

static void note_collinear(fitting *f) {
    kan_cholesky(f->sums.cross, f->frame.n, COLLINEAR, f->is_out);
    for (size_t i = 0; i < f->frame.n; i++)
        if (f->is_out[i])
            f->fit->states[i] = KAN_COEFFICIENT_COLLINEAR;
}

/* What the factor lost on the way, and by the step before all that still moves. */
static void note_lost(fitting *f) {
    note_separated(f);
    for (size_t i = 0; i < f->frame.n; i++)
        if (f->is_out[i] && f->fit->states[i] == KAN_COEFFICIENT_FOUND)
            f->fit->states[i] = KAN_COEFFICIENT_SEPARATED;
}

/* Whether the next factor would lose a column. Before LONG / 2 steps that is no separation, but a step so long
 * that some rows count for nothing. */
static bool went_too_far(fitting *f) {
    const size_t n = f->frame.n;
    if (f->fit->n_steps >= LONG / 2)
        return false;
    memcpy(f->trial, f->sums.cross, n * n * sizeof *f->trial);
    memcpy(f->trial_out, f->is_out, n * sizeof *f->trial_out);
    return kan_cholesky(f->trial, n, VANISHED, f->trial_out);
}

/* A step further where the loss does not grow by it. */
static kan_status take_step(fitting *f) {
    const double before = f->sums.loss;
    double by = 1;
    move(f, 1);
    KAN_TRY(add_up(f, true, false));
    for (int i = 0; i < MOST_HALVINGS; i++) {
        if (f->sums.loss <= before * (1 + GROWN) + 1e-300 && !went_too_far(f))
            break;
        by /= 2;
        move(f, -by);
        KAN_TRY(add_up(f, true, false));
    }
    return KAN_OK;
}

static kan_status fit_logistic(fitting *f) {
    kan_fitted *fit = f->fit;
    const size_t n = f->frame.n;
    for (; fit->n_steps < MOST_STEPS && !fit->has_converged; fit->n_steps++) {
        KAN_TRY(kan_check_cancel(f->frame.run));
        if (fit->n_steps == 0)
            note_collinear(f);
        else if (kan_cholesky(f->sums.cross, n, VANISHED, f->is_out)) {
            note_lost(f);
            fit->has_converged = fit->n_steps >= LONG / 2;
            break;
        }
        find_step(f);
        const double length = length_of_step(f), most = longest(f);
        if (length <= CLOSE && most <= MOVES) {
            move(f, 1);
            KAN_TRY(add_up(f, true, false)); /* errors are those of where it came to */
            if (kan_cholesky(f->sums.cross, n, VANISHED, f->is_out))
                note_lost(f);
            fit->has_converged = true;
        } else if (fit->n_steps >= LONG && length <= MOVES_LITTLE) {
            note_separated(f);
            fit->has_converged = true;
        } else
            KAN_TRY(take_step(f));
    }
    return KAN_OK;
}

static kan_status fit_linear(fitting *f) {
    note_collinear(f);
    for (f->fit->n_steps = 0; f->fit->n_steps < CORRECTIONS; f->fit->n_steps++) {
        find_step(f);
        move(f, 1);
        KAN_TRY(add_up(f, false, false));
    }
    f->fit->has_converged = true;
    return KAN_OK;
}

/* ---- the start ------------------------------------------------------------------------------ */

/* The constant alone; its steps never overshoot, as curvature is greatest where they begin. */
static double constant_of(const fitting *f) {
    const kan_fit_question *question = f->frame.question;
    double sum = 0, at = 0;
    for (uint64_t row = 0; row < question->design->n_rows; row++)
        sum += (question->design->weights ? question->design->weights[row] : 1) * question->y[row];
    const double mean = sum / f->frame.total;
    if (question->kind == KAN_FIT_LINEAR)
        return mean;
    for (int i = 0; i < MOST_STEPS && mean > 0 && mean < 1; i++) {
        const double p = kan_logistic(at);
        at += (mean - p) / (p * (1 - p));
    }
    return at;
}

static kan_status make_room(fitting *f) {
    kan_run *run = f->frame.run;
    const size_t n = f->frame.n;
    kan_fitted *fit = f->fit;
    KAN_TRY(kan_fit_sums_make(run, n, f->frame.question->is_survey, &f->sums));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *f->b, &f->b));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *f->step, &f->step));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *f->room, &f->room));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *f->is_out, &f->is_out));
    KAN_TRY(kan_alloc(run, n * n, sizeof *f->trial, &f->trial));
    KAN_TRY(kan_alloc(run, n, sizeof *f->trial_out, &f->trial_out));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *fit->coefficients, &fit->coefficients));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *fit->errors, &fit->errors));
    return kan_alloc_zero(run, n, sizeof *fit->states, &fit->states);
}

static kan_status fit_model(fitting *f, const kan_fit_question *question) {
    kan_fitted *fit = f->fit;
    KAN_TRY(kan_fit_frame_make(fit->run, question, &f->frame));
    KAN_TRY(make_room(f));
    fit->n_columns = f->frame.n;
    fit->n_rows = f->frame.n_rows;
    fit->total = f->frame.total;
    f->b[0] = constant_of(f);
    KAN_TRY(add_up(f, true, false));
    fit->null_loss = f->sums.loss;
    KAN_TRY(question->kind == KAN_FIT_LINEAR ? fit_linear(f) : fit_logistic(f));
    if (question->is_survey)
        KAN_TRY(add_up(f, false, true));
    fit->loss = f->sums.loss;
    write_result(f);
    return KAN_OK;
}

kan_status kan_fit_make(kan_run *run, const kan_fit_question *question, kan_fitted *out) {
    kan_fitted fit = {.run = run, .kind = question->kind};
    fitting f = {.fit = &fit};
    const kan_status status = fit_model(&f, question);
    kan_fit_frame_destroy(&f.frame);
    kan_fit_sums_destroy(run, &f.sums);
    kan_free(run, f.b);
    kan_free(run, f.step);
    kan_free(run, f.room);
    kan_free(run, f.is_out);
    kan_free(run, f.trial);
    kan_free(run, f.trial_out);
    if (status == KAN_OK)
        *out = fit;
    else
        kan_fit_destroy(&fit);
    return status;
}

void kan_fit_destroy(kan_fitted *fit) {
    if (!fit->run)
        return;
    kan_free(fit->run, fit->coefficients);
    kan_free(fit->run, fit->errors);
    kan_free(fit->run, fit->states);
    *fit = (kan_fitted){.run = NULL};
}

/* ---- predictions ---------------------------------------------------------------------------- */

kan_status kan_fit_predict(const kan_fitted *fit, const kan_design *design, double *out) {
    KAN_ASSERT(kan_design_width(design) == fit->n_columns);
    for (uint64_t row = 0; row < design->n_rows; row++)
        out[row] = fit->coefficients[0];
    size_t first = 1;
    for (size_t t = 0; t < design->n_terms; t++) {
        const kan_design_term *term = &design->terms[t];
        KAN_TRY(kan_check_cancel(fit->run));
        for (uint64_t row = 0; row < design->n_rows; row++) {
            const uint32_t code = term->codes[row];
            if (term->numbers)
                out[row] += fit->coefficients[first] * term->numbers[code];
            else if (code > 0)
                out[row] += fit->coefficients[first + code - 1];
        }
        first = kan_design_first_column(design, t + 1);
    }
    for (uint64_t row = 0; fit->kind == KAN_FIT_LOGISTIC && row < design->n_rows; row++)
        out[row] = kan_logistic(out[row]);
    return KAN_OK;
}
