"""A thread's private memory of evaluations: the same leaves come back in every iteration and in ProbCut's searches.

One word a board, the last one stays: 56 bits that tell boards apart, then the score. The place of a board is mixed
otherwise, so that of two boards in one place one is taken for the other once in 2^56 questions.
"""

from libc.stdint cimport uint64_t

cdef enum:
    GUESS_BITS = 14  # 128 KB: larger ones push the weights out of the CPU's caches and cost more than they save
    _SCORE_AT_0 = 128


cdef inline uint64_t *guess_place(uint64_t *guesses, uint64_t own, uint64_t opp) noexcept nogil:
    """The one place of a board."""
    return &guesses[(own * <uint64_t>0x9E3779B97F4A7C15 + opp * <uint64_t>0xC2B2AE3D27D4EB4F) >> (64 - GUESS_BITS)]


cdef inline uint64_t guess_seal(uint64_t own, uint64_t opp) noexcept nogil:
    """What tells a board from the others of its place; the low byte is 0."""
    return (own * <uint64_t>0xD6E8FEB86659FD93 + opp * <uint64_t>0xA0761D6478BD642F) & ~<uint64_t>0xFF


cdef inline bint guess_known(uint64_t word, uint64_t seal) noexcept nogil:
    """Whether a place's word is about the board with this seal."""
    return (word ^ seal) <= 0xFF


cdef inline int guess_score(uint64_t word) noexcept nogil:
    """The score in a place's word, in discs."""
    return <int>(word & 0xFF) - _SCORE_AT_0


cdef inline uint64_t guess_word(uint64_t seal, int score) noexcept nogil:
    """What to write about a board."""
    return seal | (score + _SCORE_AT_0)
