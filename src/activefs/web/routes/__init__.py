"""Routes, by group: pages for people, the API for programs."""
