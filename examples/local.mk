# SPDX-License-Identifier: LGPL-2.1-or-later
# Built as a program of a user is. examples.sh runs them all.
EXAMPLES = examples/01-hello examples/02-counter examples/03-homes examples/04-mailbox examples/05-shares examples/06-rod \
	examples/07-flag examples/08-file
noinst_PROGRAMS += $(EXAMPLES)
EXTRA_DIST += examples/README.md
# In other languages; examples.sh compiles those that are compiled.
EXTRA_DIST += examples/09-primes.cc examples/10-primes.f90 examples/11-primes.py
examples_01_hello_LDADD = libhlrc.la
examples_02_counter_LDADD = libhlrc.la
examples_03_homes_LDADD = libhlrc.la
examples_04_mailbox_LDADD = libhlrc.la
examples_05_shares_LDADD = libhlrc.la
examples_06_rod_LDADD = libhlrc.la
examples_07_flag_LDADD = libhlrc.la
examples_08_file_LDADD = libhlrc.la

# Programs that know nothing of HLRC: examples.sh compiles them, as their heads say.
EXTRA_DIST += examples/your-program/heat-openmp.c examples/your-program/letters-openmp.c examples/your-program/primes-openmp.c \
	examples/your-program/collatz-pthread.c examples/your-program/pi-parmacs.C examples/your-program/queens-treadmarks.c examples/your-program/field-armci.c
