/* comm.c - times of MPI calls as laws of latency and bandwidth
 *
 * Each subset of an algorithm's costs is fitted by least squares, and is a law where none
 * of its coefficients is below 0 (but see is_law()): so the best of them is the
 * non-negative solution, too.
 * A row's variance is that of its reading and that of the misfit: times of real machines
 * depart from every such law by some percent (nodes, routes, thresholds), the same way at
 * each repetition.  The misfit is estimated from the residuals and 2 degrees of freedom of
 * a prior: the misfit of the median operation, and of 5 %.
 */
#include "solve/model/comm.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MISFIT = 0.05, DEGREES = 2;

enum {
    OVERHEAD = RC_COMM_BIT(RC_COMM_OVERHEAD),
    ALPHA = RC_COMM_BIT(RC_COMM_ALPHA),
    BETA = RC_COMM_BIT(RC_COMM_BETA),
    GAMMA = RC_COMM_BIT(RC_COMM_GAMMA),
    DELAYS = RC_COMM_BIT(RC_COMM_LATE) | RC_COMM_BIT(RC_COMM_TAIL),
};

/* Latency and byte as other operations have them. */
struct common {
    unsigned known; /* bits of costs */
    double value[RC_COMM_COSTS], spread[RC_COMM_COSTS];
};

struct fitting {
    const struct rc_comm_row *row; /* of one operation, sorted */
    size_t count;
    double misfit;
    bool published, all_powers, no_powers;
    struct common common;
};

/* The equations of least squares. */
struct equations {
    double left[RC_COMM_COSTS][RC_COMM_COSTS], right[RC_COMM_COSTS], squares;
};

static void equations_of(const struct fitting *f, const struct rc_comm_choice *choice,
                         size_t from, size_t to, struct equations *e)
{
    *e = (struct equations){.squares = 0};
    for (size_t r = from; r < to; r++) {
        const struct rc_comm_row *row = &f->row[r];
        double misfit = f->misfit * row->seconds, costs[RC_COMM_COSTS];
        double weight =
            f->published ? 1 : 1 / (misfit * misfit + row->spread * row->spread);

        rc_comm_choice_costs(choice, row->ranks, row->bytes, costs);
        e->squares += weight * row->seconds * row->seconds;
        for (size_t i = 0; i < RC_COMM_COSTS; i++) {
            e->right[i] += weight * costs[i] * row->seconds;
            for (size_t j = 0; j < RC_COMM_COSTS; j++)
                e->left[i][j] += weight * costs[i] * costs[j];
        }
    }
}

/* Coefficients and covariance of the choice's costs; *rest is what is left of the
 * squares.  False where costs cannot be told apart.
 */
static bool solve_costs(const struct equations *e, struct rc_comm_choice *choice,
                        double *rest)
{
    size_t at[RC_COMM_COSTS], n = 0;
    double a[RC_COMM_COSTS][RC_COMM_COSTS], scale[RC_COMM_COSTS];

    for (size_t c = 0; c < RC_COMM_COSTS; c++) {
        if (!(choice->costs & RC_COMM_BIT(c)))
            continue;
        if (!(e->left[c][c] > 0))
            return false;
        scale[n] = sqrt(e->left[c][c]);
        at[n++] = c;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i][j] = e->left[at[i]][at[j]] / (scale[i] * scale[j]);
    for (size_t p = 0; p < n; p++) { /* the inverse in place, by Gauss and Jordan */
        double pivot = a[p][p];

        if (!(pivot > 1e-9)) /* 1 - R^2 of this cost on those before it */
            return false;
        a[p][p] = 1;
        for (size_t j = 0; j < n; j++)
            a[p][j] /= pivot;
        for (size_t i = 0; i < n; i++) {
            double factor = a[i][p];

            if (i == p)
                continue;
            a[i][p] = 0;
            for (size_t j = 0; j < n; j++)
                a[i][j] -= factor * a[p][j];
        }
    }
    memset(choice->coefficient, 0, sizeof choice->coefficient);
    memset(choice->covariance, 0, sizeof choice->covariance);
    *rest = e->squares;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double inverse = a[i][j] / (scale[i] * scale[j]);

            choice->covariance[at[i]][at[j]] = inverse;
            choice->coefficient[at[i]] += inverse * e->right[at[j]];
        }
        *rest -= choice->coefficient[at[i]] * e->right[at[i]];
    }
    *rest = fmax(*rest, 0);
    return true;
}

