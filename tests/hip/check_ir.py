#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that what clang makes of a metric's kernels for AMD rounds as their source says.

  check_ir.py [--must-find TEXT] optimised IR EXPECTED.json RELEASE   LLVM IR (-S -emit-llvm)
  check_ir.py [--must-find TEXT] source IR                            the same, -Xclang -disable-llvm-passes
  check_ir.py [--must-find TEXT] machine ASM IR                       the assembler's text (-S) of the same kernels

optimised: no instruction may be contracted, reassociated or approximated, no function but LLVM's own may be called, and
           llvm.fma stands in the kernels that EXPECTED.json names, as often as their unrolled loops give for one
           release of the compiler; in any other kernel it must not be. So for divisions of fp32 (Quotient() and
           RootQuotient()).
source:    llvm.fma comes from the source's Fma() alone. Here nothing is unrolled yet, so this holds for any release.
machine:   a kernel without llvm.fma and without division of a width has no fused instruction of that width. Where there
           is division, its steps are fused and tell nothing. A division of integers has up to 4 such steps of fp32.

With --must-find, a planted fault: the check passes when it finds a problem with that text, and fails otherwise.
"""
import argparse
import json
import pathlib
import re
import sys

FUNCTION = re.compile(r'^define [^\n]*?@"?([\w$.]+)"?\([^\n]*\{\n(.*?)^\}', re.S | re.M)
KERNEL = re.compile(r'^define [^\n]*\bamdgpu_kernel\b[^\n]*?@"?([\w$.]+)"?\(', re.M)
CALL = re.compile(r'\b(?:call|invoke)\b[^\n]*?@"?([\w$.]+)"?\(')
FMA = re.compile(r'\bcall [^\n]*@llvm\.fma\.(?:v(\d+))?f\d+\(')
DIVISION = {32: re.compile(r'= fdiv (?:<(\d+) x )?float\b'), 64: re.compile(r'= fdiv (?:<(\d+) x )?double\b')}
INEXACT = re.compile(r'(?: (?:fast|contract|reassoc|arcp|afn|nsz) |!fpmath|@llvm\.fmuladd|'
                     r'"(?:unsafe|no-infs|no-nans|no-signed-zeros|approx-func)-fp-math"="true"|'
                     r'"denormal-fp-math(?:-f32)?"="(?!ieee,ieee"))')
# Every other function of LLVM on floating-point numbers may be rounded as the target likes.
EXACT_FUNCTION = re.compile(r'llvm\.(?:fma|fabs|copysign)\.')
FLOAT_FUNCTION = re.compile(r'llvm\.[\w.]+\.(?:v\d+)?(?:f|bf)\d+')
INTEGER_DIVISION = re.compile(r'= [us](?:div|rem) (?:exact )?i\d+ [^,\n]+, %')  # by what is no constant
FUSED_IN_INTEGER_DIVISION = 4
FUSED = r'\bv_(?:pk_|dual_)?(?:fma|fmac|fmamk|fmaak|mad|mac|madmk|madak)(?:_mix)?_(?:legacy_)?f%d\b'


def lanes(pattern, body):
    """The number of matches, a vector's as many times as it has elements."""
    return sum(int(width or 1) for width in pattern.findall(body))


def functions_of(text):
    return dict(FUNCTION.findall(text))


def check_optimised(ir, expected_file, release):
    text = ir.read_text()
    expected = json.loads(expected_file.read_text())
    wanted = expected['kernels'].get(ir.name.split('.')[0], {})
    counts_hold = release.split('.')[0] == expected['compiler']
    kernels = KERNEL.findall(text)
    bodies = functions_of(text)
    for name in kernels:
        of_width = {'Fma': lanes(FMA, bodies[name]), 'Quotient': lanes(DIVISION[32], bodies[name])}
        for what, count in of_width.items():
            want = wanted.get(name, {}).get(what, 0)
            if (count != want) if counts_hold else ((count > 0) != (want > 0)):
                yield f'{name}: {count} of {what}, expected {want}'
        for callee in sorted(set(CALL.findall(bodies[name]))):
            if not callee.startswith('llvm.'):
                yield f'{name}: calls {callee}'
            elif FLOAT_FUNCTION.match(callee) and not EXACT_FUNCTION.match(callee):
                yield f'{name}: calls {callee}, which need not be exact'
    if not kernels:
        yield 'no kernel found'
    for name in wanted:
        if name not in kernels:
            yield f'{name}: not there'
    for name in bodies:
        if name not in kernels:
            yield f'{name}: not inlined'
    inexact = list(INEXACT.finditer(text))
    if inexact:
        first = text[text.rindex('\n', 0, inexact[0].start()) + 1:text.index('\n', inexact[0].end())].strip()
        yield f'{len(inexact)} inexact operations or attributes: "{inexact[0][0].strip()}" in {first:.100}'


def check_source(ir):
    bodies = functions_of(ir.read_text())
    for name, body in bodies.items():
        count = lanes(FMA, body)
        if count and not (name == '_ZN5vmafx3FmaEfff' and count == 1):
            yield f'{name}: {count} of llvm.fma outside Fma()'
    if not bodies:
        yield 'no function found'


def check_machine(asm, ir):
    instructions = dict(re.findall(r'^(\w+):[^\n]*; @\1\n(.*?)^\s*s_endpgm', asm.read_text(), re.S | re.M))
    text = ir.read_text()
    bodies = functions_of(text)
    free = 0
    for name in KERNEL.findall(text):
        if name not in instructions:
            yield f'{name}: not there'
            continue
        for width, division in DIVISION.items():
            if lanes(division, bodies[name]) or lanes(FMA, bodies[name]):
                continue
            free += 1
            fused = re.findall(FUSED % width, instructions[name])
            allowed = FUSED_IN_INTEGER_DIVISION * len(INTEGER_DIVISION.findall(bodies[name])) if width == 32 else 0
            if len(fused) > allowed:
                yield f'{name}: {len(fused)} fused instructions, the first: {fused[0]}'
    if not free:
        yield 'no kernel without fused instructions to look at'


checks = {'optimised': check_optimised, 'source': check_source, 'machine': check_machine}
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--must-find')
parser.add_argument('check', choices=checks)
parser.add_argument('arguments', nargs='+')
options = parser.parse_args()
paths = [pathlib.Path(argument) for argument in options.arguments]
if options.check == 'optimised':
    paths[2] = options.arguments[2]
problems = list(checks[options.check](*paths))
print(f'{options.check} {paths[0].name}: {len(problems)} problems' + ''.join(f'\n  {problem}' for problem in problems))
if options.must_find:
    sys.exit(0 if any(options.must_find in problem for problem in problems) else 1)
sys.exit(1 if problems else 0)
