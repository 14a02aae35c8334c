#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that the PTX of a metric's kernels rounds as its source says: check_ptx.py PTX EXPECTED.json RELEASE.

fma.rn comes from the source's Fma() alone. EXPECTED.json names, by metric, the kernels that call it and, for one release
of the compiler, how many instructions their unrolled loops give; any other kernel must have none. Nothing may be
approximate or flush subnormal numbers.
"""
import json
import pathlib
import re
import sys

ptx, expected_file, release = sys.argv[1:]
text = pathlib.Path(ptx).read_text()
expected = json.loads(pathlib.Path(expected_file).read_text())
counts_hold = release == expected['compiler']
kernels = expected['fma'].get(pathlib.Path(ptx).stem, {})
problems = []
forbidden = re.compile(r'\.approx|\.full|\.ftz|\bmad\.(?:rn\.)?f(?:32|64)|\bex2|\blg2|\bsin\b|\bcos\b')
entries = re.findall(r'\.entry\s+(\w+)\s*\(.*?\)(.*?)\n\}', text, re.S)
if not entries:
    problems.append('no kernel found')
for name, body in entries:
    count = len(re.findall(r'\bfma\.rn', body))
    wanted = kernels.get(name, 0)
    if (count != wanted) if counts_hold else ((count > 0) != (wanted > 0)):
        problems.append(f'{name}: {count} fma.rn, expected {wanted}')
    problems += [f'{name}: {found}' for found in sorted(set(forbidden.findall(body)))]
problems += [f'{name}: not there' for name in kernels if name not in dict(entries)]
outside = len(re.findall(r'\bfma\.rn', text)) - sum(len(re.findall(r'\bfma\.rn', body)) for _, body in entries)
if outside:
    problems.append(f'{outside} fma.rn outside kernels')
print(f'{ptx}: {len(entries)} kernels' + ''.join('\n  ' + problem for problem in problems))
sys.exit(1 if problems else 0)
