"""A notebook and its outputs. In go parameters and results; out come pictures, tables, verdicts and a record.

`page.Page` is what a notebook makes first: it loads the workloads and is the only way in which outputs are saved.
`notebook` and `run` run notebooks without a screen, `lab` keeps JupyterLab from leaving anything in the checkout.
"""
