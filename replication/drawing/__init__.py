"""The style of figures."""
