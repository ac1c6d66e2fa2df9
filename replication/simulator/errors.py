"""The base class of errors for wrong input."""


class InputError(ValueError):
    """A wrong name, value or file of the user. The command line ends with exit code 2."""

    def _render_traceback_(self):
        """Return the lines that a notebook shows: the message says what is wrong,
        and the traceback would hide it.
        """
        return [f"{type(self).__name__}: {self}"]
