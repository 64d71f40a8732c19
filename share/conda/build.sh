#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The steps of meta.yaml: conda sets PREFIX, SRC_DIR and CPU_COUNT.
set -eu
cd "$SRC_DIR"
[ -x configure ] || ./autogen.sh
mkdir -p build-conda
cd build-conda
../configure --prefix="$PREFIX" --without-libsigsegv --without-pmix --disable-static
make -j"${CPU_COUNT:-1}"
make install