/* Whether these are the same law at all ranks and bytes. */
static bool same_law(const struct rc_comm_choice *a, const struct rc_comm_choice *b)
{
    static const double ranks[] = {3, 1000, 1 << 20, 1 << 14},
                        bytes[] = {0, 1e6, 1 << 10, 1e9};

    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        double x = rc_comm_choice_time(a, ranks[i], bytes[i]);
        double y = rc_comm_choice_time(b, ranks[i], bytes[i]);

        if (fabs(x - y) > 1e-6 * (x + y))
            return false;
    }
    return true;
}

/* As good, to what rounding leaves: the rows cannot tell them apart. */
static bool as_good(const struct rc_comm_choice *a, const struct rc_comm_choice *b)
{
    return fabs(a->aic - b->aic) <= 1e-4;
}

static void keep_choice(struct rc_comm_segment *segment,
                        const struct rc_comm_choice *choice)
{
    size_t at = segment->count;

    if (at > 0 && choice->aic > segment->choice[0].aic + 10)
        return;
    for (size_t i = 0; i < segment->count; i++)
        if (as_good(&segment->choice[i], choice) &&
            same_law(&segment->choice[i], choice))
            return;
    while (at > 0 && segment->choice[at - 1].aic > choice->aic + 1e-4)
        at--;
    if (at == RC_COMM_CHOICES)
        return;
    if (segment->count < RC_COMM_CHOICES)
        segment->count++;
    memmove(&segment->choice[at + 1], &segment->choice[at],
            (segment->count - 1 - at) * sizeof *choice);
    segment->choice[at] = *choice;
}

/* Bytes are reduced where they came, delays are of one kind, and queues hold messages. */
static bool makes_sense(unsigned costs)
{
    return (!(costs & GAMMA) || (costs & BETA)) && (costs & DELAYS) != DELAYS &&
           (costs == OVERHEAD || (costs & (ALPHA | BETA)));
}

/* Adds what other operations say of the shared costs to the equations. */
static void share_costs(const struct common *common, unsigned shared,
                        struct equations *e)
{
    for (size_t c = 0; c < RC_COMM_COSTS; c++) {
        double weight;

        if (!(shared & RC_COMM_BIT(c)))
            continue;
        weight = 1 / (common->spread[c] * common->spread[c]);
        e->left[c][c] += weight;
        e->right[c] += weight * common->value[c];
        e->squares += weight * common->value[c] * common->value[c];
    }
}

/* No coefficient is below 0.  But steps within a node take less than those between nodes,
 * and their number does not grow with that of nodes: so the overhead may be below 0, by
 * the latency of a call among the fewest ranks.
 */
static bool is_law(const struct fitting *f, const struct rc_comm_choice *choice,
                   size_t from, size_t to)
{
    double costs[RC_COMM_COSTS], ranks = f->row[from].ranks;

    for (size_t c = 0; c < RC_COMM_COSTS; c++)
        if (c != RC_COMM_OVERHEAD && choice->coefficient[c] < 0)
            return false;
    for (size_t r = from; r < to; r++)
        ranks = fmin(ranks, f->row[r].ranks);
    rc_comm_choice_costs(choice, ranks, 0, costs);
    return choice->coefficient[RC_COMM_OVERHEAD] +
               choice->coefficient[RC_COMM_ALPHA] * costs[RC_COMM_ALPHA] >=
           0;
}

