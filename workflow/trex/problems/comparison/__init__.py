"""Whether two models are the same, and what differs where they are not."""
