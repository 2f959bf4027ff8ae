"""Analysis: requests, solving jobs, proofs and claims of scores, puzzles, and reviews of games."""
