"""Helpers that tests share: oracles, strategies, samples, dialogues, and engines that fail on purpose."""
