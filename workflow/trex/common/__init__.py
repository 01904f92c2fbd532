"""What every room uses: errors and command lines, atomic files, provenance, seeds, statistics."""