static void fit_costs(const struct fitting *f, const struct rc_comm_choice *pair,
                      size_t from, size_t to, struct rc_comm_segment *segment)
{
    static const unsigned shares[] = {0, ALPHA, BETA, ALPHA | BETA};
    int most = to - from > 2 ? (int)fmin((double)(to - from - 1), 4) : 1;
    struct rc_comm_choice choice = *pair;
    struct equations e;
    double rest;

    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        if (shares[s] & ~f->common.known)
            continue;
        choice.shared = shares[s];
        equations_of(f, pair, from, to, &e);
        share_costs(&f->common, shares[s], &e);
        for (unsigned costs = 1; costs < RC_COMM_BIT(RC_COMM_COSTS); costs++) {
            int free = __builtin_popcount(costs & ~shares[s]);

            choice.costs = costs;
            if (free > most || (shares[s] & ~costs) || !makes_sense(costs) ||
                !solve_costs(&e, &choice, &rest))
                continue;
            choice.aic = rest + 2 * free;
            if (is_law(f, &choice, from, to))
                keep_choice(segment, &choice);
        }
    }
}

/* The laws of rows 'from' to 'to' - 1; returns the criterion of the best. */
static double fit_segment(const struct fitting *f, size_t from, size_t to,
                          struct rc_comm_segment *segment)
{
    enum rc_comm_operation operation = f->row[0].operation;
    const struct rc_comm_algorithm *a, *b;
    double sum = 0;
    size_t left = 0;

    segment->count = 0;
    for (a = rc_comm_algorithms; a->name; a++)
        for (b = rc_comm_algorithms; a->operation == operation && b->name; b++)
            if (b->operation == operation &&
                (a == b || !(f->all_powers || f->no_powers)))
                fit_costs(f, &(struct rc_comm_choice){.powers = a, .others = b}, from,
                          to, segment);
    for (size_t i = 0; i < segment->count; i++)
        if (segment->choice[i].aic <= segment->choice[0].aic + 10)
            left = i + 1;
    segment->count = left;
    /* Laws that the rows cannot tell apart have the weight of one. */
    for (size_t i = 0; i < segment->count; i++) {
        struct rc_comm_choice *c = &segment->choice[i];
        double alike = 0;

        for (size_t j = 0; j < segment->count; j++)
            alike += as_good(c, &segment->choice[j]) ? 1 : 0;
        c->weight = exp((segment->choice[0].aic - c->aic) / 2) / alike;
        sum += c->weight;
    }
    for (size_t i = 0; i < segment->count; i++)
        segment->choice[i].weight /= sum;
    return segment->count > 0 ? segment->choice[0].aic : INFINITY;
}

static double key_of(const struct rc_comm_row *row, int by)
{
    return by == RC_COMM_BY_RANKS ? row->ranks : row->bytes;
}

static int size_class(double bytes)
{
    return bytes < 1 ? -1 : ilogb(bytes);
}

/* Whether a segment may begin at row 'at': between classes of sizes, with 2 rows on
 * either side, or between numbers of ranks.
 */
static bool is_border(const struct fitting *f, int by, size_t from, size_t at,
                      size_t to)
{
    const struct rc_comm_row *row = &f->row[at];

    if (at < from + 2)
        return false;
    if (by == RC_COMM_BY_RANKS)
        return row->ranks > row[-1].ranks;
    return at + 2 <= to && size_class(row->bytes) > size_class(row[-1].bytes);
}

/* Divides the rows, which are sorted by the key, where that is better by 4; returns the
 * sum of the criteria.
 */
