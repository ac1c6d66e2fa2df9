"""The base class of errors for wrong input."""


class InputError(ValueError):
    """A wrong input: a name, a value or a file of the user. The command line ends with exit code 2."""
