# SPDX-License-Identifier: LGPL-2.1-or-later
# Random programs over libfabric, by TCP on this machine.
set -u
. "${top_srcdir:-.}/tests/random/lib.sh"
"${top_builddir:-.}/hlrc_info" | grep -q '^  ofi  *available' || { echo "skipped: no libfabric (libfabric1), or left out of this build"; exit 77; }
random_programs 40 15 --protocol ardmar,async,onesided --fabric ofi
