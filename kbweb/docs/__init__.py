"""The documents of `docs/` as pages of the site: `/docs/`, `/rules/`, `/llms.txt`."""
