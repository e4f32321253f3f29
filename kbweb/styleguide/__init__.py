"""`/styleguide/`: what pages are made of, for those who make pages."""
