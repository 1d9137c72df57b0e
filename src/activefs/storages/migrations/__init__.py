"""How the tables of a study came to be, one step per file in `versions`."""
