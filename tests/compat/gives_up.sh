#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The program of pthread.sh that waits longest: threads that give a wait up.
exec bash "$(dirname "$0")/pthread.sh" gives_up
