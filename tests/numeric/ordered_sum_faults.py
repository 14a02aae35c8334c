#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Writes copies of ordered_sum.h, each with one fault, each in a namespace of its own: ordered_sum_faults.py IN OUT.

The tests must catch every one of them."""
import re
import sys

FAULTS = {
    # Increment of one term.
    'tie_to_odd': ('{whole + parity, whole + 1 - parity}', '{whole + 1 - parity, whole + parity}'),
    'tie_up': ('{whole + parity, whole + 1 - parity}', '{whole + 1, whole + 1 + 0 * parity}'),
    'tie_by_term_alone': ('{whole + parity, whole + 1 - parity}', '{whole + parity, whole + parity}'),
    'binade_off_by_one': ('shift = binade - (field - 1023)', 'shift = binade - (field - 1022)'),
    'half_unit_lost': ('shift > 53', 'shift > 52'),
    'higher_binade_taken': ('if (shift < 0) return {kUnfit, kUnfit}', 'if (shift < 0) return {0, 0}'),
    # Composition.
    'parity_dropped': ('(a.even & 1) != 0 ? b.odd : b.even', 'b.even'),
    'cap_missing': ('{even > kUnfit ? kUnfit : even, odd > kUnfit ? kUnfit : odd}', '{even, odd}'),
    'reordered': ('Compose(run, IncrementUnderPlan(terms[i], plan))',
                  'Compose(IncrementUnderPlan(terms[i], plan), run)'),
    # Stand-ins.
    'stand_in_of_other_parity': ('odd ? 1 : 0', 'odd ? 2 : 0'),
    'stand_in_miscounted': ('Bits(odd) - first - 1', 'Bits(odd) - first'),
    'stand_in_always_fits': ('even <= last ? static_cast<int64_t>(Bits(even) - first) : kUnfit',
                             'static_cast<int64_t>(Bits(even) - first)'),
    'stand_in_end_refused': ('odd <= last ?', 'odd < last ?'),
    'zero_stand_in_trusted': ('even == 0.0 ? Increment{0, 0} : Increment{kUnfit, kUnfit}', 'Increment{0, 0}'),
    # Walk.
    'parity_of_sum_dropped': ('(m & 1) != 0 ? increment.odd : increment.even', 'increment.even'),
    'fallback_skipped': ('if (total > (int64_t{1} << 53)) return false', 'if (total > (int64_t{1} << 53)) return true'),
    'plan_trusted': ('if (BinadeOf(s) != plan) return false;', ''),
    'next_binade_refused': ('total > (int64_t{1} << 53)', 'total >= (int64_t{1} << 53)'),
    'next_binade_lost': ('DoubleOf(exponent + static_cast<uint64_t>(total))',
                         'DoubleOf(exponent + (uint64_t{1} << 52) + '
                         '(static_cast<uint64_t>(total) & 0xfffffffffffffu))'),
    'zero_plan_trusted': ('if (plan == kAllZero) return increment.even == 0', 'if (plan == kAllZero) return true'),
    'infinity_trusted': ('return increment.even < kUnfit', 'return true'),
    'chunks_reordered': ('AddIncrement(&sum, plans[c], increments[c])',
                         'AddIncrement(&sum, plans[c], increments[c ^ 1])'),
}

source = open(sys.argv[1], encoding='utf-8').read()
body = re.search(r'namespace vmafx::ordered_sum \{\n(.*)\}  // namespace vmafx::ordered_sum\n', source, re.S).group(1)
with open(sys.argv[2], 'w', encoding='utf-8') as out:
    for name, (right, wrong) in FAULTS.items():
        if body.count(right) != 1:
            sys.exit(f'ordered_sum_faults.py: fault {name}: its text occurs {body.count(right)} times in {sys.argv[1]}')
        faulty = body.replace(right, wrong)
        out.write(f'namespace vmafx::ordered_sum_{name} {{\n{faulty}}}  // namespace vmafx::ordered_sum_{name}\n')
    out.write('#define VMAFX_ORDERED_SUM_FAULTS(X) ' + ' '.join(f'X({name})' for name in FAULTS) + '\n')
