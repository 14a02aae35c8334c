#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that the PTX of a metric's kernels rounds as its source says: check_ptx.py PTX EXPECTED.json RELEASE.

fma.rn comes from the source's Fma(), Quotient() and RootQuotient() alone. EXPECTED.json names, by metric, the kernels
that call them and, for one release of the compiler, how many calls their unrolled loops give; any other kernel must
have none. A Quotient() is one approximate reciprocal in inline assembly and six fma.rn that make it exact, a
RootQuotient() one and four; nothing else may be approximate or flush subnormal numbers. Sums and products must name their rounding: without it the assembler may contract them.
"""
import json
import pathlib
import re
import sys

FMA_OF_QUOTIENT = 6
FMA_OF_ROOT_QUOTIENT = 4
RECIPROCAL = re.compile(r'// begin inline asm\n\s*rcp\.approx\.ftz\.f32 [^\n]*\n\s*// end inline asm')
FORBIDDEN = re.compile(r'\w+\.approx[.\w]*|\w+\.full[.\w]*|\w+[.\w]*\.ftz[.\w]*|\bmad\.(?:rn\.)?f(?:32|64)'
                       r'|\b(?:add|sub|mul)\.f(?:32|64)')

ptx, expected_file, release = sys.argv[1:]
text = pathlib.Path(ptx).read_text()
expected = json.loads(pathlib.Path(expected_file).read_text())
counts_hold = release == expected['compiler']
wanted = expected['kernels'].get(pathlib.Path(ptx).stem, {})
problems = []


def compare(name, what, count, expected_count):
    if (count != expected_count) if counts_hold else ((count > 0) != (expected_count > 0)):
        problems.append(f'{name}: {count} of {what}, expected {expected_count}')


entries = dict(re.findall(r'\.entry\s+(\w+)\s*\(.*?\)(.*?)\n\}', text, re.S))
if not entries:
    problems.append('no kernel found')
for name, body in entries.items():
    body, reciprocals = RECIPROCAL.subn('', body)
    calls = {call: wanted.get(name, {}).get(call, 0) for call in ('Fma', 'Quotient', 'RootQuotient')}
    fma = calls['Fma'] + FMA_OF_QUOTIENT * calls['Quotient'] + FMA_OF_ROOT_QUOTIENT * calls['RootQuotient']
    compare(name, 'fma.rn', len(re.findall(r'\bfma\.rn', body)), fma)
    compare(name, 'rcp.approx', reciprocals, calls['Quotient'] + calls['RootQuotient'])
    problems += [f'{name}: {found}' for found in sorted(set(FORBIDDEN.findall(body)))]
problems += [f'{name}: not there' for name in wanted if name not in entries]
outside = len(re.findall(r'\bfma\.rn', text)) - sum(len(re.findall(r'\bfma\.rn', body)) for body in entries.values())
if outside:
    problems.append(f'{outside} fma.rn outside kernels')
print(f'{ptx}: {len(entries)} kernels' + ''.join('\n  ' + problem for problem in problems))
sys.exit(1 if problems else 0)
