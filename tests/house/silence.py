#!/usr/bin/env python3
"""silence.py COLUMNS SECONDS COMMAND...: runs the command on a terminal of so many columns and sees that something on it
changes every SECONDS, from its start to its end, and that no line which is drawn again is wider than the terminal.

Where the command gets only a part of a processor since others work beside it, it may take as much longer.  Prints the
longest silence and the number of changes; ends with 1 where it was silent, else with what the command ended with.
"""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time


def main():
    columns, seconds, command = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        os.environ['TERM'] = 'xterm'
        os.execvp(command[0], command)
    start = last = time.monotonic()
    longest, changes, text = 0.0, 0, b''
    while True:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                got = os.read(terminal, 65536)
            except OSError:  # it has ended
                got = b''
            if not got:
                break
            now = time.monotonic()
            longest, last, changes, text = max(longest, now - last), now, changes + 1, text + got
    _, status, used = os.wait4(pid, 0)
    end = time.monotonic()
    longest = max(longest, end - last)
    slower = max(1.0, (end - start) / max(used.ru_utime + used.ru_stime, 0.1))
    lines = re.findall(r'\r([^\r\n\x1b]*)\x1b\[K', text.decode(errors='replace'))
    wide = [line for line in lines if len(line) >= columns]
    print(f'{longest:.1f} s silent at most of {end - start:.1f} s, {changes} changes, {len(lines)} redrawn, '
          f'{slower:.1f} times slower than alone')
    if longest > seconds * slower or wide or not lines:
        print(f'expected {seconds} s at most, lines that are redrawn, all narrower than {columns}: {wide[:1]}')
        print(text.decode(errors='replace')[-2000:])
        return 1
    return os.waitstatus_to_exitcode(status)


if __name__ == '__main__':
    sys.exit(main())
