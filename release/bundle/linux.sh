#!/bin/sh
# exec: the binary takes the place of this shell, with its streams and its process.
exec "$0-$(uname -m)" "$@"
