#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build_state.sh SOURCE OUTPUT: writes the state of the sources in git to OUTPUT as three initializers of C++:
# the commit, or "" where SOURCE is no git checkout; whether a source differs from it; and when README's
# two commands were last tried on a fresh system (docs/tried.csv), or "" if no source changed since.
# OUTPUT is written again only when that changes, so that a build without changes has nothing to do.
#
# What no run depends on does not count: a changed figure, spec or page of text does not make another
# binary. All else counts, and so does a new file whose name is that of a source.
set -eu
cd "$1"
commit=$(git rev-parse HEAD 2>/dev/null || true)
modified=false tried=''
# sources GIT WORDS…: runs git for what binaries are made of.
sources() {
  git --no-optional-locks "$@" -- . ':(exclude)data/measured' ':(exclude)data/papers' ':(exclude)data/faults' \
    ':(exclude)docs' ':(exclude)paper_figures' ':(exclude)*.md' ':(exclude)*.yaml'
}
if [ -n "$commit" ]; then
  changes=$(sources status --porcelain --untracked-files=no)
  new=$(git ls-files --others --exclude-standard -- '*.h' '*.cpp' '*.cu' '*.cuh' '*.cmake' CMakeLists.txt)
  [ -z "$changes$new" ] || modified=true
  last=$(tail -n 1 docs/tried.csv 2>/dev/null | cut -d, -f1,2)
  if [ -n "$last" ] && changes=$(sources diff --name-only "${last#*,}" 2>/dev/null); then
    [ -z "$changes$new" ] || tried="${last%,*} at ${last#*,}"
  fi
fi
state="\"$commit\", $modified, \"$tried\""
[ "$state" = "$(cat "$2" 2>/dev/null)" ] || echo "$state" >"$2"
