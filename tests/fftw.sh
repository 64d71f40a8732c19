# SPDX-License-Identifier: LGPL-2.1-or-later
# 3-D FFT against FFTW, where that is installed: the transform of lines, and the benchmark on grids for which NAS has
# published nothing, the paper's 128^3 among them, with two and three nodes.
set -u
. "$(dirname "$0")/applib.sh"
fftw=${top_builddir:-.}/tests/fftw
if test ! -x "$fftw"; then
    echo "skipped: this build has no FFTW (libfftw3-dev)"
    exit 77
fi

"$fftw" lines >"$work/lines" || fail "lines: $(grep -B 1 FAILED "$work/lines")"

# Checksums are of the order of 500; sums of a thousand values of that many operations differ by less than 1e-12 of it.
near() { # WHAT "RE IM" "RE IM"
    echo "$2 $3" | awk '{ for (i = 1; i <= 2; i++) { d = $i - $(i + 2); if (d < 0) d = -d; if (!(d < 1e-9)) exit 1 } }' ||
        fail "$1: checksum $2, with FFTW $3"
}

grids=("64 64 64" "16 64 32" "8 4 2")
# instrumented, it takes ten times as long
[ -n "${HLRC_TEST_SANITIZERS:-}" ] || grids+=("128 128 128")
for grid in "${grids[@]}"; do
    expected=$("$fftw" grid $grid)
    for run in "2 ardmar" "3 async"; do
        rm -f "$work/json"
        run_job $run "${top_builddir:-.}/apps/fft3d" --grid "${grid// /x}" --iterations 6 --json "$work/json"
        expect_status "$grid, $run" 0
        near "$grid, $run" "$(field checksum)" "$expected"
    done
done
finish
