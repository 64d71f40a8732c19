# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that hlrcrun, or node 0, runs at the end of a job: drawing and joining stay outside the library.
TIMELINE_TOOL = tools/timeline_join.c tools/timeline_join.h tools/timeline_json.c tools/timeline_json.h \
	tools/timeline_read.c tools/timeline_read.h
bin_PROGRAMS += hlrc_timeline
hlrc_timeline_SOURCES = tools/hlrc_timeline.c tools/usage.h $(TIMELINE_TOOL)
hlrc_timeline_LDFLAGS = $(INSTALLED_LDFLAGS)
hlrc_timeline_LDADD = libhlrc_core.la

bin_PROGRAMS += hlrc_profile
hlrc_profile_SOURCES = tools/hlrc_profile.c tools/json_read.c tools/json_read.h tools/profile_data.c tools/profile_data.h \
	tools/profile_advise.c tools/profile_draw.c tools/profile_open.c tools/profile_open.h tools/profile_page.c \
	tools/profile_text.c tools/usage.h
hlrc_profile_LDFLAGS = $(INSTALLED_LDFLAGS)
hlrc_profile_LDADD = libhlrc_core.la

dist_man_MANS = tools/hlrc_profile.1 tools/hlrc_timeline.1
