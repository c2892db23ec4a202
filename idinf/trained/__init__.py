"""Trained transformers: read one, ask it, judge it against a target on all words, and train one."""
