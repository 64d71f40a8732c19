# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs; they link libhlrc_core.la for the table of options.
LAUNCH_OPTIONS = launch/aliases.c launch/aliases.h launch/options.c launch/options.h
# All of hlrcrun's command line; tests/fuzz/commands.c has it, too.
LAUNCH_COMMAND = $(LAUNCH_OPTIONS) launch/command.c launch/command.h launch/hosts.c launch/hosts.h launch/hosts_list.c launch/hosts_list.h launch/program.c launch/program.h \
	launch/restart.c launch/restart.h

bin_PROGRAMS += hlrcrun
hlrcrun_SOURCES = $(LAUNCH_COMMAND) launch/manual.c launch/manual.h \
	launch/bind.c launch/bind.h launch/claim.c launch/claim.h launch/topology.c launch/topology.h \
	launch/debugger.c launch/debugger.h launch/ends.c launch/ends.h launch/exchange.c launch/exchange.h \
	launch/forward.c launch/forward.h launch/guard.c launch/guard.h launch/hlrcrun.c launch/hosts_job.c launch/hosts_job.h \
	launch/hosts_loss.c launch/hosts_loss.h launch/hosts_probe.c launch/hosts_probe.h launch/hosts_resize.c launch/hosts_resize.h launch/hosts_watch.c launch/hosts_watch.h \
	launch/job.c launch/job.h launch/look.c launch/look.h launch/node.c launch/oom.c launch/oom.h launch/output.c launch/output.h \
	launch/partner.c launch/partner.h launch/partner_hosts.c launch/partner_hosts.h \
	launch/process.c launch/process.h launch/progress.c launch/progress.h launch/rerun.c launch/rerun.h \
	launch/resize.c launch/resize.h launch/resize_command.c \
	launch/spawn.c launch/spawn.h
hlrcrun_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
hlrcrun_LDFLAGS = $(INSTALLED_LDFLAGS)
hlrcrun_LDADD = libhlrc_core.la $(HWLOC_LIBS)

# What hlrcrun --gdb tells gdb; a build beside the source has a copy, for hlrcrun to find.
dist_pkgdata_DATA = share/hlrc.gdb
machinesdir = $(pkgdatadir)/machines
dist_machines_DATA = share/machines/infiniband-2004 share/machines/infiniband-ndr share/machines/roce-100 share/machines/shm-here \
	share/machines/soft-roce share/machines/myrinet-gm share/machines/ethernet-100

# Completion in bash, where Debian's bash-completion looks for it by the name of the command.
completionsdir = $(datadir)/bash-completion/completions
dist_completions_DATA = share/bash-completion/hlrcrun
COMPLETED = hlrcc hlrc++ hlrcfort hlrc_info hlrc_sim hlrc_profile hlrc_timeline
install-data-hook: completion-names
completion-names:
	cd '$(DESTDIR)$(completionsdir)' && for name in $(COMPLETED); do rm -f $$name && $(LN_S) hlrcrun $$name || exit 1; done
uninstall-local: completion-names-gone
completion-names-gone:
	cd '$(DESTDIR)$(completionsdir)' && rm -f $(COMPLETED)

all-local: share-beside
share-beside: $(top_srcdir)/share/hlrc.gdb
	@test -e share/hlrc.gdb || { $(MKDIR_P) share && $(LN_S) '$(abs_top_srcdir)/share/hlrc.gdb' share/hlrc.gdb; }
distclean-local: share-gone
share-gone:
	@test ! -L share/hlrc.gdb || rm -f share/hlrc.gdb
.PHONY: share-beside share-gone completion-names completion-names-gone

bin_PROGRAMS += hlrc_info
hlrc_info_SOURCES = $(LAUNCH_OPTIONS) launch/manual.c launch/manual.h launch/hlrc_info.c
hlrc_info_LDFLAGS = $(INSTALLED_LDFLAGS)
hlrc_info_LDADD = libhlrc_core.la

# Their manual pages are their own output, so that the options are those of the table.
nodist_man1_MANS = man/hlrcrun.1 man/hlrc_info.1
CLEANFILES += $(nodist_man1_MANS)
man/hlrcrun.1: hlrcrun$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) man && ./hlrcrun$(EXEEXT) --man >$@.tmp && mv $@.tmp $@
man/hlrc_info.1: hlrc_info$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) man && ./hlrc_info$(EXEEXT) --man >$@.tmp && mv $@.tmp $@

# What the tests of the launcher run: a node without an engine.
check_PROGRAMS += tests/launch/bootprobe tests/launch/dumper tests/launch/faulty tests/launch/little tests/launch/stranger \
	tests/launch/tooled tests/launch/traced
tests_launch_bootprobe_LDADD = libhlrc_core.la
tests_launch_dumper_LDADD =
tests_launch_stranger_LDADD = libhlrc_core.la
