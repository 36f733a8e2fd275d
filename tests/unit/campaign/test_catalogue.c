#include "tests/lib/test.h"

#include "campaign/catalogue/catalogue.h"
#include "campaign/spec/spec.h"

#include <string.h>

static struct rc_catalogue *open_text(const char *text, bool with_trial)
{
    struct rc_error err = {.text = ""};
    struct rc_catalogue *catalogue;
    struct rc_spec spec;

    assert_int_equal(rc_spec_from_text("c.yaml", text, strlen(text), &spec, &err),
                     RC_OK);
    int status = rc_catalogue_open(&spec, with_trial, &catalogue, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, RC_OK);
    rc_spec_fini(&spec);
    return catalogue;
}

static void what_cannot_be_opened_says_why(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"source: ['model:nosuch']", "no machine 'nosuch', expected mi250x, spr, "
                                     "summit-node, zen3, or a path to a machine file"},
        {"source: ['papi:x']", "source 'papi' takes no argument"},
        {"source: ['model:spr']\nreference: NOSUCH",
         "reference: no source here counts an event 'NOSUCH'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {.text = ""};
        struct rc_catalogue *catalogue;
        struct rc_spec spec;
        assert_int_equal(
            rc_spec_from_text("c", bad[i].text, strlen(bad[i].text), &spec, &err),
            RC_OK);
        assert_true(rc_catalogue_open(&spec, true, &catalogue, &err) < 0);
        assert_null(catalogue);
        if (!strstr(err.text, bad[i].message))
            assert_string_equal(err.text, bad[i].message);
        rc_spec_fini(&spec);
    }
}

static void patterns_and_scopes_choose_events(void **state)
{
    struct rc_catalogue *c =
        open_text("source: ['model:spr']\nevents: ['FP_ARITH_INST_RETIRED:*', "
                  "'!*_SINGLE']\nscopes: [core]",
                  true);

    (void)state;
    assert_true(c->count > 0 && c->count < c->offered);
    for (size_t i = 0; i < c->count; i++) {
        assert_memory_equal(c->event[i].name, "FP_ARITH_INST_RETIRED:", 22);
        assert_null(strstr(c->event[i].name, "_SINGLE"));
        assert_int_equal(c->event[i].scope, RC_SCOPE_CORE);
        assert_true(c->event[i].simulated);
    }
    rc_catalogue_close(c);
}

static void the_reference_is_found_whatever_the_patterns_say(void **state)
{
    struct rc_catalogue *c =
        open_text("source: ['model:spr']\nevents: [BR_MISP_RETIRED]", true);

    (void)state;
    assert_int_equal(c->count, 1);
    assert_non_null(c->source[0].reference.name);
    rc_catalogue_close(c);
    c = open_text("source: ['model:spr']\nreference: BR_MISP_RETIRED\nevents: ['FP*']",
                  true);
    assert_string_equal(c->source[0].reference.name, "BR_MISP_RETIRED");
    rc_catalogue_close(c);
    c = open_text("source: ['model:spr']\nreference: none", true);
    assert_null(c->source[0].reference.name);
    rc_catalogue_close(c);
}

static void every_verdict_but_ok_has_a_reason_and_every_scope_its_evidence(void **state)
{
    static const char *const sources[] = {"source: ['model:spr']", "source: [papi]",
                                          "source: [auto]", "source: ['model:zen3']"};

    (void)state;
    for (size_t s = 0; s < sizeof sources / sizeof sources[0]; s++) {
        struct rc_catalogue *c = open_text(sources[s], true);
        /* Sources that a build or a processor lacks are empty; simulated machines are
         * not.
         */
        assert_true(c->count > 0 || !strstr(sources[s], "model"));
        for (size_t i = 0; i < c->count; i++) {
            const struct rc_event *e = &c->event[i];
            assert_int_not_equal(e->verdict, RC_VERDICT_UNTRIED);
            assert_int_equal(e->reason[0] == 0, e->verdict == RC_VERDICT_OK);
            assert_true(e->evidence[0]);
        }
        rc_catalogue_close(c);
    }
}

static void a_simulated_machine_has_a_kind_of_its_own(void **state)
{
    struct rc_catalogue *spr = open_text("source: ['model:spr']", false);
    struct rc_catalogue *again = open_text("source: ['model:spr']\nevents: [X]", false);
    struct rc_catalogue *zen3 = open_text("source: ['model:zen3']", false);
    struct rc_catalogue *real = open_text("source: [papi]", false);

    (void)state;
    assert_memory_equal(spr->kind.name, "model-spr-", 10);
    assert_string_equal(spr->kind.key, again->kind.key);
    assert_string_not_equal(spr->kind.key, zen3->kind.key);
    assert_string_not_equal(spr->kind.key, real->kind.key);
    rc_catalogue_close(spr);
    rc_catalogue_close(again);
    rc_catalogue_close(zen3);
    rc_catalogue_close(real);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(patterns_and_scopes_choose_events),
        cmocka_unit_test(the_reference_is_found_whatever_the_patterns_say),
        cmocka_unit_test(
            every_verdict_but_ok_has_a_reason_and_every_scope_its_evidence),
        cmocka_unit_test(a_simulated_machine_has_a_kind_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
