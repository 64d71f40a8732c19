# SPDX-License-Identifier: LGPL-2.1-or-later
# The applications link the library as a program of a user does. The same objects are also linked without HLRC: *_native,
# processes that share memory, and *_seq, the baseline, one process; only gups_seq is compiled anew, as an update of it is one
# store instead of a call.
noinst_LIBRARIES = apps/libnative.a apps/libsequential.a
apps_libnative_a_SOURCES = apps/native.c apps/native.h apps/native_rma.c apps/native_sync.c
apps_libsequential_a_SOURCES = $(apps_libnative_a_SOURCES)
apps_libsequential_a_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_hlrc = libhlrc.la -lm
apps_native = apps/libnative.a -lm
apps_seq = apps/libsequential.a -lm
apps_common = apps/common.c apps/common.h
noinst_PROGRAMS += apps/is apps/is_native apps/is_seq apps/fft3d apps/fft3d_native apps/fft3d_seq apps/radix \
	apps/radix_native apps/radix_seq apps/barnes apps/barnes_native apps/barnes_seq apps/water apps/water_native \
	apps/water_seq apps/tsp apps/tsp_native apps/tsp_seq apps/qsort apps/qsort_native apps/qsort_seq apps/cg \
	apps/cg_native apps/cg_seq apps/sor apps/sor_native apps/sor_seq apps/gauss apps/gauss_native apps/gauss_seq \
	apps/lu apps/lu_native apps/lu_seq apps/gups apps/gups_native apps/gups_seq

apps_is_SOURCES = apps/is.c apps/is_check.c apps/is_check.h $(apps_common)
apps_is_LDADD = $(apps_hlrc)
apps_is_native_SOURCES = $(apps_is_SOURCES)
apps_is_native_LDADD = $(apps_native)
apps_is_seq_SOURCES = $(apps_is_SOURCES)
apps_is_seq_LDADD = $(apps_seq)

apps_fft3d_SOURCES = apps/fft3d.c apps/fft3d_check.c apps/fft3d_check.h apps/fft.c apps/fft.h $(apps_common)
apps_fft3d_LDADD = $(apps_hlrc)
apps_fft3d_native_SOURCES = $(apps_fft3d_SOURCES)
apps_fft3d_native_LDADD = $(apps_native)
apps_fft3d_seq_SOURCES = $(apps_fft3d_SOURCES)
apps_fft3d_seq_LDADD = $(apps_seq)

apps_radix_SOURCES = apps/radix.c apps/radix_keys.c apps/radix_keys.h $(apps_common)
apps_radix_LDADD = $(apps_hlrc)
apps_radix_native_SOURCES = $(apps_radix_SOURCES)
apps_radix_native_LDADD = $(apps_native)
apps_radix_seq_SOURCES = $(apps_radix_SOURCES)
apps_radix_seq_LDADD = $(apps_seq)

apps_barnes_SOURCES = apps/barnes.c apps/barnes.h apps/barnes_cell.c apps/barnes_cell.h apps/barnes_check.c \
	apps/barnes_check.h apps/barnes_input.c apps/barnes_input.h apps/barnes_shared.c apps/barnes_shared.h \
	apps/barnes_tree.c apps/barnes_tree.h apps/barnes_zone.c apps/barnes_zone.h $(apps_common)
apps_barnes_LDADD = $(apps_hlrc)
apps_barnes_native_SOURCES = $(apps_barnes_SOURCES)
apps_barnes_native_LDADD = $(apps_native)
apps_barnes_seq_SOURCES = $(apps_barnes_SOURCES)
apps_barnes_seq_LDADD = $(apps_seq)

apps_water_SOURCES = apps/water.c apps/water_cells.c apps/water_cells.h apps/water_check.c apps/water_check.h \
	apps/water_forces.c apps/water_forces.h apps/water_model.c apps/water_model.h apps/water_start.c apps/water_start.h \
	$(apps_common)
