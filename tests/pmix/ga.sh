# SPDX-License-Identifier: LGPL-2.1-or-later
# Global Arrays as Debian compiled it, for another ARMCI, linked with libhlrc_armci, on 2 and 4 processes of mpirun: our program
# (ga.c), which the ARMCI that Debian has passes as well; and Global Arrays' own test programs, of a source tree:
#   GA_SOURCE=DIR     where the source package was unpacked; without it `apt-get source ga` is tried, which needs deb-src
#   GA_PREFIX=DIR     where libglobalarrays-dev and libscalapack-openmpi were unpacked, if they are not installed
# Three of them; with GA_TESTS=all, or the soak, all that its `make check` runs; or those that GA_TESTS names.
# And NWChem, where it is there:
#   NWCHEM=DIR        a tree of Debian's source package nwchem 7.0.2, patched and built as debian/rules does for openmpi, up to
#                     `make link`; NWCHEM_MODULES="nwdft solvation driver" suffices, 12 minutes of CPU with FOPTIMIZE=-O1.
#                     Its objects are linked with both ARMCIs
. "$(dirname "$0")/lib.sh"
need_mpirun
here=$(dirname "$0")
test -z "${HLRC_TEST_SANITIZERS-}" || skip "sanitizers find what Open MPI leaves"
command -v mpicc >/dev/null || skip "no mpicc (libopenmpi-dev)"
prefix=${GA_PREFIX-}/usr libdir=$prefix/lib/$(${CC:-cc} -print-multiarch)
test -f "$libdir/libga-openmpi.a" || skip "no Global Arrays (libglobalarrays-dev)"
scalapack=$(find "$libdir" -name 'libscalapack-openmpi.so*' | sort | head -1)
test -n "$scalapack" || skip "no ScaLAPACK, which Global Arrays uses (libscalapack-openmpi-dev)"
libs=("$libdir/libga-openmpi.a" "$top_builddir/.libs/libhlrc_armci.so" "$top_builddir/.libs/libhlrc.so"
    "$scalapack" "-Wl,-rpath,$libdir" -l:liblapack.so.3 -l:libblas.so.3 -lgfortran -lm -lpthread)
includes=(-I"$top_srcdir/compat/armci" -I"$prefix/include")
limit=("$within" 120)
export LD_LIBRARY_PATH=$top_builddir/.libs
export HLRC_MEMORY=6G ARMCI_DEFAULT_SHMMAX=2048 # copies of arrays for reading are memory of groups

# ---- our program ----

mpicc -O1 "${includes[@]}" "$here/ga.c" -o "$work/ga" "${libs[@]}" 2>"$work/err" || fail "ga.c: $(head -5 "$work/err")"
ours() { # WHAT PROGRAM NODES
    run "${limit[@]}" mpirun -n "$3" "$2"
    expect_status "$1" 0
    test "$(cat "$work/out")" = "$3 processes: right" || fail "$1, $3 processes: $(cat "$work/out" "$work/err")"
}
for n in 2 4; do ours "ga.c" "$work/ga" $n; done
native=$libdir/libarmci-openmpi.a
if test -f "$native"; then
    mpicc -O1 -I"$prefix/include" "$here/ga.c" -o "$work/native" "${libs[0]}" "$native" "${libs[@]:3}" 2>"$work/err" ||
        fail "ga.c, native: $(head -5 "$work/err")"
    ours "ga.c, native" "$work/native" 2
fi

# ---- NWChem ----

