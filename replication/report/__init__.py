"""The pages of notebooks, their records, and the report and the articles that are made from the records."""
