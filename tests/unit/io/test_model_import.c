/* Measurements of other tools: bad files first. */
#include "tests/lib/test.h"

#include "io/cubex/cubex.h"
#include "io/model/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char work[] = "/tmp/rc-model-import.XXXXXX";

static int make_work(void **state)
{
    (void)state;
    return mkdtemp(work) ? 0 : -1;
}

static int remove_work(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", work);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", work, name);
    return path;
}

static void put_bytes(const char *name, const void *data, size_t bytes)
{
    FILE *out = fopen(path_of(name), "w");

    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}

static void make_directory(const char *name)
{
    assert_int_equal(mkdir(path_of(name), 0777), 0);
}

static struct rc_measured *read_good(const char *path)
{
    struct rc_measured *m;
    struct rc_error err = {.text = ""};

    if (rc_measured_read(path, &m, &err) != RC_OK)
        fail_msg("%s", err.text);
    return m;
}

static struct rc_measured *read_text(const char *text)
{
    put_bytes("text", text, strlen(text));
    return read_good(path_of("text"));
}

/* The readings of a kernel and metric at a point, by their numbers. */
static const double *readings(const struct rc_measured *m, const char *kernel,
                              const char *metric, size_t point, size_t *count)
{
    for (size_t i = 0; i < m->series; i++)
        if (strcmp(m->kernel[m->of[i].kernel], kernel) == 0 &&
            strcmp(m->metric[m->of[i].metric].name, metric) == 0) {
            *count = m->of[i].first[point + 1] - m->of[i].first[point];
            return m->of[i].value + m->of[i].first[point];
        }
    fail_msg("no %s of %s", metric, kernel);
    return NULL;
}

static void expect(const struct rc_measured *m, const char *kernel, const char *metric,
                   size_t point, size_t count, double first)
{
    size_t found = 0;
    const double *value = readings(m, kernel, metric, point, &found);

    assert_int_equal(found, count);
    if (count > 0 && fabs(value[0] - first) > 1e-12 * fabs(first))
        fail_msg("%s of %s: %.17g, expected %.17g", metric, kernel, value[0], first);
}

#define P "PARAMETER p\nPOINTS 1 2\n"