static double fit_segments(const struct fitting *f, int by, struct rc_comm_law *law)
{
    size_t first[RC_COMM_SEGMENTS + 1] = {0, f->count};
    double aic[RC_COMM_SEGMENTS], sum = 0;
    struct rc_comm_segment low, high;

    law->by = by == RC_COMM_BY_RANKS ? RC_COMM_BY_RANKS : RC_COMM_BY_BYTES;
    aic[0] = fit_segment(f, 0, f->count, &law->segment[0]);
    law->segments = 1;
    while (law->segments < RC_COMM_SEGMENTS) {
        double best = 4;
        size_t segment = 0, border = 0;

        for (size_t s = 0; s < law->segments; s++)
            for (size_t at = first[s] + 1; at < first[s + 1]; at++) {
                double gain;

                if (!is_border(f, by, first[s], at, first[s + 1]))
                    continue;
                gain = aic[s] - 2 - fit_segment(f, first[s], at, &low) -
                       fit_segment(f, at, first[s + 1], &high);
                if (gain > best) {
                    best = gain;
                    segment = s;
                    border = at;
                }
            }
        if (border == 0)
            break;
        for (size_t s = law->segments; s > segment; s--) {
            first[s + 1] = first[s];
            aic[s] = aic[s - 1];
            law->segment[s] = law->segment[s - 1];
        }
        law->segments++;
        first[segment + 1] = border;
        for (size_t s = segment; s < segment + 2; s++)
            aic[s] = fit_segment(f, first[s], first[s + 1], &law->segment[s]);
    }
    for (size_t s = 0; s < law->segments; s++) {
        law->segment[s].from = key_of(&f->row[first[s]], by);
        sum += aic[s];
    }
    return sum + 2 * (double)(law->segments - 1);
}

/* a log P + b s + c, as published; what the rows cannot tell is left out. */
static void fit_published(const struct fitting *f, struct rc_comm_law *law)
{
    static const struct rc_comm_algorithm published = {
        .name = "published",
        .of = {[RC_COMM_ALPHA] = {{.times = 1, .steps = 1}},
               [RC_COMM_BETA] = {{.times = 1, .bytes = 1}},
               [RC_COMM_OVERHEAD] = {{.times = 1}}},
    };
    static const unsigned tried[] = {ALPHA | BETA | OVERHEAD, ALPHA | OVERHEAD,
                                     BETA | OVERHEAD, OVERHEAD};
    struct rc_comm_choice *choice = &law->segment[0].choice[0];
    struct equations e;
    double rest, n = (double)f->count;

    *choice = (struct rc_comm_choice){
        .powers = &published, .others = &published, .weight = 1};
    equations_of(f, choice, 0, f->count, &e);
    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
        int free = __builtin_popcount(tried[t]);

        choice->costs = tried[t];
        if ((double)free > n || !solve_costs(&e, choice, &rest))
            continue;
        law->degrees = fmax(n - free, 1);
        law->misfit = 0;
        for (size_t i = 0; i < RC_COMM_COSTS; i++)
            for (size_t j = 0; j < RC_COMM_COSTS; j++)
                choice->covariance[i][j] *= rest / law->degrees;
        law->segments = law->segment[0].count = 1;
        return;
    }
}

/* Degrees of freedom that the best laws leave; to choose a law takes one, too. */
static double degrees_left(const struct fitting *f, const struct rc_comm_law *law)
{
    double degrees = (double)f->count;

    for (size_t s = 0; s < law->segments; s++)
        degrees -= 1 + __builtin_popcount(law->segment[s].choice[0].costs);
    return fmax(degrees, 0);
}

/* The misfit that makes squares of residuals, each over its variance, as many as there
 * are degrees of freedom (Paule, Mandel); 'prior' has 'degrees' more of them.
 */
