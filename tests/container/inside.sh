#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What container.sh runs in new namespaces, as root of them: makes the rest of a container, then executes the command as
# nobody. Arguments: folder for this test, filter.py, profile, command...
set -e
work=$1 filter=$2 profile=$3
shift 3
mount --make-rprivate /
mount -t tmpfs -o size=64m tmpfs /dev/shm
mount -o remount,ro,bind /
mount -t tmpfs -o mode=1777 tmpfs "$work/tmp"
cd "$work/tmp"
exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
    prlimit --memlock=8388608 /usr/bin/python3 "$filter" "$profile" "$@"
