"""Cases, costs and hidden draws that the ops of a family, or of several, share."""
