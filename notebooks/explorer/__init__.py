"""The interactive explorer of ``notebooks/explore.ipynb``.

`model` holds the choices and the numbers, `drawing` the pictures, `stories` the questions, and
`widgets` the controls, which need the extra ``lab``.
"""
