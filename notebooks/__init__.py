"""The papers, a folder for each: its notebooks and the modules that compute its tables, figures and
claims.
"""
