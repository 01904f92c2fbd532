"""The page: what the run found, how each figure was got, and what it cannot show."""
