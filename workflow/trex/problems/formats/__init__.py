"""Model files: LP and MPS text, in and out."""
