# SPDX-License-Identifier: LGPL-2.1-or-later
# What documents tell a reader to type, for tests that do it; sourced.

# text_block FILE HEADING N: the Nth indented block below that heading, without the indentation
text_block() {
    awk -v heading="$2" -v wanted="$3" '
        $0 == heading { inside = 1; next }
        /^## / { inside = 0 }
        !inside { next }
        /^    / { if (!code) block++; code = 1; if (block == wanted) print substr($0, 5); next }
        /^$/ { if (code && block == wanted) print; next }
        { code = 0 }' "$1"
}

# text_sources DIR: a copy of the sources as a checkout has them, in that folder
text_sources() {
    local list=(git ls-files -z --cached --others --exclude-standard)
    mkdir -p "$1"
    if (cd "$top_srcdir" && "${list[@]}") >/dev/null 2>&1; then
        (cd "$top_srcdir" && "${list[@]}" | tar c --null --ignore-failed-read --files-from=- 2>/dev/null) | tar x -C "$1"
    else # a release archive; without what a build left in it
        (cd "$top_srcdir" && tar c --exclude=./.git --exclude='./build*' --exclude=.libs --exclude='*.l[ao]' \
            --exclude='*.o' --exclude=./config.status --exclude=./Makefile .) | tar x -C "$1"
    fi
}
