/*
 * The third reading of a protocol file (rules.hh): what has been found in it, and how that is
 * written. Like word.hh, it depends on no protocol, and is compiled once for all of them. What is
 * declared here and not in reading.cc is in the protocol's file, by end_rules.hh.
 */
#ifndef BERTH_STEP_READING_HH
#define BERTH_STEP_READING_HH

#include "step/word.hh"

typedef uint64_t step_place;

/* ---- the ways that tests can go ---- */

extern size_t step_asked; /* how many tests, in this run */
void step_begin_way();

/* ---- variables ---- */

struct step_member { /* of struct step_shared or struct step_local */
    const char *name;
    size_t at;
};
/* The last of each list has no name. */
extern const struct step_member step_locals[];     /* words */
extern const struct step_member step_cell_names[]; /* words */
extern const struct step_member step_arrays[];     /* step_words_at */
extern const struct step_member step_subs[];       /* step_place */
extern const size_t step_pc_at;
/* Local variables by which places are told apart: whether it is 0 makes two of one. */
extern const char *const step_splits[];

/* How many values each variable has; of what has several parts, by part. */
void step_find_none();
void step_find(const char *name, const word &values);
word step_named(const char *name);
word step_local_of(const char *name, const word &p);
void step_name_arrays(void *shared, step_words_at *alive);
void step_name_variables(void *shared, step_words_at *alive);
void step_name_locals(void *my);

/* ---- one variant ---- */

struct step_rule {
    std::string kind, step;          /* rule or broken; label, file and line */
    int to;                          /* the number of a place */
    std::vector<std::string> tested; /* in this order */
    std::string effects;
};

struct step_found { /* a place */
    std::set<std::string> carried;
    /* where there are subroutines: variables that are not carried, and the places in these */
    std::map<std::string, int64_t> known;
    std::vector<step_place> within;
    std::string label;
    std::vector<struct step_rule> rules;
    bool done = false;
};

struct step_reading {
    std::map<int, step_found> places;
    std::map<std::vector<step_place>, int> number; /* where there are subroutines */
    step_reading();
    ~step_reading();
};

/* What one run of a step has come to. */
struct step_outcome {
    void *shared, *my;
    const step_words_at *alive;
    const char *label, *file;
    unsigned line;
    bool labels; /* the place has the label of its step */
    bool broken, choice, asked;
};

int step_main_pc(const step_reading &reading, int place);
void step_start(step_reading &reading, int from, void *my);
void step_make_rule(step_reading &reading, int from, const step_outcome &outcome);
void step_come(step_reading &reading, const void *my);
void step_run_all(step_reading &reading);
/* The protocol's. */
void step_run_once(step_reading &reading, int from, bool choice, bool *asked);
const char *step_region_at(int pc);
const char *step_region_from(int pc);   /* in a transformation: of its source */
const char *step_region_within(int pc); /* where there are subroutines */

/* ---- what is written ---- */

/* A call has a label too: by the place in the section or subroutine that makes it. */
void step_label_call(size_t pc_at, int place, const char *label);

void step_write_cell(const char *name, const word &values, const word &first);
void step_write_array(const char *name, const word &count, const word &values,
                      const step_words_at &array);
void step_write_local(const char *name, const word &values);
void step_write_constant(const char *name, const word &in_model, const cond &condition);
void step_write_term(const char *kind, const word &term);
void step_write_reading(const step_reading &reading);
void step_write_stores(const void *shared);
void step_same_cells(const void *shared);
void step_write_said();

/* ---- what is said in PROOF, as it will be written ---- */

void step_say_cond(const char *kind, const char *name, const cond &condition);
void step_say_words(const char *kind, std::initializer_list<word> words);
void step_say_pigeonholes(const char *name, std::initializer_list<word> words);
void step_say_nothing();
word step_either_of(const cond &condition, const word &yes, const word &no);
cond implies(const cond &a, const cond &b);
word step_each_up_to(const word &count);
word step_how_many(const std::string &array, const word &value);
cond step_is_at(const char *who, const char *place);
cond step_is_1_of(const char *array, const word &p);
cond step_is_1(const char *variable);

#endif
