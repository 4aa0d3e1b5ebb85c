"""The traces of a trial in a process, where the next trial is to run in the same one."""
