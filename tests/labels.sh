#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A rule is defined once, in the head of a file, as a line " *   [module.rule] What holds."; the rules of a head have one
# module. The code that keeps a rule cites it, and a mutant with a test breaks it. Every rule that a comment, a model, a mutant
# or a text cites is defined. doc/rules.md and the list of mutants are up to date.
set -u
perl=${PERL:-perl}
command -v "$perl" >/dev/null || { echo "SKIP: no perl"; exit 77; }
exec "$perl" "${top_srcdir:-.}/scripts/rules" --check
