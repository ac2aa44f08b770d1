# Draws work_per_round.svg, work_per_round.pdf and work_per_round.png from work_per_round.csv: gnuplot work_per_round.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'work_per_round.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,971 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'work_per_round' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,10.115in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1942 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'work_per_round.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Query-key pairs in each round' at screen 0.01875, screen 0.97528 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, flash kernel, cpu, serial ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.95263 left font ',11' textcolor rgb '#444444'
  set label 103 '4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.93615 left font ',11' textcolor rgb '#444444'
  set label 104 'Of each round the busiest worker and, thin and hollow, the least busy one, from the plans; a round ends when its busiest worker has ended.' at screen 0.01875, screen 0.16581 left font ',11' textcolor rgb '#444444'
  set label 105 'N = 8,192, W = 8, causal longformer mask: sum over rounds of the busiest (critical path), pairs a head: all_gather_kv 328 k in 2 rounds (0.427 of' at screen 0.01875, screen 0.14933 left font ',11' textcolor rgb '#444444'
  set label 106 'ring), zigzag 735 k in 8 rounds (0.958 of ring), striped 321 k in 8 rounds (0.419 of ring), ring 768 k in 8 rounds, ulysses 321 k in 3 rounds' at screen 0.01875, screen 0.13285 left font ',11' textcolor rgb '#444444'
  set label 107 '(0.418 of ring).' at screen 0.01875, screen 0.11637 left font ',11' textcolor rgb '#444444'
  set label 108 'N = 8,192, W = 8, bigbird mask: sum over rounds of the busiest (critical path), pairs a head: zigzag 1 M in 8 rounds (0.980 of ring), ring 1.02 M' at screen 0.01875, screen 0.09990 left font ',11' textcolor rgb '#444444'
  set label 109 'in 8 rounds, all_gather_kv 991 k in 2 rounds (0.968 of ring), striped 576 k in 8 rounds (0.563 of ring), ulysses 576 k in 3 rounds (0.562 of' at screen 0.01875, screen 0.08342 left font ',11' textcolor rgb '#444444'
  set label 110 'ring).' at screen 0.01875, screen 0.06694 left font ',11' textcolor rgb '#444444'
  set label 111 'N = 8,192, W = 8, sliding_window mask: sum over rounds of the busiest (critical path), pairs a head: all_gather_kv 262 k in 2 rounds (0.941 of' at screen 0.01875, screen 0.05046 left font ',11' textcolor rgb '#444444'
  set label 112 'zigzag), zigzag 279 k in 8 rounds, striped 260 k in 8 rounds (0.934 of zigzag), ring 262 k in 8 rounds (0.941 of zigzag), ulysses 260 k in 3' at screen 0.01875, screen 0.03399 left font ',11' textcolor rgb '#444444'
  set label 113 'rounds (0.934 of zigzag).' at screen 0.01875, screen 0.01751 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09833
  set rmargin at screen 0.40406
  set tmargin at screen 0.88671
  set bmargin at screen 0.61895
  unset logscale x
  set xrange [-0.35000000000000003:7.35]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set xlabel 'round'
  unset logscale y
  set yrange [0:347340.80000000005]
  set ytics nomirror out ('0' 0, '100,000' 1e+05, '200,000' 2e+05, '300,000' 3e+05)
  set ylabel 'unmasked pairs a head'
  set label 1 'N = 8,192, W = 8, causal longformer mask' at screen 0.09833, screen 0.90319 left font ',13'
  plot data every ::0::1 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::2::9 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 10 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::10::17 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 4 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::18::25 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 8 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::26::28 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 14 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::29::30 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::31::38 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::39::46 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::47::54 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::55::57 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.51177
  set rmargin at screen 0.81750
  set tmargin at screen 0.88671
  set bmargin at screen 0.61895
  unset logscale x
  set xrange [-0.35000000000000003:7.35]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set xlabel 'round'
  unset logscale y
  set yrange [0:1050638.08]
  set ytics nomirror out ('0' 0, '250,000' 250000, '500,000' 5e+05, '750,000' 750000, '1 M' 1e+06)
  set ylabel 'unmasked pairs a head'
  set label 1 'N = 8,192, W = 8, bigbird mask' at screen 0.51177, screen 0.90319 left font ',13'
  plot data every ::58::65 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 10 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::66::73 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 8 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::74::75 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::76::83 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 4 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::84::86 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 14 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::87::94 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::95::102 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::103::104 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::105::112 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::113::115 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09833
  set rmargin at screen 0.40406
  set tmargin at screen 0.51596
  set bmargin at screen 0.24820
  unset logscale x
  set xrange [-0.35000000000000003:7.35]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set xlabel 'round'
  unset logscale y
  set yrange [0:277872.64]
  set ytics nomirror out ('0' 0, '100,000' 1e+05, '200,000' 2e+05)
  set ylabel 'unmasked pairs a head'
  set label 1 'N = 8,192, W = 8, sliding_window mask' at screen 0.09833, screen 0.53244 left font ',13'
  plot data every ::116::117 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::118::125 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 10 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::126::133 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 4 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::134::141 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 8 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::142::144 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 14 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::145::146 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::147::154 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::155::162 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::163::170 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::171::173 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle
  unset label
  unset key

  # legend
  unset logscale
  unset border
  unset xtics
  unset ytics
  unset xlabel
  unset ylabel
  unset grid
  set tmargin at screen 1
  set bmargin at screen 0
  set xrange [0:1]
  set yrange [0:1]
  set key at screen 0.84562, screen 0.88671 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' title 'all_gather_kv', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' title 'striped', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' title 'ring', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' title 'ulysses'
  unset multiplot
}
unset output
