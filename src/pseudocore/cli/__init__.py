"""The verbs of the command line, one a file: arguments in, calls to the library, words out."""
