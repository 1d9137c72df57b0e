"""Compiled inner loops: counting, pair tables, scoring. Plain arrays in, plain arrays out."""
