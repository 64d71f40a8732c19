# SPDX-License-Identifier: LGPL-2.1-or-later
# The applications link the library as a program of a user does. Each is also built as a program of one process that
# links no HLRC, *_seq: the baseline; and as one of processes that share memory without HLRC, *_native.
APPS_COMMON = apps/common.c apps/common.h apps/native.h apps/no_hints.h apps/no_rma.h apps/sequential.h
APPS_NATIVE = apps/native.c apps/native_rma.c apps/native_sync.c apps/native_sync.h

noinst_PROGRAMS += apps/is apps/is_native apps/is_seq
apps_is_SOURCES = apps/is.c apps/is_check.c apps/is_check.h $(APPS_COMMON)
apps_is_LDADD = libhlrc.la
apps_is_native_SOURCES = $(apps_is_SOURCES) $(APPS_NATIVE)
apps_is_native_LDADD =
apps_is_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_is_seq_SOURCES = $(apps_is_SOURCES)
apps_is_seq_LDADD =
apps_is_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL

noinst_PROGRAMS += apps/fft3d apps/fft3d_native apps/fft3d_seq
apps_fft3d_SOURCES = apps/fft3d.c apps/fft3d_check.c apps/fft3d_check.h apps/fft.c apps/fft.h $(APPS_COMMON)
apps_fft3d_LDADD = libhlrc.la -lm
apps_fft3d_native_SOURCES = $(apps_fft3d_SOURCES) $(APPS_NATIVE)
apps_fft3d_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_fft3d_native_LDADD = -lm
apps_fft3d_seq_SOURCES = $(apps_fft3d_SOURCES)
apps_fft3d_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_fft3d_seq_LDADD = -lm

noinst_PROGRAMS += apps/radix apps/radix_native apps/radix_seq
apps_radix_SOURCES = apps/radix.c apps/radix_keys.c apps/radix_keys.h $(APPS_COMMON)
apps_radix_LDADD = libhlrc.la
apps_radix_native_SOURCES = $(apps_radix_SOURCES) $(APPS_NATIVE)
apps_radix_native_LDADD =
apps_radix_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_radix_seq_SOURCES = $(apps_radix_SOURCES)
apps_radix_seq_LDADD =
apps_radix_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL

# The same bits in any function, for any number of nodes: no contraction of a product and a sum. sqrt() without errno.
noinst_PROGRAMS += apps/barnes apps/barnes_native apps/barnes_seq
apps_barnes_SOURCES = apps/barnes.c apps/barnes.h apps/barnes_cell.c apps/barnes_cell.h apps/barnes_check.c \
	apps/barnes_check.h apps/barnes_input.c apps/barnes_input.h apps/barnes_shared.c \
	apps/barnes_shared.h apps/barnes_tree.c apps/barnes_tree.h apps/barnes_zone.c apps/barnes_zone.h $(APPS_COMMON)
apps_barnes_CFLAGS = $(AM_CFLAGS) -ffp-contract=off -fno-math-errno
apps_barnes_LDADD = libhlrc.la -lm
apps_barnes_native_SOURCES = $(apps_barnes_SOURCES) $(APPS_NATIVE)
apps_barnes_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_barnes_native_CFLAGS = $(apps_barnes_CFLAGS)
apps_barnes_native_LDADD = -lm
apps_barnes_seq_SOURCES = $(apps_barnes_SOURCES)
apps_barnes_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_barnes_seq_CFLAGS = $(apps_barnes_CFLAGS)
apps_barnes_seq_LDADD = -lm

# The same bits, as above; and sqrt() without errno is one instruction.
noinst_PROGRAMS += apps/water apps/water_native apps/water_seq
apps_water_SOURCES = apps/water.c apps/water_cells.c apps/water_cells.h apps/water_check.c apps/water_check.h \
	apps/water_forces.c apps/water_forces.h apps/water_layout.c apps/water_layout.h apps/water_model.c \
	apps/water_model.h apps/water_start.c apps/water_start.h apps/water_sums.c apps/water_sums.h $(APPS_COMMON)
apps_water_CFLAGS = $(AM_CFLAGS) -ffp-contract=off -fno-math-errno
apps_water_LDADD = libhlrc.la -lm
apps_water_native_SOURCES = $(apps_water_SOURCES) $(APPS_NATIVE)
apps_water_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_water_native_CFLAGS = $(apps_water_CFLAGS)
apps_water_native_LDADD = -lm
apps_water_seq_SOURCES = $(apps_water_SOURCES)
apps_water_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_water_seq_CFLAGS = $(apps_water_CFLAGS)
apps_water_seq_LDADD = -lm

