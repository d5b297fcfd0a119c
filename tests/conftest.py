"""Tests of interruption need the keyboard's signal, which a shell takes from what it runs in the
background: here and in every program started from here it works as at a terminal."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
