"""What a person sees of submissions: hand in, watch, read the result, manage one's own."""
