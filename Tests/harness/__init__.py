"""Shared by the Python suites: the service as a child process, waiting, ports, and a browser.

The scripts that run the suites put the folder Tests into PYTHONPATH.
"""
