# SPDX-License-Identifier: LGPL-2.1-or-later
# For tests that limit the time of a command; sourced. "$within" SECONDS COMMAND... ends it with status 124, as timeout(1)
# does, but counts only the time in which COMMAND could run (within.c). Where that program is not built, it is timeout(1).
within=$(cd "${top_builddir:-.}" && pwd)/tests/within
test -x "$within" || within=timeout
