#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws every committed figure and table again from the run behind it, and records how the published
# rows stand (data/papers/coverage.csv).
#
#   paper_figures/redraw.sh [QB]            all of them, in their places
#   paper_figures/redraw.sh --check [QB]    none: compares their numbers and declarations with
#                                           what the program writes now, and needs no matplotlib
#   QB is the program (build/release/harness/cli/qb).
#
# Exit codes: 0 done, or all are the same; 1 some differ; otherwise that of qb.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

check=
if [ "${1:-}" = --check ]; then check=yes; shift; fi
qb=$(readlink -f -- "${1:-build/release/harness/cli/qb}")
runs=data/measured
out=$PWD
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

# Prints the folder of a committed run; one machine has it.
run_of() {
  local found=("$runs"/*/"$1")
  echo "${found[0]}"
}

# plot RUN FOLDER [--beside RUN]: the figures whose pictures FOLDER has, beside what is published of
# the same problem, where something is.
plot() {
  local run=$1 folder=$2 picture words=()
  shift 2
  case $folder in
    */bert_layer/* | */case_study_2* | */gpu_* | */pass_kv_or_q/* | */striped_*)
      words+=(--published)
      ;;
  esac
  for picture in "$folder"/*.svg; do words+=(--figure "$(basename "$picture" .svg)"); done
  "$qb" plot "$run" "${words[@]}" "$@" --format svg --style web --out "$out/$folder" >/dev/null
}

draw_all() {
  local folder name
  mkdir -p "$out/data/papers" "$out/paper_figures"
  "$qb" papers --record "$out/data/papers/coverage.csv"
  for folder in paper_figures/*/figures; do
    name=$(basename "$(dirname "$folder")")
    case $name in
      cpu_attention*) # PyTorch at the same cases
        plot "$(run_of "$name")" "$folder" --beside "$(run_of "torch_sdpa${name#cpu_attention}")"
        ;;
      disturbance)
        plot "$(run_of disturbance_quiet)" "$folder" \
          --beside "$(run_of disturbance_with_neighbours)"
        ;;
      landscape) # of the operators those that six lines or so tell apart
        plot "$(run_of landscape)" "$folder" \
          "--filter=mixer_operator!="{linear,linformer,performer,perceiver,selective_scan} \
          --filter inputs=random
        ;;
      short_sequences) # its spec declares its figure
        "$qb" plot "$(run_of "$name")" --format svg --style web --out "$out/$folder" >/dev/null
        ;;
      landscape_pareto) plot "$(run_of landscape)" "$folder" ;;
      papers) # of all papers, by `qb reproduce all`
        "$qb" reproduce all --from "$runs" --out "$out/paper_figures/papers" >/dev/null
        ;;
      *_model) plot "paper_figures/$name" "$folder" ;;
      *) plot "$(run_of "$name")" "$folder" ;;
    esac
  done
  "$qb" sets figures --out "$out/paper_figures/interest_sets" >/dev/null
  # Its pictures are for paper; these are for a page, with the values of their marks.
  "${QB_PYTHON:-/usr/bin/python3}" plots/draw/qbdraw "$out"/paper_figures/interest_sets/*.json \
    --format svg --style web >/dev/null
  "$qb" select "$(run_of pass_kv_or_q)" --csv >"$out/paper_figures/pass_kv_or_q/selectors.csv" 2>/dev/null
  # The pictures of the index are those that are committed where none is drawn.
  [ "$out" = "$PWD" ] || find paper_figures \( -name '*.svg' -o -name order.txt \) -exec cp --parents {} "$out" \;
  "$qb" report --index "$out/paper_figures" >/dev/null
}

# Shows the figures in paper_figures/README.md, in the order of order.txt: what each says and what its
# marks mean, and the command of its folder in the table below them with what its cases share.
show_all() {
  python3 - "$1" "$out" <<'PYTHON'
import json
import pathlib
import re
import sys

committed, out = (pathlib.Path(folder) / "paper_figures" for folder in sys.argv[1:])
page = (committed / "README.md").read_text(encoding="utf-8")
head, rest = page.split("## The figures\n")
tail = rest[rest.index("## The folders\n"):]
commands = dict(re.findall(r"^\| `(\w+)/` \| (.+?) \| ", tail, re.MULTILINE))
shown = {}
for folder in commands:  # figures that order.txt does not name come by folder
    for path in sorted((out / folder).rglob("*.json")):
        if (picture := path.with_suffix(".svg")).exists():
            said = json.loads(path.read_text(encoding="utf-8"))
            shown[f"{folder}/{path.stem}"] = said, picture.relative_to(out)
lines = (committed / "order.txt").read_text(encoding="utf-8").splitlines()
order = [line for line in lines if not line.startswith("# ")]  # without the topics
if gone := [name for name in order if name not in shown]:
    sys.exit(f"redraw.sh: paper_figures/order.txt names what is not drawn: {', '.join(gone)}")
text = [head.rstrip("\n"), "", "## The figures", ""]
for name in [*order, *(name for name in shown if name not in order)]:
    said, picture = shown[name]
    text += [f"### {said['title']}", "", f"![{said['title']}]({picture})", ""]
    text += [said.get("finding", ""), "", " ".join(said.get("notes", [])), ""]
    text += [": ".join(filter(None, [commands[name.split("/")[0]], said.get("provenance")])), ""]
(out / "README.md").write_text("\n".join([*text, tail]), encoding="utf-8")
PYTHON
}

if [ -z "$check" ]; then
  draw_all
  show_all "$PWD"
  find paper_figures \( -name '*.pdf' -o -name '*.png' -o -name '*.py' \) -delete # see README.md
  if grep -rl -- "$PWD/" paper_figures; then
    echo 'redraw.sh: these name a folder of this machine' >&2
    exit 1
  fi
  exit
fi
committed=$PWD
out=$scratch
mkdir "$out/bin"
# Stands in for Python: the pictures are not compared.
cat >"$out/bin/python" <<'TEXT'
#!/bin/sh
for file; do
  case $file in *.json) for kind in svg pdf png; do echo '<svg></svg>' >"${file%json}$kind"; done ;; esac
done
TEXT
chmod +x "$out/bin/python"
export QB_PYTHON=$out/bin/python
draw_all 2>"$out/said" || {
  code=$?
  cat "$out/said" >&2
  exit "$code"
}
show_all "$committed"
cd "$out"
differ=0
while IFS= read -r file; do
  diff -U0 "$committed/$file" "$file" || differ=1
done < <(find paper_figures data \( -name '*.csv' -o -name '*.json' -o -name '*.md' -o -name '*.tex' \
  -o -name index.html \) ! -name provenance.json)
if [ "$differ" = 1 ]; then
  echo 'redraw.sh: these differ from what is committed; paper_figures/redraw.sh draws them again' >&2
  exit 1
fi
echo "redraw.sh: the figures and tables are those that are committed"
