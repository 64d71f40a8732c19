# SPDX-License-Identifier: LGPL-2.1-or-later
# The package hlrc of Python: arrays of NumPy, locks, threads, no leak, on 1, 2 and 3 nodes; a loop of numba, if that is there.
set -u
. "$(dirname "$0")/../lib.sh"
here=$(realpath "$(dirname "$0")")
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import numpy' 2>/dev/null || skip "no NumPy (python3-numpy)"
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library needs a sanitized interpreter"
export PYTHONPATH=$(realpath "$top_srcdir")/python LD_LIBRARY_PATH=$(realpath "$top_builddir")/.libs PYTHONDONTWRITEBYTECODE=1
for nodes in 1 2 3; do
    for protocol in ardmar async onesided; do
        run_job $nodes $protocol "$python" "$here/arrays.py"
        test $status = 0 && test "$(cat "$work/out")" = "$nodes nodes, bad 0" ||
            fail "$nodes nodes, $protocol: status $status: $(cat "$work/out" "$work/err")"
    done
done
run_job 3 ardmar "$python" "$here/arrays.py" raise
test $status = 1 && grep -q '^RuntimeError: nobody catches it' "$work/err" || fail "an exception: status $status: $(cat "$work/err")"
status=0
"$python" "$here/arrays.py" >"$work/out" 2>"$work/err" || status=$?
test $status = 0 && test "$(cat "$work/out")" = "1 nodes, bad 0" || fail "without a launcher: $(cat "$work/err")"
if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | grep -q 'libhlrc\.so\.0'; then # else the installed one is found
    LD_LIBRARY_PATH=/nowhere "$python" -c 'import hlrc' 2>"$work/err" && fail "no library: no error"
    grep -qE '^ImportError: libhlrc.so.0: .*; install HLRC|^$' "$work/err" || fail "no library: $(tail -1 "$work/err")"
fi
LD_LIBRARY_PATH= run_job 2 ardmar "$python" "$here/arrays.py"
test $status = 0 && test "$(cat "$work/out")" = "2 nodes, bad 0" || fail "with the library of hlrcrun's build: $(cat "$work/err")"
# The same iteration by multiprocessing; and the package as pip installs it.
"$python" "$top_srcdir/python/compare.py" 120 30 3 >"$work/native" 2>"$work/err" || fail "multiprocessing: $(tail -1 "$work/err")"
if "$python" -c 'import sys, setuptools, pip; sys.exit(int(setuptools.__version__.split(".")[0]) < 61)' 2>/dev/null; then
    cp -r "$top_srcdir/python" "$work/python"
    "$python" -m pip install -q --no-index --no-build-isolation --no-deps --target "$work/site" "$work/python" >"$work/log" 2>&1 || fail "pip: $(tail -3 "$work/log")"
    PYTHONPATH=$work/site
else
    echo "note: no pip and setuptools, the package was not installed"
fi
run_job 3 ardmar "$python" "$top_srcdir/python/compare.py" 120 30
test $status = 0 && test "$(sed 's/.*sum/sum/' "$work/out")" = "$(sed 's/.*sum/sum/' "$work/native")" || fail "compare: $(cat "$work/out" "$work/err" "$work/native")"
if "$python" -c 'import numba' 2>/dev/null; then
    run_job 2 ardmar "$python" "$here/numba_loop.py"
    test $status = 0 && test "$(cat "$work/out")" = "sum 999999000000" || fail "numba: status $status: $(cat "$work/out" "$work/err")"
fi
finish