noinst_PROGRAMS += apps/tsp apps/tsp_native apps/tsp_seq
apps_tsp_SOURCES = apps/tsp.c apps/tsp_cities.c apps/tsp_cities.h $(APPS_COMMON)
apps_tsp_LDADD = libhlrc.la -lm
apps_tsp_native_SOURCES = $(apps_tsp_SOURCES) $(APPS_NATIVE)
apps_tsp_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_tsp_native_LDADD = -lm
apps_tsp_seq_SOURCES = $(apps_tsp_SOURCES)
apps_tsp_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_tsp_seq_LDADD = -lm

noinst_PROGRAMS += apps/qsort apps/qsort_native apps/qsort_seq
apps_qsort_SOURCES = apps/qsort.c apps/radix_keys.c apps/radix_keys.h $(APPS_COMMON)
apps_qsort_LDADD = libhlrc.la
apps_qsort_native_SOURCES = $(apps_qsort_SOURCES) $(APPS_NATIVE)
apps_qsort_native_LDADD =
apps_qsort_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_qsort_seq_SOURCES = $(apps_qsort_SOURCES)
apps_qsort_seq_LDADD =
apps_qsort_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL

# The same bits, as above.
noinst_PROGRAMS += apps/cg apps/cg_native apps/cg_seq
apps_cg_SOURCES = apps/cg.c apps/cg_check.c apps/cg_check.h apps/cg_matrix.c apps/cg_matrix.h $(APPS_COMMON)
apps_cg_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
apps_cg_LDADD = libhlrc.la -lm
apps_cg_native_SOURCES = $(apps_cg_SOURCES) $(APPS_NATIVE)
apps_cg_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_cg_native_CFLAGS = $(apps_cg_CFLAGS)
apps_cg_native_LDADD = -lm
apps_cg_seq_SOURCES = $(apps_cg_SOURCES)
apps_cg_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_cg_seq_CFLAGS = $(apps_cg_CFLAGS)
apps_cg_seq_LDADD = -lm

# The same bits, as above.
noinst_PROGRAMS += apps/sor apps/sor_native apps/sor_seq
apps_sor_SOURCES = apps/sor.c apps/sor_waves.c apps/sor_waves.h $(APPS_COMMON)
apps_sor_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
apps_sor_LDADD = libhlrc.la -lm
apps_sor_native_SOURCES = $(apps_sor_SOURCES) $(APPS_NATIVE)
apps_sor_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_sor_native_CFLAGS = $(apps_sor_CFLAGS)
apps_sor_native_LDADD = -lm
apps_sor_seq_SOURCES = $(apps_sor_SOURCES)
apps_sor_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_sor_seq_CFLAGS = $(apps_sor_CFLAGS)
apps_sor_seq_LDADD = -lm

# The same bits, as above.
noinst_PROGRAMS += apps/gauss apps/gauss_native apps/gauss_seq
apps_gauss_SOURCES = apps/gauss.c $(APPS_COMMON)
apps_gauss_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
apps_gauss_LDADD = libhlrc.la -lm
apps_gauss_native_SOURCES = $(apps_gauss_SOURCES) $(APPS_NATIVE)
apps_gauss_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_gauss_native_CFLAGS = $(apps_gauss_CFLAGS)
apps_gauss_native_LDADD = -lm
apps_gauss_seq_SOURCES = $(apps_gauss_SOURCES)
apps_gauss_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_gauss_seq_CFLAGS = $(apps_gauss_CFLAGS)
apps_gauss_seq_LDADD = -lm

# The same bits, as above.
noinst_PROGRAMS += apps/lu apps/lu_native apps/lu_seq
apps_lu_SOURCES = apps/lu.c apps/lu_block.c apps/lu_block.h apps/lu_check.c apps/lu_check.h $(APPS_COMMON)
apps_lu_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
apps_lu_LDADD = libhlrc.la -lm
apps_lu_native_SOURCES = $(apps_lu_SOURCES) $(APPS_NATIVE)
apps_lu_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_lu_native_CFLAGS = $(apps_lu_CFLAGS)
apps_lu_native_LDADD = -lm
apps_lu_seq_SOURCES = $(apps_lu_SOURCES)
apps_lu_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_lu_seq_CFLAGS = $(apps_lu_CFLAGS)
apps_lu_seq_LDADD = -lm

noinst_PROGRAMS += apps/gups apps/gups_native apps/gups_seq
apps_gups_SOURCES = apps/gups.c apps/gups_check.c apps/gups_check.h apps/gups_stream.c apps/gups_stream.h $(APPS_COMMON)
apps_gups_LDADD = libhlrc.la
apps_gups_native_SOURCES = $(apps_gups_SOURCES) $(APPS_NATIVE)
apps_gups_native_LDADD =
apps_gups_native_CPPFLAGS = $(AM_CPPFLAGS) -DNATIVE
apps_gups_seq_SOURCES = $(apps_gups_SOURCES)
apps_gups_seq_LDADD =
apps_gups_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
