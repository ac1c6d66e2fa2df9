"""The report. In go the files that pages have saved and the texts; out come one page of HTML and a PDF.

`results` gathers what was drawn, `tree` makes one tree of plain data of it, `html` and `pdf` are its two templates,
`assemble` writes them.
"""
