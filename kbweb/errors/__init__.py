"""What is said when a request cannot be answered: what happened, where, and what to do next."""
