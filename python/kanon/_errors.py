"""What may go wrong."""


class Error(Exception):
    """What a command could not do; its text is that of the command line."""


class BadInput(Error, ValueError):
    """Wrong use or bad data: exit status 2 of the command line."""


class Unsatisfied(Error):
    """Nothing within the limits keeps the promise: exit status 3."""


class Failed(Error, RuntimeError):
    """It could not be done: files, memory, a database. Exit status 1."""


class OutOfMemory(Failed, MemoryError):
    """There was not enough memory, or more than `memory` allows was needed."""


for _class in (Error, BadInput, Unsatisfied, Failed, OutOfMemory):
    _class.__module__ = "kanon"  # where users find them
