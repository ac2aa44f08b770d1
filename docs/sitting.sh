#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of docs/sitting.md and writes that page anew: a sweep of six lines over five
# schemes, a figure and two LaTeX tables for a column, and the page of a paper that holds them
# (docs/sitting.png).
#
#   docs/sitting.sh [QB]     QB: the program; ./qb if left out
#
# Needs pdflatex with booktabs (texlive-latex-recommended) and pdftoppm (poppler-utils).
# Exit codes: 0 done; 3 a tool is missing; else that of the command that failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
qb=$(realpath "${1:-$root/qb}")
for tool in pdflatex pdftoppm; do
  command -v $tool > /dev/null || { echo "sitting.sh: $tool is missing" >&2; exit 3; }
done
desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
cd "$desk"
page=$root/docs/sitting.md

say() { printf '%s\n' "$@" >> "$page"; }
fenced() { # LANGUAGE FILE
  printf '\n```%s\n%s\n```\n' "$1" "$(cat "$2")" >> "$page"
}
run() { # runs `qb WORDS` and writes what the user sees
  { printf '$ ./qb %s\n' "$*"; "$qb" "$@" 2>&1; } > said
  sed -i 's/[[:space:]]*$//' said
  fenced text said
}

cat > mine.yaml << 'YAML'
experiment: mine
mask: causal
n_tokens: 8Ki
sweep: {algorithm: [cqs, ring, striped, zigzag, all_gather_kv], workers: [2, 4, 8]}
baseline: dense    # one worker, the base of the speed-ups
figures: [scheme_comparison]
YAML

cat > paper.tex << 'TEX'
\documentclass[10pt,twocolumn]{article}
\usepackage[letterpaper,margin=0.625in,columnsep=0.25in]{geometry}
\usepackage{booktabs,graphicx}
\title{Five ways to split attention}\author{}\date{}
\begin{document}
\maketitle
\section{Results}
Figure~\ref{fig:scheme_comparison} and Tables~\ref{tab:speed_up} and~\ref{tab:time} come from one run of
QuorumBench, as its commands wrote them.
\begin{figure}[!t]
  \includegraphics{paper/scheme_comparison.pdf}
  \input{paper/scheme_comparison.tex}
\end{figure}
\input{speed_up.tex}
\input{schemes.tex}
\end{document}
TEX

speed_up=(table results/mine/latest --rows workers --cols algorithm --value speed_up
  --filter "algorithm!=dense" --interval)
schemes=(table results/mine/latest --rows algorithm --value time,device_peak,device_sent
  --filter workers=8)
latex=(--format latex --width 3.5in)

printf '# One sitting: from six lines of YAML to the page of a paper\n' > "$page"
say '' '`docs/sitting.sh` ran it and wrote this page. `mine.yaml` asks what five schemes over 2, 4 and 8 workers gain on' \
  'causal attention, and what they hold and send:'
fenced yaml mine.yaml
say '' 'What would run, and is it right?'
run run mine.yaml --dry-run
say '' 'Every case is verified, then timed:'
run run mine.yaml
say '' 'The figure for a column of 3.5 in, with its caption in a file of its own:'
run plot results/mine/latest --figure scheme_comparison --width 3.5in --title none --out paper
say '' 'The tables, to read and for the paper. `--width` makes the LaTeX fit the column: here letters are smaller, and' \
  'intervals and units have lines of their own. A dash is an unsupported case, and a note says why.'
run "${speed_up[@]}"
run "${speed_up[@]}" "${latex[@]}"
"$qb" "${speed_up[@]}" "${latex[@]}" > speed_up.tex
say '' 'Several values at once, under names as one types them:'
run "${schemes[@]}"
"$qb" "${schemes[@]}" "${latex[@]}" > schemes.tex
say '' 'A paper of two columns that includes them as they are:'
fenced latex paper.tex
for pass in 1 2; do # the second knows the labels
  pdflatex -interaction=nonstopmode -halt-on-error paper.tex > tex.log || { cat tex.log >&2; exit 1; }
done
grep -E '^(Overfull|Underfull|LaTeX Warning)' tex.log > warnings || true
pdftoppm -r 110 -singlefile -png paper.pdf page
install -m 644 page.png "$root/docs/sitting.png"
say '' "pdflatex has $(wc -l < warnings) warnings. The page:" '' \
  '![A page of two columns: a figure of four panels at the top of the left one, two booktabs tables below](sitting.png)'
cat warnings
