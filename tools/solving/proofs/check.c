/* Checks proofs of exact scores like check.py, but faster; docs/proofs.md describes the format, version 3.

   cc -O2 -march=native -o check check.c && xz -dc FILE | ./check
   Exit codes: 0 all proofs are valid, 1 one is invalid, 2 wrong usage.

   A board is two masks, `own` for the side to move and `opp` for the other, bit 0 = a1 and bit 63 = h8. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REMEMBERED = 100000, PROVEN = 1 << 18, FOUND = 1 << 20, SORTED_FROM = 6, LONGEST = 200, MOST_MOVES = 64 };

typedef struct { uint64_t own, opp; } Board;
typedef struct { Board after; int square, replies; } Move; /* square -1 for a pass */

static const int STEPS[4] = {1, 7, 8, 9};
/* The presets of rules, with the options that decide a score: the turned directions, and the scoring. */
static const struct { const char *name, *turns, *scoring; } PRESETS[] = {
    {"othello", "all", "empties"}, {"reveris", "all", "empties"}, {"reversi", "all", "count"},
    {"ravensburger-1987", "one", "count"}, {"ravensburger-2006", "all", "count"}, {"obversi", "all", "count"}, {NULL, NULL, NULL}};
/* The options that may follow a preset, in this order; the value of `start` may also be 64 squares. */
enum { START, BEGINS, TURNS, TIE, SCORING, OPTIONS, MOST_VALUES = 6 };
static const struct { const char *name, *values[MOST_VALUES + 1]; } OPTION[OPTIONS] = {
    {",start=", {"diagonal", "mirrored", "parallel-north", "parallel-south", "parallel-west", "parallel-east"}},
    {",begins=", {"black", "white"}}, {",turns=", {"all", "one"}}, {",tie=", {"draw", "second"}},
    {",scoring=", {"empties", "count"}}};
static long line_number;
static char line[LONGEST];
static Board proven[PROVEN], found[FOUND]; /* in a free slot both masks are full */
static int count_only, searched, target, remembered;

static int bits(uint64_t mask) { return __builtin_popcountll(mask); }

static int same(Board a, Board b) { return a.own == b.own && a.opp == b.opp; }

/* Print an error and exit. Unprintable characters of `got` are replaced, since a terminal obeys control characters. */
static void fail(const char *expected, const char *got) {
    fflush(stdout);
    fprintf(stderr, "check: line %ld: expected %s, got ", line_number, expected);
    for (; *got; got++) fputc(*got >= ' ' && *got <= '~' ? *got : ' ', stderr);
    fputc('\n', stderr);
    exit(1);
}

static uint64_t shifted(uint64_t mask, int step) { return step > 0 ? mask << step : mask >> -step; }

/* The discs of `opp` that a run may pass through in a direction: the edge files are excluded where it would wrap. */
static uint64_t inner(uint64_t opp, int step) { return step % 8 ? opp & 0x7E7E7E7E7E7E7E7EULL : opp; }

static uint64_t turned(Board b, uint64_t square) {
    uint64_t discs = 0;
    for (int i = 0; i < 8; i++) {
        int step = i < 4 ? STEPS[i] : -STEPS[i - 4];
        uint64_t through = inner(b.opp, step), run = 0, next = shifted(square, step);
        while (next & through) { run |= next; next = shifted(next, step); }
        if (next & b.own) discs |= run;
    }
    return discs;
}

static uint64_t playable(Board b) {
    uint64_t all = 0;
    for (int i = 0; i < 8; i++) {
        int step = i < 4 ? STEPS[i] : -STEPS[i - 4];
        uint64_t through = inner(b.opp, step), run = through & shifted(b.own, step);
        for (int j = 0; j < 5; j++) run |= through & shifted(run, step);
        all |= shifted(run, step);
    }
    return all & ~(b.own | b.opp);
}

static Board after(Board b, uint64_t square) {
    uint64_t discs = turned(b, square);
    return (Board){b.opp ^ discs, b.own ^ discs ^ square};
}

static int is_over(Board b) { return !playable(b) && !playable((Board){b.opp, b.own}); }

