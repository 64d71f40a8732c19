#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The recipes for Spack, conda and EasyBuild, the module for Lmod and REUSE.toml against the tree: each is read by its own tool
# where that is installed, else by the language that it is written in. They name this version, options that configure has, and
# files that are installed; each file of the tree has a license.
. "$(dirname "$0")/lib.sh"
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || skip "no Python"
top=$(cd "$top_srcdir" && pwd) build=$(cd "$top_builddir" && pwd)
version=$(sed -n 's/^AC_INIT(\[hlrc\], \[\(.*\)\])$/\1/p' "$top/configure.ac")
"$top/configure" --help >"$work/options" 2>/dev/null || fail "configure --help"

# ---- Spack: the class, with what it takes from Spack as far as it uses that ----
mkdir -p "$work/spack"
cat >"$work/spack/package.py" <<'END'
class AutotoolsPackage:
    def with_or_without(self, name, variant=None):
        assert (variant or name) in _variants, name
        return ["--with-" + name, "--without-" + name]
_versions, _variants, _needs = [], {}, []
def version(name, **more): _versions.append(name)
def variant(name, default, description): _variants[name] = (default, description)
def depends_on(spec, type=None, when=None): _needs.append((spec, when))
def license(name): assert name == "LGPL-2.1-or-later"
END
touch "$work/spack/__init__.py"
PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1 "$python" - "$top/share/spack/package.py" >"$work/spack.out" 2>"$work/err" <<'END' || fail "Spack: $(cat "$work/err")"
import sys
import spack.package as given
names = {"__name__": "package"}
exec(compile("from spack.package import *\n" + open(sys.argv[1]).read(), sys.argv[1], "exec"), names)
for spec, when in given._needs:
    assert when is None or when[1:] in given._variants, when
print("version", *given._versions)
for option in names["Hlrc"]().configure_args():
    print(option)
END
grep -qx "version $version" "$work/spack.out" || fail "Spack: not version $version: $(head -1 "$work/spack.out")"

# ---- conda and EasyBuild ----
known() { # OPTION, of configure
    grep -qE -- "^ +--(with(out)?|enable|disable)-${1#*-}([ =[]|$)" "$work/options" || grep -qE -- "[ []--(with|enable)-${1#*-}([]= ]|$)" "$work/options"
}
for option in $(sed 1d "$work/spack.out") $(grep -o -- '--[a-z]*-[a-z0-9-]*' "$top/share/conda/build.sh") $(grep -o -- '--[a-z]*-[a-z0-9-]*' "$top"/share/easybuild/*.eb); do
    known "${option#--}" || fail "configure has no option $option"
done
grep -qx "  version: \"$version\"" "$top/share/conda/meta.yaml" || fail "conda: not version $version"
if "$python" -c 'import yaml' 2>/dev/null; then
    "$python" -c 'import sys, yaml
meta = yaml.safe_load("".join(line for line in open(sys.argv[1])))
assert meta["package"]["name"] == "hlrc" and meta["about"]["license"] == "LGPL-2.1-or-later" and meta["test"]["commands"]' "$top/share/conda/meta.yaml" 2>"$work/err" ||
        fail "conda: $(tail -1 "$work/err")"
fi
bash -n "$top/share/conda/build.sh" || fail "conda: build.sh"
"$python" - "$top"/share/easybuild/*.eb >"$work/eb.out" 2>"$work/err" <<'END' || fail "EasyBuild: $(tail -1 "$work/err")"
import os, sys
easyconfig = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), easyconfig)
toolchain = easyconfig["toolchain"]
assert os.path.basename(sys.argv[1]) == "HLRC-%s-%s-%s.eb" % (easyconfig["version"], toolchain["name"], toolchain["version"])
print(easyconfig["version"], *easyconfig["sanity_check_paths"]["files"])
END
read -r of files <"$work/eb.out"
[ "$of" = "$version" ] || fail "EasyBuild: version $of, not $version"

# ---- what they and the module find is installed ----
if ! (cd "$build" && unset MAKEFLAGS MFLAGS MAKELEVEL && ${MAKE:-make} -s install-data install-exec DESTDIR="$work/stage") >"$work/log" 2>&1; then
    tail -5 "$work/log"
    fail "make install"
fi
prefix=$work/stage$(sed -n 's/^prefix = //p' "$build/Makefile")
for file in $files; do
    case $file in
    *.so) [ -e "$build/.libs/libhlrc.so" ] || continue ;;
    esac
    [ -e "$prefix/$file" ] || fail "EasyBuild: $file is not installed"
done
module=$prefix/share/modulefiles/hlrc/$version.lua
[ -e "$module" ] || fail "Lmod: $module is not installed"
for path in $(grep -o '"/[^"]*"' "$module" | tr -d '"'); do
    [ -d "$work/stage$path" ] || fail "Lmod: there is no folder $path"
done
! grep -n '@[A-Z]*@' "$module" || fail "Lmod: a name was not replaced"
lua=$(command -v lua5.4 || command -v lua5.3 || command -v lua || true)
if [ -n "$lua" ]; then
    "$lua" -e 'function help(t) end function whatis(t) end function setenv(a, b) assert(a and b) end
function pathJoin(a, b) return a .. "/" .. b end function prepend_path(a, b) print(a, b) end' "$module" </dev/null >"$work/out" 2>"$work/err" || fail "Lmod: $(cat "$work/err")"
fi

# ---- licenses ----
# REUSE.toml is of version 4 of the tool
if [ "$(reuse --version 2>/dev/null | sed -n 's/.*[ ,]\([0-9]*\)\..*/\1/p;q')" -ge 4 ] 2>/dev/null; then
    reuse --root "$top" lint >"$work/out" 2>&1 || fail "reuse lint: $(grep -A3 'no licens\|NOT' "$work/out" | head -8)"
fi
git -C "$top" ls-files >"$work/files" 2>/dev/null || (cd "$top" && find . -type f -printf '%P\n') >"$work/files"
"$python" - "$top" "$work/files" 2>"$work/err" <<'END' || fail "licenses: $(tail -3 "$work/err")"
import os, re, sys
top, listed = sys.argv[1:]
text = open(os.path.join(top, "REUSE.toml")).read()
globs = [g for block in re.findall(r"path = (\[.*?\]|\"[^\"]*\")", text, re.S) for g in re.findall(r'"([^"]*)"', block)]
def pattern(glob):
    return re.compile("(?:" + re.escape(glob).replace(r"\*\*", ".*").replace(r"\*", "[^/]*") + ")$")
patterns = [pattern(g) for g in globs if g != "**"]
without = []
for name in open(listed).read().split("\n"):
    path = os.path.join(top, name)
    if not name or not os.path.isfile(path) or name in ("COPYING",) or name.startswith("LICENSES/"):
        continue
    if b"SPDX-License-Identifier:" not in open(path, "rb").read(4096) and not any(p.match(name) for p in patterns):
        without.append(name)
assert not without, "no license: " + " ".join(without[:10])
END
finish
