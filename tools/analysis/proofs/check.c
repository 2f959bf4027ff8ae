/* Checks proofs of exact scores as check.py does, faster; docs/proofs.md has the format, version 2.

   cc -O2 -march=native -o check check.c && xz -dc FILE | ./check        Exit codes: 0 all hold, 1 one does not, 2 usage.

   A board is two masks, `own` for the side to move and `opp` for the other, bit 0 = a1 and bit 63 = h8. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 100000, FOUND = 1 << 20, SORTED_FROM = 6, LONGEST = 200, DEEPEST = 130, MOST_MOVES = 64 };

typedef struct { uint64_t own, opp; } Board;
typedef struct { Board after; int square, replies; } Move; /* square -1 for a pass */
typedef struct { Board board, before; Move moves[MOST_MOVES]; int count, done; long line; } Frame;

static const int STEPS[4] = {1, 7, 8, 9};
static long line_number;
static char line[LONGEST];
static Board proven[BLOCK], found[FOUND]; /* both masks full where nothing was found */
static long proven_in[BLOCK];             /* the line that the board of the slot stands in; 0 for none */
static int count_only, searched, target;

static int bits(uint64_t mask) { return __builtin_popcountll(mask); }

static int same(Board a, Board b) { return a.own == b.own && a.opp == b.opp; }

static void fail(const char *expected, const char *got) {
    fflush(stdout);
    fprintf(stderr, "check: line %ld: expected %s, got %s\n", line_number, expected, got);
    exit(1);
}

static uint64_t shifted(uint64_t mask, int step) { return step > 0 ? mask << step : mask >> -step; }

/* The discs of `opp` that a run goes through in a direction: those that do not lie on the edge it would wrap round. */
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

/* Whether the side to move ends with `wanted` or more, by trying everything; few replies first. */
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

/* The rest of the next line, which has to begin with a word. */
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

static void cover(Frame *frame, Board board, long number, Board before) {
    frame->board = board, frame->before = before, frame->line = number, frame->done = 0;
    frame->count = moves(board, frame->moves);
}

/* Check that the prover, who is to move on `b` after `reply`, reaches the target; 1 if a frame for it was filled. */
static int prove(Board b, const char *reply, Frame *frame) {
    Board *slot = &found[(b.own * 0x9E3779B97F4A7C15ULL ^ b.opp * 0xC2B2AE3D27D4EB4FULL) >> 44];
    char expected[40];
    if (64 - bits(b.own | b.opp) <= searched || is_over(b)) {
        if (!same(*slot, b) && !reaches(b, target)) {
            snprintf(expected, sizeof expected, "%+d for the prover after the reply %s", target, reply);
            fail(expected, "less");
        }
        *slot = b;
        return 0;
    }
    snprintf(expected, sizeof expected, "%s ", reply);
    const char *answer = read_after(expected);
    if (*answer == '=') {
        char *end;
        long named = strtol(answer + 1, &end, 10);
        if (answer[1] < '0' || answer[1] > '9' || *end || named < 1 || named >= line_number
            || (named - 1) / BLOCK != (line_number - 1) / BLOCK || proven_in[(named - 1) % BLOCK] != named
            || !same(proven[(named - 1) % BLOCK], b))
            fail("a line before it in its block where the same board is proven", answer);
        return 0;
    }
    Move list[MOST_MOVES];
    char name[3];
    for (int i = 0, count = moves(b, list); i < count; i++)
        if (!strcmp(answer, name_of(list[i].square, name))) {
            cover(frame, list[i].after, line_number, b);
            return 1;
        }
    fail("an answer that is a move", answer);
    return 0;
}

static void check_half(const char *word, Board root, int wanted) {
    static Frame path[DEEPEST];
    char name[3];
    int depth = 0;
    target = wanted;
    memset(found, 0xFF, sizeof found);
    memset(proven_in, 0, sizeof proven_in);
    read_exactly(word);
    if (*word == 'l') depth += prove(root, "root", path);
    else cover(&path[depth++], root, 0, (Board){0, 0});
    while (depth) {
        Frame *top = &path[depth - 1];
        if (top->done == top->count) {
            if (top->line) {
                proven[(top->line - 1) % BLOCK] = top->before;
                proven_in[(top->line - 1) % BLOCK] = top->line;
            }
            depth--;
        } else {
            Move *move = &top->moves[top->done++];
            depth += prove(move->after, name_of(move->square, name), top + 1);
        }
    }
}

static void check(long first) {
    char rules[LONGEST], board[LONGEST];
    snprintf(rules, sizeof rules, "%s", read_after("rules "));
    read_exactly("turns all");
    const char *scoring = read_after("scoring ");
    if (strcmp(scoring, "empties") && strcmp(scoring, "count")) fail("scoring empties or count", line);
    count_only = *scoring == 'c';
    snprintf(board, sizeof board, "%s", read_after("board "));
    char side = strlen(board) == 66 && board[64] == ' ' ? board[65] : 0;
    if ((side != 'X' && side != 'O') || strspn(board, "XO-") != 64) fail("board and 64 squares of X O - and the side to move", line);
    Board root = {0, 0};
    for (int i = 0; i < 64; i++)
        if (board[i] != '-') *(board[i] == side ? &root.own : &root.opp) |= 1ULL << i;
    int score = read_number("score ", "+-", 99);
    searched = read_number("searched ", "", 16);
    check_half("lower", root, score);
    check_half("upper", root, -score);
    read_exactly("end");
    printf("line %ld: %+d is proven for %s by %s, scoring %s, %ld lines\n", first, score, board, rules,
           count_only ? "count" : "empties", line_number - first + 1);
    fflush(stdout);
}

int main(int count, char **arguments) {
    if (count > 1) {
        fprintf(stderr, "usage: xz -dc FILE | %s\n", arguments[0]);
        return 2;
    }
    if (!next_line()) fail("'outflank proof 2'", "the end of the file");
    do {
        if (strcmp(line, "outflank proof 2")) fail("'outflank proof 2'", line);
        check(line_number);
    } while (next_line());
    return 0;
}
