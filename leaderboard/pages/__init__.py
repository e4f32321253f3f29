"""What a person sees of ops, boards and the state of the site."""
