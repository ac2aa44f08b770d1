#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plays the sitting of docs/sitting.md and writes that page anew: a sweep of six lines, a figure for a
# column, a LaTeX table, and the page of a paper that holds both (docs/sitting.png).
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
  fenced "" said
}

cat > mine.yaml << 'YAML'
experiment: mine
algorithm: cqs
mask: causal
sweep: {workers: [7, 13], n_tokens: {from: 1024, to: 8Ki, factor: 2}}
baseline: dense
figures: [speed_up]
YAML

cat > paper.tex << 'TEX'
\documentclass[10pt,twocolumn]{article}
\usepackage[letterpaper,margin=0.625in,columnsep=0.25in]{geometry}
\usepackage{booktabs,graphicx}
\title{Two ways to split attention}\author{}\date{}
\begin{document}
\maketitle
\section{Results}
Figure~1 and Table~1 come from one run of QuorumBench, as its two commands wrote them.
\begin{figure}[t]
  \includegraphics{paper/speed_up.pdf}
  \input{paper/speed_up.tex}
\end{figure}
\input{table.tex}
\end{document}
TEX

printf '# One sitting: from six lines of YAML to the page of a paper\n' > "$page"
say '' '`docs/sitting.sh` played it and wrote this page. `mine.yaml` asks what CQS-Attention over 7 and 13 workers gains on' \
  'causal attention:'
fenced yaml mine.yaml
say '' 'What would run, and is it right?'
run run mine.yaml --dry-run
say '' 'Every case is verified, then timed:'
run run mine.yaml
say '' 'The figure for a column of 3.5 in, with its caption in a file of its own, and the table:'
run plot results/mine/latest --figure speed_up --panels 2 --width 3.5in --out paper
run table results/mine/latest --cols workers --value speed_up --interval
run table results/mine/latest --cols workers --value speed_up --interval --format latex
"$qb" table results/mine/latest --cols workers --value speed_up --interval --format latex > table.tex
say '' 'A paper of two columns that includes them as they are:'
fenced latex paper.tex
for pass in 1 2; do # the second knows the labels
  pdflatex -interaction=nonstopmode -halt-on-error paper.tex > tex.log || { cat tex.log >&2; exit 1; }
done
grep -E '^(Overfull|Underfull|LaTeX Warning)' tex.log > warnings || true
pdftoppm -r 110 -singlefile -png paper.pdf page
install -m 644 page.png "$root/docs/sitting.png"
say '' "pdflatex has $(wc -l < warnings) warnings. The page:" '' \
  '![A page of two columns: a figure with its caption at the top of the left one, a booktabs table below](sitting.png)'
cat warnings