static void bad_files_are_refused_with_line_and_expectation(void **state)
{
    static const struct {
        const char *text, *expected;
    } bad[] = {
        {"", "expected Extra-P's text or JSON, JSON Lines, Talpas, CSV, a .cubex or a "
             ".cali file"},
        {"\n\n", "expected Extra-P's text or JSON, JSON Lines, Talpas, CSV, a .cubex "
                 "or a .cali file"},
        {"PK\003\004, a ZIP", "expected Extra-P's text or JSON, JSON Lines, Talpas, "
                              "CSV, a .cubex or a .cali file"},
        /* Extra-P's text */
        {"PARAMETER\n", "line 1: 'PARAMETER', expected names of parameters"},
        {"PARAMETER a b c d e\n",
         "line 1: 'PARAMETER a b c d e', expected at most 4 parameters"},
        {"PARAMETER p\n", "line 1 is the last, expected DATA"},
        {"PARAMETER p p\nPOINTS (1 2)\nDATA 1\n",
         "line 3: two parameters are called 'p'"},
        {"POINTS 1 2\n",
         "line 1: 'POINTS 1 2', expected POINTS after PARAMETER, and in front of DATA"},
        {P "PARAMETER n\n",
         "line 3: 'PARAMETER n', expected PARAMETER in front of POINTS"},
        {"PARAMETER p\nPOINTS 0\n", "line 2: '0', expected a number above 0"},
        {"PARAMETER p\nPOINTS -3\n", "line 2: '-3', expected a number above 0"},
        {"PARAMETER p\nPOINTS nan\n", "line 2: 'nan', expected a number above 0"},
        {"PARAMETER p\nPOINTS inf\n", "line 2: 'inf', expected a number above 0"},
        {"PARAMETER p\nPOINTS 1e999\n", "line 2: '1e999', expected a number above 0"},
        {"PARAMETER p\nPOINTS 4x\n", "line 2: '4x', expected a number above 0"},
        {"PARAMETER p\nPOINTS (((1)))\n", "line 2: '(1', expected a number above 0"},
        {"PARAMETER p\nPOINTS\n", "line 2: 'POINTS', expected a number for each "
                                  "parameter in each point"},
        {"PARAMETER p n\nPOINTS (1) (2)\n", "line 2: 'POINTS (1) (2)', expected a "
                                            "number for each parameter in each point"},
        {"PARAMETER p n\nPOINTS (1 2\n", "line 2: 'POINTS (1 2', expected a number for "
                                         "each parameter in each point"},
        {"DATA 1\n", "line 1: 'DATA 1', expected DATA after PARAMETER and POINTS"},
        {P "DATA 1\nDATA 2\nDATA 3\n",
         "line 5: 'DATA 3', expected as many lines with DATA as there are points"},
        {P "REGION a\nDATA 1\nREGION b\nDATA 1\nDATA 2\n",
         "line 5: 1 DATA lines up to here, expected 2, one for each point"},
        {P "DATA 1\n", "line 3: 1 DATA lines up to here, expected 2, one for each "
                       "point"},
        {P "DATA -1\n", "line 3: '-1', expected a number from 0 on"},
        {P "DATA 1 nan\n", "line 3: 'nan', expected a number from 0 on"},
        {P "DATA\nDATA\n", "no reading of a kernel"},
        {P "VALUES 1\n",
         "line 3: 'VALUES', expected PARAMETER, POINTS, METRIC, REGION or DATA"},
        {P "\033[2J\n",
         "line 3: '?[2J', expected PARAMETER, POINTS, METRIC, REGION or DATA"},
        /* JSON Lines and Talpas */
        {"{\"params\":{\"p\":1},\"value\":1}\n{\"params\":{\"p\":2},\"value\":\n",
         "line 2: expected an object of JSON"},
        {"{\"params\":{\"p\":1},\"value\":1}\n[]\n",
         "line 2: expected 1 parameters with numbers, as in the first line, among them "
         "'p'"},
        {"{\"params\":{\"p\":1,\"n\":2},\"value\":1}\n{\"params\":{\"p\":2},\"value\":"
         "1}\n",
         "line 2: expected 2 parameters with numbers, as in the first line, among them "
         "'p'"},
        {"{\"params\":{\"p\":\"4\"},\"value\":1}\n",
         "line 1: expected 1 parameters with numbers, as in the first line, among them "
         "'p'"},
        {"{\"params\":{\"p\":0},\"value\":1}\n",
         "line 1: parameter 'p' is 0, expected a number above 0"},
        {"{\"params\":{\"p\":4}}\n",
         "line 1: expected 'value', a number or a list of them"},
        {"{\"params\":{\"p\":4},\"value\":[1,\"a\"]}\n",
         "line 1: nan, expected a number from 0 on"},
        {"{\"params\":{\"p\":4},\"value\":-1}\n",
         "line 1: -1, expected a number from 0 on"},
        {"{\"parameters\":{\"p\":4};\"metric\":\"t\";\"value\":-1}\n",
         "line 1: -1, expected a number from 0 on"},
        /* Extra-P's JSON */
        {"{\n\"parameters\": [\n", "line 3: not JSON: ']' expected near end of file"},
        {"{}", "expected 'parameters', a list, and 'measurements', as in Extra-P's "
               "JSON"},
        {"{\"parameters\":[1],\"measurements\":{}}", "'parameters' 1: expected a name"},
        {"{\"parameters\":[\"p\"],\"measurements\":{}}", "no reading of a kernel"},
        {"{\"parameters\":[\"p\"],\"measurements\":{\"a\":{\"t\":[{\"point\":[1,2]}]}}"
         "}",
         "'a' 't' 1: expected 'point' with 1 numbers"},
        {"{\"parameters\":[\"p\"],\"measurements\":{\"a\":{\"t\":[{\"point\":[1]}]}}}",
         "'a' 't' 1: expected 'values', a list of numbers"},
        {"{\"parameters\":[\"p\"],\"measurements\":{\"a\":{\"t\":[{\"point\":[-1],"
         "\"values\":[1]}]}}}",
         "'a' 't' 1: parameter 'p' is -1, expected a number above 0"},
        {"{\"callpaths\":[],\"metrics\":[],\"coordinates\":[],\"parameters\":[{\"id\":"
         "1,"
         "\"name\":\"p\"}],\"measurements\":[{\"value\":1}]}",
         "'measurements' 1: expected 'callpath_id', an id of 'callpaths'"},
        {"{\"callpaths\":[{\"id\":1},{\"id\":1}],\"metrics\":[],\"coordinates\":[],"
         "\"parameters\":[{\"id\":1,\"name\":\"p\"}],\"measurements\":[]}",
         "'callpaths': two have the id 1"},
        /* CSV */
        {"a,b\n", "line 1: expected lines of numbers after the header"},
        {"a,b\nx,y\n", "line 2: expected numbers in a column at least"},
        {"kernel,time\nx,1\n",
         "line 2: expected columns of parameters and one of values, as in "
         "'p,n,kernel,time' or 'parameter:p,value:time'"},
        {"p,time\n1\n", "line 2: 1 cells, expected 2 as in the header"},
        {"p,time\n1,2\n2,3,4\n", "line 3: 3 cells, expected 2 as in the header"},
        {"p,time\n0,2\n", "line 2: parameter 'p' is 0, expected a number above 0"},
        {"p,time\n1,2\nx,3\n", "line 3: 'x' in column 'p', expected a number"},
        {"p,time\n1,2\n2,-3\n", "line 3: -3, expected a number from 0 on"},
        {"p,time\n1,2\n2,\"3\n", "line 3: expected '\"' at the end of a cell"},
        {"p,p,time\n1,2,3\n", "line 2: two parameters are called 'p'"},
        {"p,time,low,high\n1,2,3,1\n", "line 2: 3 to 1, expected the low end first"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_measured *m;
        struct rc_error err = {.text = ""};
        char expected[512];
        put_bytes("bad", bad[i].text, strlen(bad[i].text));
        snprintf(expected, sizeof expected, "%s: %s", path_of("bad"), bad[i].expected);
        const int status = rc_measured_read(path_of("bad"), &m, &err);
        if (strcmp(err.text, expected) != 0)
            fail_msg("%s: got '%s', expected '%s'", bad[i].text, err.text, expected);
        assert_int_equal(status, RC_EUSAGE);
        assert_null(m);
    }
}

static void extra_ps_text_is_read(void **state)
{
    struct rc_measured *m = read_text("# made up\n\nPARAMETER p\nPARAMETER n\r\n"
                                      "POINTS ( 4 100 )\nPOINTS (8 100) ((16) (100))\n"
                                      "METRIC time\n"
                                      "REGION main\nDATA 8 9\nDATA 4\nDATA 2 2.5 3\n"
                                      "REGION   main->solve \nDATA 1e-3\nDATA\nDATA 0\n"
                                      "METRIC visits\nDATA 3 3\nDATA 3\nDATA 3");

    (void)state;
    assert_string_equal(m->origin, "Extra-P's text");
    assert_int_equal(m->parameters, 2);
    assert_string_equal(m->parameter[1], "n");
    assert_int_equal(m->points, 3);
    expect(m, "main", "time", 0, 2, 8);
    expect(m, "main", "time", 2, 3, 2);
    expect(m, "main;solve", "time", 0, 1, 1e-3);
    expect(m, "main;solve", "time", 1, 0, 0);
    expect(m, "main;solve", "visits", 0, 2, 3);
    assert_int_equal(m->metric[0].kind, RC_MEASURED_TIME);
    assert_int_equal(m->metric[1].kind, RC_MEASURED_COUNT);
    rc_measured_close(m);

    m = read_text("PARAMETER p q\nPOINTS 1 10 2 20\nDATA 4.5\nDATA 4");
    assert_string_equal(m->kernel[0], "program");
    assert_string_equal(m->metric[0].name, "value");
    assert_true(m->at[2] == 2 && m->at[3] == 20);
    rc_measured_close(m);
}

static void json_lines_and_talpas_are_read(void **state)
{
    struct rc_measured *m =
        read_text("{\"params\":{\"p\":4,\"n\":1e3},\"callpath\":\"a->operator->\","
                  "\"metric\":\"time\",\"value\":[1.5,2]}\n\n"
                  "{\"value\":100000000000000000000,\"params\":{\"n\":5,\"p\":4}}");

    (void)state;
    assert_string_equal(m->origin, "JSON Lines");
    expect(m, "a;operator->", "time", 1, 2, 1.5);
    expect(m, "program", "value", 0, 1, 1e20);
    rc_measured_close(m);

    m = read_text(
        "{\"parameters\":{\"x\":4};\"metric\":\"ti;me\";\"callpath\":\"c\";\"value\":"
        "6500}\n{\"parameters\":{\"x\":4};\"metric\":\"ti;me\";\"callpath\":\"c\";"
        "\"value\":6600}\n");
    assert_string_equal(m->origin, "Talpas");
    expect(m, "c", "ti;me", 0, 2, 6500);
    rc_measured_close(m);
}

static void both_forms_of_extra_ps_json_are_read(void **state)
{
    struct rc_measured *m = read_text(
        "\xef\xbb\xbf{\n \"parameters\": [\"x\", \"y\"],\n \"measurements\": {\n"
        "  \"sweep\": {\"time\": [{\"point\": [2, 1], \"values\": [7, 8]},\n"
        "                     {\"point\": [1, 1], \"values\": [3]}],\n"
        "              \"bytes\": [{\"point\": [1, 1], \"values\": [64]}]}}}\n");

    (void)state;
    assert_string_equal(m->origin, "Extra-P's JSON");
    expect(m, "sweep", "time", 1, 2, 7);
    expect(m, "sweep", "bytes", 0, 1, 64);
    expect(m, "sweep", "bytes", 1, 0, 0);
    rc_measured_close(m);

    m = read_text(
        "{\"callpaths\":[{\"id\":7,\"name\":\"sweep\"}],\"coordinates\":[{\"id\":2,"
        "\"parameter_value_pairs\":[{\"parameter_id\":2,\"parameter_value\":5},"
        "{\"parameter_id\":1,\"parameter_value\":8}]}],\"measurements\":["
        "{\"callpath_id\":7,\"coordinate_id\":2,\"id\":1,\"metric_id\":1,\"value\":2.5}"
        ","
        "{\"callpath_id\":7,\"coordinate_id\":2,\"id\":2,\"metric_id\":1,\"value\":2}],"
        "\"metrics\":[{\"id\":1,\"name\":\"time\"}],\"parameters\":[{\"id\":1,\"name\":"
        "\"p\"},{\"id\":2,\"name\":\"n\"}]}");
    assert_true(m->at[0] == 8 && m->at[1] == 5);
    expect(m, "sweep", "time", 0, 2, 2.5);
    rc_measured_close(m);
}

static void csv_is_read_by_the_words_of_its_header(void **state)
{
    struct rc_measured *m =
        read_text("# a comment\np;n;kernel;time\n4;100;\"so;lve\";1.5\n"
                  "4;100;\"so;lve\";2.5\n8;100;main;NA\n8;100;\"a \"\"b\"\"\";3\n");

    (void)state;
    assert_string_equal(m->origin, "CSV");
    assert_int_equal(m->parameters, 2);
    expect(m, "so;lve", "time", 0, 2, 1.5);
    expect(m, "a \"b\"", "time", 1, 1, 3);
    assert_int_equal(m->kernels, 2);
    rc_measured_close(m);

    m = read_text("p,size,seconds,bytes\n2,10,1.5,640\n4,10,0.75,640\n");
    assert_int_equal(m->parameters, 2);
    expect(m, "program", "seconds", 1, 1, 0.75);
    expect(m, "program", "bytes", 0, 1, 640);
    rc_measured_close(m);

    m = read_text("kernel\tmetric\tprocs\tvalue\trun\na\tcalls\t2\t7\t1\na\tcalls\t2\t7"
                  "\t2\n");
    assert_int_equal(m->parameters, 1);
    expect(m, "a", "calls", 0, 2, 7);
    rc_measured_close(m);

    m = read_text("p,what,metric,unit,value\n2,f,wait,,1\n2,f,spent,s,7\n");
    assert_int_equal(m->parameters, 1);
    expect(m, "f", "spent", 0, 1, 7);
    assert_string_equal(m->metric[0].unit, "s");
    assert_int_equal(m->metric[0].kind, RC_MEASURED_TIME);
    assert_int_equal(m->metric[1].kind, RC_MEASURED_COUNT);
    rc_measured_close(m);

    m = read_text("p,total_time,comm_time\n2,10,1\n4,19.5,2\n");
    assert_int_equal(m->parameters, 1);
    expect(m, "program", "total_time", 1, 1, 19.5);
    expect(m, "program", "comm_time", 1, 1, 2);
    rc_measured_close(m);

    m = read_text("p,GFlops\n2,10\n4,19.5\n");
    expect(m, "program", "GFlops", 1, 1, 19.5);
    rc_measured_close(m);

    m = read_text("parameter:N,skip:mean,kernel:what,value:speed,error:se\n"
                  "16,9,copy,3,0.5\n");
    assert_string_equal(m->parameter[0], "N");
    expect(m, "copy", "speed", 0, 1, 3);
    assert_true(m->of[0].spread && m->of[0].spread[0] == 0.5);
    rc_measured_close(m);
}

/* Two libraries, seven columns of statistics, as benches of MPI write them. */
static void intervals_in_csv_become_standard_errors(void **state)
{
    struct rc_measured *m = read_text(
        "mpi,variable,Ranks,N,mean,sd,median,min,max,iqr,ci_sd_left,ci_sd_right,"
        "ci_median_left,ci_median_right,smallest_left,smallest_right\n"
        "A,MPI_Bcast,32,1600,13,19,11,10,478,2,12,14,10,12,IQR,SD\n"
        "A,MPI_Bcast,64,1998,16,41,14,10,1496,0.6,14,18,13.5,14.5,Med,SD\n");

    (void)state;
    assert_int_equal(m->parameters, 1);
    assert_string_equal(m->parameter[0], "Ranks");
    assert_int_equal(m->series, 1);
    expect(m, "A;MPI_Bcast", "median", 0, 1, 11);
    assert_true(fabs(m->of[0].spread[0] - 2 / (2 * 1.959964)) < 1e-12);
    rc_measured_close(m);

    m = read_text("ranks,N,mean,sd\n2,100,5,3\n");
    assert_int_equal(m->parameters, 1);
    assert_true(fabs(m->of[0].spread[0] - 0.3) < 1e-12);
    rc_measured_close(m);
}

/* A region of two ranks, and one inside of it. */
static void put_cubex(const char *name, double time, double calls)
{
    struct rc_error err;
    struct rc_cube *c = rc_cube_create(&err);
    size_t metric[2], path[2], place[2];
    FILE *out = fopen(path_of(name), "w");

    assert_true(c && out);
    assert_int_equal(
        rc_cube_add_metric(c, RC_CUBE_TOP, "time", "s", "", &metric[0], &err), RC_OK);
    assert_int_equal(
        rc_cube_add_metric(c, RC_CUBE_TOP, "visits", "occ", "", &metric[1], &err),
        RC_OK);
    assert_int_equal(rc_cube_add_path(c, 0, "main", "user", &path[0], &err), RC_OK);
    assert_int_equal(
        rc_cube_add_path(c, (int64_t)path[0], "solve", "user", &path[1], &err), RC_OK);
    for (int i = 0; i < 2; i++) {
        char word[16];
        snprintf(word, sizeof word, "rank %d", i);
        assert_int_equal(rc_cube_add_place(c, &(struct rc_cube_place){word, "n0", i, 0},
                                           &place[i], &err),
                         RC_OK);
    }
    assert_int_equal(rc_cube_seal(c, &err), RC_OK);
    for (size_t i = 0; i < 2; i++) {
        rc_cube_put(c, c->metric_at[metric[0]], c->path_at[path[1]],
                    c->place_at[place[i]], time * (double)(1 + 2 * i));
        rc_cube_put(c, c->metric_at[metric[1]], c->path_at[path[1]],
                    c->place_at[place[i]], calls);
    }
    assert_int_equal(rc_cubex_write(c, out, &err), RC_OK);
    assert_int_equal(fclose(out), 0);
    rc_cube_close(c);
}

static void expect_error(const char *path, const char *expected)
{
    struct rc_measured *m;
    struct rc_error err = {.text = ""};
    char text[512];

    snprintf(text, sizeof text, expected, path, path);
    assert_int_equal(rc_measured_read(path, &m, &err), RC_EUSAGE);
    assert_string_equal(err.text, text);
}

static void cubex_files_have_parameters_in_their_directories(void **state)
{
    struct rc_measured *m;

    (void)state;
    make_directory("cubes");
    expect_error(path_of("cubes"), "%s: expected directories such as 'app.p8n64.r1', "
                                   "each with a .cubex or .cali file");
    make_directory("cubes/mm.x4y1,5.r1");
    make_directory("cubes/mm.x4.y1.5.r2");
    make_directory("cubes/mm.x16,y1.5");
    put_cubex("cubes/mm.x4y1,5.r1/profile.cubex", 1, 10);
    put_cubex("cubes/mm.x4.y1.5.r2/profile.cubex", 2, 10);
    put_cubex("cubes/mm.x16,y1.5/profile.cubex", 8, 10);
    put_bytes("cubes/mm.x16,y1.5/.hidden.cubex", "x", 1);
    put_bytes("cubes/mm.x16,y1.5/scorep.cfg", "x", 1);
    m = read_good(path_of("cubes"));
    assert_string_equal(m->origin, ".cubex files");
    assert_int_equal(m->parameters, 2);
    assert_string_equal(m->parameter[1], "y");
    assert_int_equal(m->points, 2);
    assert_true(m->at[1] == 1.5 && m->at[2] == 16);
    expect(m, "main;solve", "time", 0, 2, 4); /* x4.y1.5.r2 stands first */
    expect(m, "main;solve", "time.max", 1, 1, 24);
    expect(m, "main;solve", "visits", 1, 1, 20);
    assert_string_equal(m->metric[0].unit, "s");
    rc_measured_close(m);
    m = read_good(path_of("cubes/mm.x16,y1.5/profile.cubex"));
    assert_true(m->points == 1 && m->at[0] == 16);
    rc_measured_close(m);

    make_directory("cubes/other.x5y2");
    put_cubex("cubes/other.x5y2/profile.cubex", 1, 10);
    struct rc_error err;
    assert_int_equal(rc_measured_read(path_of("cubes"), &m, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "other.x5y2/profile.cubex: expected a name as "
                                     "that of '"));
    assert_non_null(strstr(err.text, "': the same program in front of the first dot, "
                                     "and the same parameters in the same order"));
    make_directory("mixed");
    make_directory("mixed/mm.x4y1");
    make_directory("mixed/mm.y1x4");
    put_cubex("mixed/mm.x4y1/profile.cubex", 1, 10);
    put_cubex("mixed/mm.y1x4/profile.cubex", 1, 10);
    assert_int_equal(rc_measured_read(path_of("mixed"), &m, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "and the same parameters in the same order"));
    make_directory("damaged");
    make_directory("damaged/mm.x4");
    put_bytes("damaged/mm.x4/profile.cubex", "no tar", 6);
    expect_error(path_of("damaged"), "%s/mm.x4/profile.cubex: expected one of .cubex "
                                     "files");
    make_directory("wrong");
    make_directory("wrong/scorep-20240101");
    put_cubex("wrong/scorep-20240101/profile.cubex", 1, 10);
    assert_int_equal(rc_measured_read(path_of("wrong"), &m, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "wrong/scorep-20240101/profile.cubex: expected a "
                                     "name such as 'app.p8n64.r1'"));
}

/* The nodes of attributes, then two ranks in a region, and what the run was. */
#define CALI                                                                           \
    "__rec=node,id=12,attr=10,data=64,parent=3\n"                                      \
    "__rec=node,id=13,attr=8,data=attribute.alias,parent=12\n"                         \
    "__rec=node,id=14,attr=8,data=attribute.unit,parent=12\n"                          \
    "__rec=node,id=30,attr=14,data=sec,parent=5\n"                                     \
    "__rec=node,id=31,attr=13,data=Time,parent=30\n"                                   \
    "__rec=node,id=32,attr=10,data=65,parent=31\n"                                     \
    "__rec=node,id=33,attr=8,data=sum#time.duration,parent=32\n"                       \
    "__rec=node,id=34,attr=10,data=65,parent=1\n"                                      \
    "__rec=node,id=35,attr=8,data=mpi.rank,parent=34\n"                                \
    "__rec=node,id=40,attr=10,data=276,parent=3\n"                                     \
    "__rec=node,id=41,attr=8,data=region,parent=40\n"                                  \
    "__rec=node,id=42,attr=41,data=main\n"                                             \
    "__rec=node,id=43,attr=41,data=sol\\,ve,parent=42\n"

static void cali(char out[4096], int ranks, int size, double time)
{
    snprintf(out, 4096,
             CALI "__rec=ctx,attr=33=35,data=0.5=0\n"
                  "__rec=ctx,ref=43,attr=33=35,data=%g=0\n"
                  "__rec=ctx,ref=43,attr=33=35,data=%g=1\n"
                  "__rec=node,id=15,attr=10,data=1612,parent=1\n"
                  "__rec=node,id=16,attr=8,data=mpi.world.size,parent=15\n"
                  "__rec=node,id=17,attr=8,data=jobsize,parent=15\n"
                  "__rec=node,id=18,attr=8,data=problem_size,parent=15\n"
                  "__rec=node,id=19,attr=8,data=threads,parent=15\n"
                  "__rec=node,id=50,attr=16,data=%d\n"
                  "__rec=node,id=51,attr=17,data=%d,parent=50\n"
                  "__rec=node,id=52,attr=19,data=1,parent=51\n"
                  "__rec=node,id=53,attr=18,data=%d,parent=52\n"
                  "__rec=globals,ref=53\n",
             time, 3 * time, ranks, ranks, size);
}

static void calipers_files_have_parameters_in_their_globals(void **state)
{
    static char text[4096];
    struct rc_measured *m;

    (void)state;
    make_directory("cali");
    cali(text, 4, 100, 1);
    put_bytes("cali/a.cali", text, strlen(text));
    expect_error(path_of("cali/a.cali"), "%s: expected a name such as 'app.p8n64.r1', "
                                         "or runs that name numbers which differ");
    cali(text, 8, 100, 2);
    put_bytes("cali/b.cali", text, strlen(text));
    cali(text, 8, 200, 5);
    put_bytes("cali/c.cali", text, strlen(text));
    m = read_good(path_of("cali"));
    assert_string_equal(m->origin, "Caliper's .cali files");
    assert_int_equal(m->parameters, 2);
    assert_string_equal(m->parameter[0], "p");
    assert_string_equal(m->parameter[1], "problem_size");
    assert_int_equal(m->points, 3);
    expect(m, "main;sol,ve", "Time", 0, 1, 2);
    expect(m, "main;sol,ve", "Time.max", 2, 1, 15);
    expect(m, "(no region)", "Time", 1, 1, 0.5);
    assert_int_equal(m->metrics, 2); /* the number of a rank is not measured */
    assert_string_equal(m->metric[0].unit, "s");
    rc_measured_close(m);

    /* a run of one rank has a maximum, too */
    make_directory("one_rank");
    cali(text, 1, 100, 1);
    *strstr(text, "__rec=ctx,ref=43,attr=33=35,data=3=1") = 0;
    put_bytes("one_rank/app.p1.cali", text, strlen(text));
    m = read_good(path_of("one_rank"));
    expect(m, "main;sol,ve", "Time", 0, 1, 1);
    expect(m, "main;sol,ve", "Time.max", 0, 1, 1);
    rc_measured_close(m);
    /* numbers that Caliper has joined over the ranks have none */
    cali(text, 1, 100, 1);
    strcpy(strstr(text, "__rec=ctx,attr=33=35"), "__rec=ctx,ref=43,attr=33,data=2\n");
    put_bytes("one_rank/app.p1.cali", text, strlen(text));
    m = read_good(path_of("one_rank"));
    expect(m, "main;sol,ve", "Time", 0, 1, 2);
    assert_int_equal(m->metrics, 1);
    rc_measured_close(m);

    make_directory("named");
    put_bytes("named/app.q3.r2.cali", text, strlen(text));
    m = read_good(path_of("named"));
    assert_string_equal(m->parameter[0], "q");
    assert_true(m->parameters == 1 && m->at[0] == 3);
    rc_measured_close(m);
}

static void bad_cali_files_are_refused_with_the_line(void **state)
{
    static const struct {
        const char *text, *expected;
    } bad[] = {
        {"__rec=node,id=x,attr=8,data=a\n", "line 1: expected a node with an id"},
        {"__rec=node,id=20,attr=99,data=a\n",
         "line 1: expected 'attr' and 'parent' to be nodes of lines before it"},
        {"__rec=node,id=20,attr=8,data=a,parent=20\n",
         "line 1: expected 'attr' and 'parent' to be nodes of lines before it"},
        {"__rec=node,id=20,attr=8,attr\n",
         "line 1: expected 'attr' and 'parent' to be nodes of lines before it"},
        {"__rec=\nid=7\n", "line 2: expected a record, '__rec=...'"},
        {"__rec=ctx,attr=9=9,data=1\n", "line 1: expected as many 'data' as 'attr'"},
        {"__rec=ctx,attr=77,data=1\n",
         "line 1: expected 'attr' to be nodes of lines before it"},
        {CALI "__rec=ctx,ref=99,attr=33,data=1\n",
         "line 14: expected 'ref' to be a node of a line before it"},
        {CALI "__rec=ctx,ref=43,attr=33,data=-1\n",
         "line 14: '-1', expected a number from 0 on"},
        {CALI "__rec=ctx,ref=43,attr=33,data=x\n",
         "line 14: 'x', expected a number from 0 on"},
        {CALI "__rec=ctx,ref=4", "line 14: the file ends within a line, it was cut "
                                 "off"},
    };

    (void)state;
    make_directory("bad_cali");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char expected[256];
        put_bytes("bad_cali/a.p2.cali", bad[i].text, strlen(bad[i].text));
        snprintf(expected, sizeof expected, "%%s/a.p2.cali: %s", bad[i].expected);
        expect_error(path_of("bad_cali"), expected);
    }
}

