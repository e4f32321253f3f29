"""`/api/v1/`: submissions, evaluations, tokens, me."""
