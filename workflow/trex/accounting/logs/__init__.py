"""Training logs of several frameworks as one table: how long steps took, how large they were, what went wrong."""