# nwchem_energies NAME ARMCI...: of water, by SCF and by DFT
nwchem_energies() {
    local name=$1
    shift
    mpif90 -fopenmp "$NWCHEM"/src/{nwchem,stubs}.o -Wl,--start-group "$NWCHEM"/lib/LINUX64/*.a "${libs[0]}" "$@" -Wl,--end-group \
        "${libs[@]:3}" -o "$work/$name" 2>"$work/err" || { fail "NWChem, $name: $(head -5 "$work/err")"; return; }
    NWCHEM_BASIS_LIBRARY=$NWCHEM/src/basis/libraries/ run "${limit[@]}" mpirun -n 2 -wdir "$work" "$work/$name" "$work/water.nw"
    expect_status "NWChem, $name" 0
    awk '/Total (SCF|DFT) energy/ { printf "%.7f\n", $NF }' "$work/out"
}
if test -n "${NWCHEM-}"; then
    cat >"$work/water.nw" <<'END'
memory total 400 mb
geometry noautosym
 O 0.0 0.0 0.0
 H 0.0 0.757 0.587
 H 0.0 -0.757 0.587
end
basis
 * library 6-31g*
end
scf
 thresh 1e-8
end
dft
 xc b3lyp
 convergence energy 1e-10
end
task scf energy
task dft energy
END
    nwchem_energies ours "${libs[@]:1:2}" >"$work/energies"
    test "$(wc -l <"$work/energies")" = 2 || fail "NWChem: energies $(cat "$work/energies")"
    nwchem_energies armci "$native" >"$work/theirs"
    diff "$work/theirs" "$work/energies" || fail "NWChem has other energies than with Debian's ARMCI"
    echo "NWChem: energies $(paste -sd' ' "$work/energies")"
fi

# ---- Global Arrays' own ----

source=${GA_SOURCE-}
if test -z "$source"; then
    (mkdir "$work/source" && cd "$work/source" && timeout 60 apt-get source ga) >"$work/apt" 2>&1
    source=$(find "$work/source" -maxdepth 1 -type d -name 'ga-*' | head -1)
fi
if test ! -f "$source/Makefile.am"; then
    echo "Global Arrays' own tests were not run: no source package (GA_SOURCE, or a deb-src line for apt-get source ga)"
    finish
fi
testing=$source/global/testing
flags=("${includes[@]}" -I"$testing" -I"$source/global/src" -I"$source/ma" -I"$source/gaf2c" -I"$source/LinAlg/lapack+blas" -w -O1
    -DHAVE_{STDIO,STDLIB,MATH,ASSERT,UNISTD,ERRNO,SYS_TYPES}_H=1 -DHAVE_{BLAS,LAPACK,SCALAPACK}=1 -DF2C_HIDDEN_STRING_LENGTH_AFTER_ARGS=1 -DMSG_COMMS_MPI=1)
fortran=(-cpp -fdefault-integer-8 -std=legacy -fallow-argument-mismatch)

compiled() { # SOURCE: its object, made once for all programs, or nothing
    local from=$testing/$1 object=$work/${1//\//_}.o
    test ! -f "$object" || { echo "$object"; return; }
    case $1 in
    *.c) mpicc "${flags[@]}" '-DF77_FUNC_(a,b)=a##_' '-DF77_FUNC(a,b)=a##_' -fopenmp -c "$from" -o "$object" ;;
    *.F)
        test -f "$from" || { (cd "$testing" && m4 "${1%.F}.m4") >"$work/$1" && from=$work/$1; }
        mpif90 "${flags[@]}" "${fortran[@]}" -c "$from" -o "$object"
        ;;
    esac >>"$work/log" 2>&1 && echo "$object"
}

built() { # NAME: by the sources that Makefile.am has
    local file objects=() object files
    files=$(sed -n "s/^\(nodist_\)\?global_testing_${1//-/_}_SOURCES *= *//p" "$source/Makefile.am" | head -1)
    for file in ${files:-global/testing/$1.c}; do
        case $file in
        '$(gtsrcf)') file='global/testing/ffflush.F global/testing/util.c' ;;
        '$(testblassrc)') file=global/testing/testblas.F ;;
        esac
        for file in $file; do
            case $file in *.[cF]) ;; *) continue ;; esac
            object=$(compiled "${file#global/testing/}")
            test -n "$object" || return 1
            objects+=("$object")
        done
    done
    mpif90 -fopenmp "${objects[@]}" -o "$work/$1" "${libs[@]}" >>"$work/log" 2>&1 ||
        { mpicc -fopenmp "${objects[@]}" -o "$work/$1" "${libs[@]}" >>"$work/log" 2>&1; }
}

tests=${GA_TESTS:-testc ntestc pgtest}
if test "$tests" = all || { test -n "${HLRC_SOAK-}" && test -z "${GA_TESTS-}"; }; then
    tests=$(sed -n 's/^GLOBAL_PARALLEL_TESTS += global\/testing\/\([^$]*\)\$(EXEEXT).*/\1/p' "$source/Makefile.am" | sort -u)
fi
for name in $tests; do
    : >"$work/log"
    if ! built "$name"; then
        fail "$name: does not build: $(grep -iE 'error|undefined' "$work/log" | head -3)"
        continue
    fi
    line="$name:"
    for n in 2 4; do
        run "${limit[@]}" mpirun -n $n -wdir "$work" "$work/$name"
        if test "$status" = 0; then
            line="$line $n passed"
        else
            line="$line $n FAILED ($status)"
            fail "$name, $n processes: status $status: $(tail -5 "$work/out" "$work/err")"
        fi
    done
    echo "$line"
    rm -f "${work:?}/$name"
done
finish
