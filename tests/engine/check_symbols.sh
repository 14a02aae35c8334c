#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The shared library exports what the public header declares, and nothing else.
# usage: check_symbols.sh NM LIBRARY HEADER
set -eu
exported=$("$1" -D --defined-only "$2" | awk '$2 ~ /[TDBRWVu]/ { sub(/@.*/, "", $3); print $3 }' | sort -u)
declared=$(grep -v '^ \*' "$3" | tr '\n' ' ' | grep -o 'VMAFX_API [^;(]*(' | grep -o 'vmafx_[a-z0-9_]*($' | tr -d '(' | sort -u)
[ "$exported" = "$declared" ] && exit 0
echo "exported only: $(printf '%s\n' "$exported" | grep -vxF "$declared" | tr '\n' ' ')"
echo "declared only: $(printf '%s\n' "$declared" | grep -vxF "$exported" | tr '\n' ' ')"
exit 1