static double misfit_of(const struct fitting *f, const struct rc_comm_law *law,
                        double prior, double degrees)
{
    double low = 1e-4, high = 10;

    while (high > 1.01 * low) {
        double middle = sqrt(low * high), variance = middle * middle;
        double sum = degrees * (prior * prior / variance - 1) - degrees_left(f, law);

        for (size_t r = 0; r < f->count; r++) {
            const struct rc_comm_row *row = &f->row[r];
            const struct rc_comm_choice *best =
                rc_comm_segment_at(law, row->ranks, row->bytes)->choice;
            double off =
                rc_comm_choice_time(best, row->ranks, row->bytes) / row->seconds - 1;
            double noise = row->spread / row->seconds;

            sum += off * off / (variance + noise * noise);
        }
        if (sum > 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int ranks_order(const void *a, const void *b)
{
    const struct rc_comm_row *x = a, *y = b;

    return (x->ranks > y->ranks) - (x->ranks < y->ranks);
}

static int bytes_order(const void *a, const void *b)
{
    const struct rc_comm_row *x = a, *y = b;

    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The range of a key that the rows are sorted by, and the word for few values of it. */
static uint32_t range_of(const struct fitting *f, int by, struct rc_comm_law *law)
{
    size_t values = 1;

    for (size_t r = 1; r < f->count; r++)
        values += key_of(&f->row[r], by) > key_of(&f->row[r - 1], by) ? 1 : 0;
    law->least[by] = key_of(&f->row[0], by);
    law->most[by] = key_of(&f->row[f->count - 1], by);
    return values > 1 && values < 5 ? RC_LAWS_FEW_POINTS : 0;
}

/* Words for ranks and bytes that vary together, and for times without a spread. */
static uint32_t rows_words(const struct fitting *f)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0, spread = 0, n = (double)f->count;

    for (size_t r = 0; r < f->count; r++) {
        double ranks = log2(f->row[r].ranks), bytes = log2(f->row[r].bytes + 1);

        spread += f->row[r].spread;
        x += ranks / n;
        y += bytes / n;
        xx += ranks * ranks / n;
        yy += bytes * bytes / n;
        xy += ranks * bytes / n;
    }
    xx -= x * x;
    yy -= y * y;
    xy -= x * y;
    return (spread > 0 ? 0u : RC_LAWS_ONE_READING) |
           (n > 2 && xx > 1e-9 && yy > 1e-9 && xy * xy > 0.999 * xx * yy
                ? RC_LAWS_TOGETHER
                : 0u);
}

/* One operation, divided by ranks or by bytes, whichever is better. */
static void fit_operation(struct fitting *f, struct rc_comm_row *rows,
                          struct rc_comm_law *law, struct rc_comm_law *room)
{
    double sum;

    f->row = rows;
    f->all_powers = f->no_powers = true;
    for (size_t r = 0; r < f->count; r++) {
        f->all_powers = f->all_powers && rc_comm_is_power(rows[r].ranks);
        f->no_powers = f->no_powers && !rc_comm_is_power(rows[r].ranks);
    }
    law->all_powers = f->all_powers;
    law->words = rows_words(f);
    qsort(rows, f->count, sizeof *rows, ranks_order);
    law->words |= range_of(f, RC_COMM_BY_RANKS, law);
    if (f->published)
        fit_published(f, law);
    else
        sum = fit_segments(f, RC_COMM_BY_RANKS, law);
    qsort(rows, f->count, sizeof *rows, bytes_order);
    law->words |= range_of(f, RC_COMM_BY_BYTES, law);
    if (f->published)
        return;
    *room = *law;
    if (fit_segments(f, RC_COMM_BY_BYTES, room) < sum)
        *law = *room;
    law->segments = law->segment[0].count > 0 ? law->segments : 0;
    law->words |= law->segments > 1 ? RC_LAWS_SEGMENTS : 0u;
}

/* Latency and byte as most of the other operations have them, two at least, of those
 * whose laws know them to 10 %: these values agree to 10 %.
 */
static struct common common_of(const struct rc_comm *fit, size_t but)
{
    struct common common = {.known = 0};

    for (size_t c = RC_COMM_ALPHA; c <= RC_COMM_BETA; c++) {
        double known[RC_COMM_OPERATIONS * RC_COMM_SEGMENTS] = {0}, most;
        size_t count = 0;

        for (size_t o = 0; o < RC_COMM_OPERATIONS; o++)
            for (size_t s = 0; o != but && s < fit->of[o].segments; s++) {
                const struct rc_comm_choice *best = &fit->of[o].segment[s].choice[0];

                if (sqrt(best->covariance[c][c]) < 0.1 * best->coefficient[c])
                    known[count++] = best->coefficient[c];
            }
        most = fmax((double)count / 2, 1);
        for (size_t i = 0; i < count; i++) {
            double n = 0, sum = 0, squares = 0;

            for (size_t j = 0; j < count; j++)
                if (fabs(known[j] / known[i] - 1) <= 0.1) {
                    n++;
                    sum += known[j];
                    squares += known[j] * known[j];
                }
            if (n <= most)
                continue;
            most = n;
            common.known |= RC_COMM_BIT(c);
            common.value[c] = sum / n;
            common.spread[c] = fmax(sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)),
                                    1e-3 * sum / n); /* rounding leaves so much */
        }
    }
    return common;
}

/* The misfit of all operations: that of the median one, and the prior. */
static double common_misfit(double *of, size_t count)
{
    double median;

    if (count == 0)
        return MISFIT;
    qsort(of, count, sizeof *of, rc_order_reals);
    median = (of[count / 2] + of[(count - 1) / 2]) / 2;
    return sqrt((DEGREES * MISFIT * MISFIT + (double)count * median * median) /
                (DEGREES + (double)count));
}

static int check_rows(const struct rc_comm_row *rows, size_t count,
                      struct rc_error *err)
{
    for (size_t r = 0; r < count; r++) {
        const struct rc_comm_row *row = &rows[r];

        if ((unsigned)row->operation >= RC_COMM_OPERATIONS)
            return rc_fail(err, RC_EUSAGE, "row %zu is of no operation", r + 1);
        if (!(row->ranks >= 1 && row->bytes >= 0 && row->seconds > 0 &&
              row->spread >= 0 &&
              isfinite(row->ranks + row->bytes + row->seconds + row->spread)))
            return rc_fail(
                err, RC_EUSAGE,
                "row %zu, %s: %g ranks, %g bytes, %g s +- %g s: expected 1 or "
                "more ranks, no bytes below 0, a time above 0",
                r + 1, rc_comm_operation_name(row->operation), row->ranks, row->bytes,
                row->seconds, row->spread);
    }
    return RC_OK;
}

int rc_comm_fit(const struct rc_comm_row *rows, size_t count,
                enum rc_comm_method method, struct rc_comm **out, struct rc_error *err)
{
    struct fitting f = {.published = method == RC_COMM_PUBLISHED};
    struct rc_comm_row *of = malloc((count + 1) * sizeof *of);
    struct rc_comm *fit = calloc(1, sizeof *fit), *before = malloc(sizeof *before);
    struct rc_comm_law *room = malloc(sizeof *room);
    double misfit = MISFIT;
    int status = check_rows(rows, count, err);

    *out = NULL;
    if (status == RC_OK && (!of || !fit || !before || !room))
        status = rc_fail(err, RC_ENOMEM, "no memory for laws of communication");
    /* Three times: misfits, then what operations have in common, are known better. */
    for (int pass = 0; status == RC_OK && pass < (f.published ? 1 : 3); pass++) {
        double misfits[RC_COMM_OPERATIONS];
        size_t known = 0;

        if (pass == 2)
            *before = *fit;
        for (size_t o = 0; o < RC_COMM_OPERATIONS; o++) {
            struct rc_comm_law *law = &fit->of[o];

            f.count = 0;
            for (size_t r = 0; r < count; r++)
                if (rows[r].operation == o)
                    of[f.count++] = rows[r];
            law->misfit = misfit;
            law->degrees = DEGREES;
            f.row = of;
            if (law->segments > 0) {
                law->misfit = misfit_of(&f, law, misfit, DEGREES);
                law->degrees += degrees_left(&f, law);
            }
            f.misfit = law->misfit;
            f.common = pass == 2 ? common_of(before, o) : (struct common){.known = 0};
            if (f.count > 1)
                fit_operation(&f, of, law, room);
            else
                law->words = RC_LAWS_FEW_POINTS;
            if (law->segments > 0 && degrees_left(&f, law) > 0)
                misfits[known++] = misfit_of(&f, law, 0, 0);
        }
        misfit = common_misfit(misfits, known);
    }
    free(of);
    free(before);
    free(room);
    if (status == RC_OK)
        *out = fit;
    else
        free(fit);
    return status;
}
