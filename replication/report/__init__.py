"""The pages of notebooks, their records, and the report that is made from the records."""
