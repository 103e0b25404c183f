"""Runs a command at its own terminal, and answers its questions: typist.py COMMAND ANSWER…

A question is a line that does not end. The exit code is the command's.
"""

import os
import pty
import sys


def main():
    command, *answers = sys.argv[1:]
    process, terminal = pty.fork()
    if process == 0:
        os.execvp("bash", ["bash", "-c", command])
    while True:
        try:
            output = os.read(terminal, 4096)
        except OSError:  # The command has ended.
            break
        if not output:
            break
        sys.stdout.buffer.write(output)
        sys.stdout.flush()
        if output.endswith(b" "):
            # Ctrl-D ends the input of a command that asks more questions than expected.
            os.write(terminal, answers.pop(0).encode() + b"\n" if answers else b"\x04")
    _, status = os.waitpid(process, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


main()
