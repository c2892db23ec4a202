"""Finding proofs that a hypothesis equals the target on words of every length."""
