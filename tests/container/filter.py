#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""filter.py PROFILE COMMAND...: executes a command under the system-call filter of a container, in the format of Docker, Podman
and Kubernetes, for a container without capabilities. Rules of which no call exists here are left out."""
import json
import os
import platform
import sys

import seccomp

OPERATORS = {
    "SCMP_CMP_NE": seccomp.NE,
    "SCMP_CMP_LT": seccomp.LT,
    "SCMP_CMP_LE": seccomp.LE,
    "SCMP_CMP_EQ": seccomp.EQ,
    "SCMP_CMP_GE": seccomp.GE,
    "SCMP_CMP_GT": seccomp.GT,
    "SCMP_CMP_MASKED_EQ": seccomp.MASKED_EQ,
}
ARCH = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine())


def action(rule, errno):
    if rule["action"] == "SCMP_ACT_ALLOW":
        return seccomp.ALLOW
    return seccomp.ERRNO(rule.get("errnoRet", errno))


def applies(rule):
    includes = rule.get("includes") or {}
    return "caps" not in includes and ARCH in includes.get("arches", [ARCH])


def rules_of(profile):
    """The rules that differ from the default."""
    default = (profile["defaultAction"], profile.get("defaultErrnoRet", 1))
    return [r for r in profile["syscalls"] if applies(r) and (r["action"], r.get("errnoRet", 1)) != default]


def arguments(rule):
    for arg in rule.get("args") or []:
        values = [arg["value"], arg["valueTwo"]] if arg["op"] == "SCMP_CMP_MASKED_EQ" else [arg["value"]]
        yield seccomp.Arg(arg["index"], OPERATORS[arg["op"]], *values)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        profile = json.load(file)
    default = {"action": profile["defaultAction"], "errnoRet": profile.get("defaultErrnoRet", 1)}
    filters = seccomp.SyscallFilter(defaction=action(default, 1))
    for rule in rules_of(profile):
        for name in rule["names"]:
            try:
                filters.add_rule(action(rule, 1), name, *arguments(rule))
            except (RuntimeError, ValueError):
                pass
    filters.load()
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
