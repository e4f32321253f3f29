"""What other sites show of a result: a picture for previews of its page, and badges."""
