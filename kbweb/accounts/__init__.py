"""A person's account: what the site keeps of it, as a download, and its end (`docs/accounts.md`)."""