/* Each node below the one before it. */
static void a_tree_of_nodes_without_end_is_refused(void **state)
{
    char *text = malloc(100000), *at = text;

    (void)state;
    assert_non_null(text);
    at += sprintf(at, CALI);
    for (int i = 100; i < 1200; i++)
        at += sprintf(at, "__rec=node,id=%d,attr=41,data=a,parent=%d\n", i,
                      i == 100 ? 43 : i - 1);
    make_directory("deep");
    put_bytes("deep/a.p2.cali", text, (size_t)(at - text));
    free(text);
    expect_error(path_of("deep"), "%s/a.p2.cali: line 1036: expected less than 1024 "
                                  "nodes above one another");
}

/* Quadratic work would take hours here. */
static void a_large_file_is_read_in_seconds(void **state)
{
    FILE *out = fopen(path_of("large"), "w");
    struct rc_measured *m;

    (void)state;
    assert_non_null(out);
    for (int i = 0; i < 200000; i++)
        fprintf(out,
                "{\"params\":{\"p\":%d,\"n\":%d},\"callpath\":\"f%d\",\"value\":%d}\n",
                1 + i % 100, 1 + i / 20000, i % 1000, i);
    fclose(out);
    m = read_good(path_of("large"));
    assert_int_equal(m->points, 1000);
    assert_int_equal(m->kernels, 1000);
    rc_measured_close(m);
}

static void missing_files_are_named(void **state)
{
    struct rc_measured *m;
    struct rc_error err;

    (void)state;
    assert_int_not_equal(rc_measured_read("/nowhere/x.txt", &m, &err), RC_OK);
    assert_non_null(strstr(err.text, "/nowhere/x.txt"));
    assert_null(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_line_and_expectation),
        cmocka_unit_test(extra_ps_text_is_read),
        cmocka_unit_test(json_lines_and_talpas_are_read),
        cmocka_unit_test(both_forms_of_extra_ps_json_are_read),
        cmocka_unit_test(csv_is_read_by_the_words_of_its_header),
        cmocka_unit_test(intervals_in_csv_become_standard_errors),
        cmocka_unit_test(cubex_files_have_parameters_in_their_directories),
        cmocka_unit_test(calipers_files_have_parameters_in_their_globals),
        cmocka_unit_test(bad_cali_files_are_refused_with_the_line),
        cmocka_unit_test(a_tree_of_nodes_without_end_is_refused),
        cmocka_unit_test(a_large_file_is_read_in_seconds),
        cmocka_unit_test(missing_files_are_named),
    };

    return cmocka_run_group_tests(tests, make_work, remove_work);
}
