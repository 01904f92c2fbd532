"""The archive of a run: built from the files that the workflow made, verified with the standard library alone."""
