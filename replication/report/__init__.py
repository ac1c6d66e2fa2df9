"""All pages' results as one HTML page and a PDF."""
