"""Checking without searching: reports, records and proofs for all lengths, by the definitions alone."""
