"""The experiments, one package each: what is run, how it is measured, and the report."""
