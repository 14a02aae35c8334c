#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Adds up what the parts of "tools/bootstrap test" left in their result folders.

A folder holds any of: JUnit files of GoogleTest and pytest (*.xml), Meson's log of the test programs
(programs.jsonl), lines "passed NAME", "failed NAME" and "skipped NAME" (cases.txt), and the exit status of the part
(status). A program that died before it wrote its file, a part that ended with an error although no case failed, and a
part without a case each count as one failure: nothing that is missing may look like success.
"""
import argparse
import json
import pathlib
import sys
import xml.etree.ElementTree

XML_ERRORS = (xml.etree.ElementTree.ParseError, OSError)


class Count:
    def __init__(self):
        self.passed = 0
        self.skipped = 0
        self.failures = []

    def __str__(self):
        return f"{self.passed} passed, {len(self.failures)} failed, {self.skipped} skipped"


def first_line(text):
    lines = (text or "").strip().splitlines()
    return lines[0].strip() if lines else ""


def count_junit(path, count):
    """Returns whether the file could be read and one of its cases failed."""
    try:
        cases = list(xml.etree.ElementTree.parse(path).iter("testcase"))
    except XML_ERRORS as error:
        count.failures.append(f"{path.name}: {error}")
        return True
    failed = False
    for case in cases:
        name = f"{case.get('classname', '')}.{case.get('name', '')}"
        problems = case.findall("failure") + case.findall("error")
        if problems:
            reason = first_line(problems[0].get("message") or problems[0].text)
            count.failures.append(f"{name}: {reason}")
            failed = True
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            count.skipped += 1
        elif case.get("status") == "notrun":  # disabled or filtered out
            continue
        else:
            count.passed += 1
    return failed


def count_part(folder):
    count = Count()
    junit_failed = {path.stem: count_junit(path, count) for path in sorted(folder.glob("*.xml"))}

    programs = folder / "programs.jsonl"
    if programs.exists():
        for line in programs.read_text().splitlines():
            program = json.loads(line)
            stem = pathlib.PurePath(program["command"][0]).name
            result = program["result"]
            if result in ("FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS"):
                if not junit_failed.get(stem, False):
                    count.failures.append(f"{program['name']}: {result.lower()} (exit {program.get('returncode')})")
            elif stem not in junit_failed:  # not a GoogleTest program: one case
                if result == "SKIP":
                    count.skipped += 1
                else:
                    count.passed += 1

    cases = folder / "cases.txt"
    if cases.exists():
        for line in cases.read_text().splitlines():
            verdict, name = line.split(" ", 1)
            if verdict == "passed":
                count.passed += 1
            elif verdict == "skipped":
                count.skipped += 1
            else:
                count.failures.append(name)

    status = folder / "status"
    code = status.read_text().strip() if status.exists() else "none"
    if code != "0" and not count.failures:
        count.failures.append(f"{folder.name}: ended with status {code} outside its cases")
    if count.passed == 0 and not count.failures:
        count.failures.append(f"{folder.name}: no test ran")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="only the numbers")
    parser.add_argument("--logs", type=pathlib.Path, help="folder of the parts' logs, named beside failures")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()

    total = Count()
    for folder in arguments.folders:
        count = count_part(folder)
        total.passed += count.passed
        total.skipped += count.skipped
        total.failures += count.failures
        if count.failures and not arguments.short:
            log = f" ({arguments.logs / f'test-{folder.name}.log'})" if arguments.logs else ""
            print(f"Failures of {folder.name}{log}:")
            for failure in count.failures:
                print(f"  {failure}")
    print(total)
    return 1 if total.failures or total.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
