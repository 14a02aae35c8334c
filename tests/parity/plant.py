#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Plants a mistake in a copy of a metric's kernels.h: plant.py FAULT INPUT OUTPUT.

The parity comparison must notice each of them. Fails when the text that a fault replaces is not there as often as it
should be, so that a fault cannot quietly become none.
"""
import pathlib
import sys

FAULTS = {
    # Blocks of squares added in binary32.
    'fp32_block_sums': [(
        'const uint64_t sum = psnr::RowSum(arguments.reference, arguments.distorted, row, square);',
        '''float part = 0;
  for (int x = GroupLane(); x < arguments.reference.width; x += kGroup)
    part += static_cast<float>(square(Sample(arguments.reference, x, row), Sample(arguments.distorted, x, row)));
  const uint64_t sum = static_cast<uint64_t>(GroupSum(part));''', 1)],
    # Logarithms from the processor's own function instead of the host's table.
    'device_log2': [(
        'return LogEntry(words[i / 32], static_cast<int>(i % 32));',
        'return static_cast<uint32_t>(std::log2(32768.0 + static_cast<double>(i)) * 2048 + 0.5);', 1)],
    # The reference's pitch for the distorted picture, too.
    'one_pitch': [(
        'distorted + static_cast<uint64_t>(y * a.distorted.stride)',
        'distorted + static_cast<uint64_t>(y * a.reference.stride)', 3)],
}

fault, source, output = sys.argv[1:]
text = pathlib.Path(source).read_text()
for before, after, count in FAULTS[fault]:
    if text.count(before) != count:
        sys.exit(f'{source}: expected {count} times, found {text.count(before)}: {before}')
    text = text.replace(before, after)
pathlib.Path(output).write_text(text)
