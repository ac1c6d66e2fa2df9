"""The pages of notebooks, their records, and the report and the article that are made from the records."""