apps_water_LDADD = $(apps_hlrc)
apps_water_native_SOURCES = $(apps_water_SOURCES)
apps_water_native_LDADD = $(apps_native)
apps_water_seq_SOURCES = $(apps_water_SOURCES)
apps_water_seq_LDADD = $(apps_seq)

apps_tsp_SOURCES = apps/tsp.c $(apps_common)
apps_tsp_LDADD = $(apps_hlrc)
apps_tsp_native_SOURCES = $(apps_tsp_SOURCES)
apps_tsp_native_LDADD = $(apps_native)
apps_tsp_seq_SOURCES = $(apps_tsp_SOURCES)
apps_tsp_seq_LDADD = $(apps_seq)

apps_qsort_SOURCES = apps/qsort.c apps/radix_keys.c apps/radix_keys.h $(apps_common)
apps_qsort_LDADD = $(apps_hlrc)
apps_qsort_native_SOURCES = $(apps_qsort_SOURCES)
apps_qsort_native_LDADD = $(apps_native)
apps_qsort_seq_SOURCES = $(apps_qsort_SOURCES)
apps_qsort_seq_LDADD = $(apps_seq)

apps_cg_SOURCES = apps/cg.c apps/cg_matrix.c apps/cg_matrix.h $(apps_common)
apps_cg_LDADD = $(apps_hlrc)
apps_cg_native_SOURCES = $(apps_cg_SOURCES)
apps_cg_native_LDADD = $(apps_native)
apps_cg_seq_SOURCES = $(apps_cg_SOURCES)
apps_cg_seq_LDADD = $(apps_seq)

apps_sor_SOURCES = apps/sor.c $(apps_common)
apps_sor_LDADD = $(apps_hlrc)
apps_sor_native_SOURCES = $(apps_sor_SOURCES)
apps_sor_native_LDADD = $(apps_native)
apps_sor_seq_SOURCES = $(apps_sor_SOURCES)
apps_sor_seq_LDADD = $(apps_seq)

apps_gauss_SOURCES = apps/gauss.c apps/equations.c apps/equations.h $(apps_common)
apps_gauss_LDADD = $(apps_hlrc)
apps_gauss_native_SOURCES = $(apps_gauss_SOURCES)
apps_gauss_native_LDADD = $(apps_native)
apps_gauss_seq_SOURCES = $(apps_gauss_SOURCES)
apps_gauss_seq_LDADD = $(apps_seq)

apps_lu_SOURCES = apps/lu.c apps/equations.c apps/equations.h $(apps_common)
apps_lu_LDADD = $(apps_hlrc)
apps_lu_native_SOURCES = $(apps_lu_SOURCES)
apps_lu_native_LDADD = $(apps_native)
apps_lu_seq_SOURCES = $(apps_lu_SOURCES)
apps_lu_seq_LDADD = $(apps_seq)

apps_gups_SOURCES = apps/gups.c $(apps_common)
apps_gups_LDADD = $(apps_hlrc)
apps_gups_native_SOURCES = $(apps_gups_SOURCES)
apps_gups_native_LDADD = $(apps_native)
apps_gups_seq_SOURCES = $(apps_gups_SOURCES)
apps_gups_seq_CPPFLAGS = $(apps_libsequential_a_CPPFLAGS)
apps_gups_seq_LDADD = $(apps_seq)

# The same bits in any function, for any number of nodes: no contraction of a product and a sum. sqrt() without errno is one
# instruction.
apps_exact = $(apps_barnes_OBJECTS) $(apps_cg_OBJECTS) $(apps_gauss_OBJECTS) $(apps_lu_OBJECTS) $(apps_sor_OBJECTS) \
	$(apps_water_OBJECTS)
$(apps_exact): AM_CFLAGS += -ffp-contract=off -fno-math-errno
$(apps_exact) $(apps_fft3d_OBJECTS) $(apps_gups_OBJECTS) $(apps_gups_seq_OBJECTS) $(apps_is_OBJECTS) $(apps_qsort_OBJECTS) \
$(apps_radix_OBJECTS) $(apps_tsp_OBJECTS): AM_CFLAGS += $(APPS_CFLAGS)
