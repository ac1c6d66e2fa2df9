"""Schedulers that differ from EASY: each class overrides what one rule changes.

`conventions` are rules on purpose; `defects` are nobody's purpose. Classes are combined by
inheritance, see `conformance.rules.scheduler`.
"""
