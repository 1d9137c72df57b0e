"""The paper's single-feature experiments."""
