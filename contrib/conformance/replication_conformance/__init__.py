"""Conformance logs: run a scheduler or a program of any language on small logs, and compare every
start.
"""
