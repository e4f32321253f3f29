"""What every REST view shares: authentication by token, problem+json errors, cursor pages, the documentation page."""
