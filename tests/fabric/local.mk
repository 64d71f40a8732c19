# SPDX-License-Identifier: LGPL-2.1-or-later
# What every fabric must do.
check_PROGRAMS += tests/fabric/conformance
tests_fabric_conformance_SOURCES = tests/fabric/conformance.c tests/fabric/conformance.h \
	tests/fabric/conformance_data.c tests/fabric/conformance_flight.c tests/fabric/conformance_queue.c \
	tests/fabric/conformance_queue.h tests/fabric/conformance_sleep.c
tests_fabric_conformance_LDADD = tests/libtests.a libhlrc_core.la
TESTS += tests/fabric/conformance

# What the hook of fabric/chaos/chaos.h does and keeps.
check_PROGRAMS += tests/fabric/hook
tests_fabric_hook_SOURCES = tests/fabric/hook.c tests/fabric/hook.h tests/fabric/hook_rounds.c \
	tests/fabric/recorder.c tests/fabric/recorder.h
tests_fabric_hook_LDADD = tests/libtests.a libhlrc_core.la
TESTS += tests/fabric/hook

# Strangers at the ports of a job over libfabric, and the death of nodes.
if OFI
check_PROGRAMS += tests/fabric/ofi_wire
tests_fabric_ofi_wire_SOURCES = tests/fabric/ofi_wire.c tests/fabric/ofi_wire.h tests/fabric/ofi_stranger.c
tests_fabric_ofi_wire_LDADD = tests/libtests.a libhlrc_core.la -lfabric
TESTS += tests/fabric/ofi_wire
endif