/* The legal moves, a1 first; a pass if there are none. */
static int moves(Board b, Move *list) {
    int count = 0;
    for (uint64_t rest = playable(b); rest; rest &= rest - 1)
        list[count++] = (Move){after(b, rest & -rest), __builtin_ctzll(rest), 0};
    if (!count) list[count++] = (Move){{b.opp, b.own}, -1, 0};
    return count;
}

static int final_score(Board b) {
    int lead = bits(b.own) - bits(b.opp), empty = 64 - bits(b.own | b.opp);
    return count_only || !lead ? lead : lead > 0 ? lead + empty : lead - empty;
}

/* Whether the side to move ends with a score of `wanted` or more, by a full search; moves with few replies first. */
static int reaches(Board b, int wanted) {
    Move list[MOST_MOVES];
    if (!playable(b)) {
        if (is_over(b)) return final_score(b) >= wanted;
        return !reaches((Board){b.opp, b.own}, 1 - wanted);
    }
    int count = moves(b, list), sorted = 64 - bits(b.own | b.opp) >= SORTED_FROM;
    for (int i = 0; sorted && i < count; i++) {
        Move move = list[i];
        int j = i;
        for (move.replies = bits(playable(move.after)); j && list[j - 1].replies > move.replies; j--) list[j] = list[j - 1];
        list[j] = move;
    }
    for (int i = 0; i < count; i++)
        if (!reaches(list[i].after, 1 - wanted)) return 1;
    return 0;
}

static int next_line(void) {
    line_number++;
    if (!fgets(line, LONGEST, stdin)) return 0;
    size_t length = strlen(line);
    if (!length || line[length - 1] != '\n') fail("a line of text", "a line without an end");
    line[length - 1] = 0;
    if (line_number % 10000000 == 0 && isatty(2)) fprintf(stderr, "\r%ld lines", line_number);
    return 1;
}

/* Read the next line, which has to begin with `word`, and return the rest of the line. */
static const char *read_after(const char *word) {
    size_t length = strlen(word);
    if (!next_line()) fail(word, "the end of the file");
    if (strncmp(line, word, length)) fail(word, line);
    return line + length;
}

static void read_exactly(const char *text) {
    if (*read_after(text)) fail(text, line);
}

static int read_number(const char *word, const char *signs, int most) {
    const char *text = read_after(word), *digits = text + (*signs != 0);
    size_t length = strlen(digits);
    if ((*signs && !strchr(signs, *text)) || length < 1 || length > 2 || strspn(digits, "0123456789") != length
        || atoi(digits) > most)
        fail(word, line);
    return atoi(text);
}

static const char *name_of(int square, char *name) {
    if (square < 0) return "pass";
    name[0] = (char)('a' + square % 8), name[1] = (char)('1' + square / 8), name[2] = 0;
    return name;
}

static void cover(Board b);

static uint64_t hash_of(Board b) { return b.own * 0x9E3779B97F4A7C15ULL ^ b.opp * 0xC2B2AE3D27D4EB4FULL; }

static int is_free(Board slot) { return slot.own & slot.opp ? 1 : 0; }

/* The slot in `proven` that has the board, or else the free slot where it belongs. */
static Board *proven_slot(Board b) {
    uint64_t i = hash_of(b) >> 46;
    while (!is_free(proven[i]) && !same(proven[i], b)) i = (i + 1) % PROVEN;
    return &proven[i];
}

/* Store a proven board; first forget all of them if there are REMEMBERED. */
static void remember(Board b) {
    if (remembered == REMEMBERED) memset(proven, 0xFF, sizeof proven), remembered = 0;
    *proven_slot(b) = b;
    remembered++;
}

/* Check by a search that the prover reaches the target from a board with few empty squares. */
static void search(Board b, const char *reply) {
    Board *slot = &found[hash_of(b) >> 44];
    char expected[60];
    if (!same(*slot, b) && !reaches(b, target)) {
        snprintf(expected, sizeof expected, "%+d for the prover after the reply %s", target, reply);
        fail(expected, "less");
    }
    *slot = b;
}

