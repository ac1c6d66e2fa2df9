"""The papers, a folder for each, with the modules that they share, and the interactive explorer.

A folder of a paper has its notebooks and the modules that compute its tables, figures and claims.
"""
