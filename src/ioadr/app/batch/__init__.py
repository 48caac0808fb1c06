"""Many light fields, huge ones and videos, on one machine or many."""
