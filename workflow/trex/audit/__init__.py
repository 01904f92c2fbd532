"""The paper's public claims, held against public arithmetic and against what this run measured."""
