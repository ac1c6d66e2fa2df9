"""Tokens that an SWF reader may meet."""

from hypothesis import strategies as st

tricky = ["0", "-0", "-1", "007", "1.0", "-1.0", "3.14", "1e3", "nan", "-2", ".", "-", "4.", "1.00"]
tokens = (
    st.sampled_from(tricky)
    | st.integers(-2, 10**20).map(str)
    | st.floats(-2, 1e20).map(str)
    | st.text("-0123456789.e+", min_size=1, max_size=25)
)
