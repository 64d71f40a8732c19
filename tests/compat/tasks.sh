#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The programs of tasks among those of features.sh.
here=$(dirname "$0")
cd "$here" && programs=$(ls feature/task* feature/depend.c | sed 's|.*/||; s|\..*||') && cd - >/dev/null || exit 1
test "$(wc -w <<<"$programs")" -ge 7 || { echo "FAILED: only these programs found: $programs"; exit 1; }
# shellcheck disable=SC2086
exec bash "$here/features.sh" $programs
