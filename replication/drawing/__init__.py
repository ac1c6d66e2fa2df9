"""The style of figures, and pictures of panels."""