/* Check that the prover, who is to move after `reply`, reaches the target. */
static void prove(Board b, const char *reply) {
    if (same(*proven_slot(b), b)) return;
    if (64 - bits(b.own | b.opp) <= searched || is_over(b)) {
        search(b, reply);
        return;
    }
    char expected[40], name[3];
    snprintf(expected, sizeof expected, "%s ", reply);
    const char *answer = read_after(expected);
    Move list[MOST_MOVES];
    int i = 0, count = moves(b, list);
    while (i < count && strcmp(answer, name_of(list[i].square, name))) i++;
    if (i == count) fail("an answer that is a legal move", answer);
    cover(list[i].after);
    remember(b);
}

/* Check that the prover has an answer to every move of the other side, which is to move. */
static void cover(Board b) {
    Move list[MOST_MOVES];
    char name[3];
    for (int i = 0, count = moves(b, list); i < count; i++) prove(list[i].after, name_of(list[i].square, name));
}

static void begin_half(const char *word, int wanted) {
    target = wanted, remembered = 0;
    memset(found, 0xFF, sizeof found);
    memset(proven, 0xFF, sizeof proven);
    read_exactly(word);
}

/* Whether the text before the next comma is this word. */
static int is_word(const char *text, const char *word) {
    return strlen(word) == strcspn(text, ",") && !strncmp(text, word, strlen(word));
}

/* Read the rules, and return the turned directions and the scoring that they imply. */
static void read_rules(char *rules, const char **turns, const char **scoring) {
    const char *rest = strcpy(rules, read_after("rules "));
    int preset = 0;
    while (PRESETS[preset].name && !is_word(rest, PRESETS[preset].name)) preset++;
    if (!PRESETS[preset].name) fail("a preset of rules", line);
    *turns = PRESETS[preset].turns, *scoring = PRESETS[preset].scoring;
    rest += strcspn(rest, ",");
    for (int i = 0; i < OPTIONS; i++) {
        const char *const *value = OPTION[i].values;
        if (strncmp(rest, OPTION[i].name, strlen(OPTION[i].name))) continue;
        rest += strlen(OPTION[i].name);
        while (*value && !is_word(rest, *value)) value++;
        int squares = i == START && strcspn(rest, ",") == 64 && strspn(rest, "XO-") == 64;
        if (!*value && !squares) fail("an option with a valid value", rest);
        if (i == TURNS) *turns = *value;
        if (i == SCORING) *scoring = *value;
        rest += strcspn(rest, ",");
    }
    if (*rest) fail("options of rules, each once and in order", rest);
}

static void check(long first) {
    char rules[LONGEST], board[LONGEST], expected[20];
    const char *turns, *scoring;
    read_rules(rules, &turns, &scoring);
    read_exactly("turns all");
    if (strcmp(turns, "all")) fail("rules that turn discs in every direction", rules);
    snprintf(expected, sizeof expected, "scoring %s", scoring);
    read_exactly(expected);
    count_only = *scoring == 'c';
    snprintf(board, sizeof board, "%s", read_after("board "));
    char side = strlen(board) == 66 && board[64] == ' ' ? board[65] : 0;
    if ((side != 'X' && side != 'O') || strspn(board, "XO-") != 64) fail("board and 64 squares of X O - and the side to move", line);
    Board root = {0, 0};
    for (int i = 0; i < 64; i++)
        if (board[i] != '-') *(board[i] == side ? &root.own : &root.opp) |= 1ULL << i;
    int score = read_number("score ", "+-", 99);
    searched = read_number("searched ", "", 16);
    begin_half("lower", score);
    if (target > -64) prove(root, "root");  /* no score is below -64 */
    begin_half("upper", -score);
    if (target > -64) cover(root);
    read_exactly("end");
    printf("line %ld: %+d is proven for %s under %s, scoring %s, %ld lines\n", first, score, board, rules,
           count_only ? "count" : "empties", line_number - first + 1);
    fflush(stdout);
}

int main(int count, char **arguments) {
    if (count > 1) {
        fprintf(stderr, "usage: xz -dc FILE | %s\n", arguments[0]);
        return 2;
    }
    if (!next_line()) fail("'outflank proof 3'", "the end of the file");
    do {
        if (strcmp(line, "outflank proof 3")) fail("'outflank proof 3'", line);
        check(line_number);
    } while (next_line());
    return 0;
}
