# Draws selector_regret.svg, selector_regret.pdf and selector_regret.png from selector_regret.csv: gnuplot selector_regret.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'selector_regret.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,457 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'selector_regret' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,4.760in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,914 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'selector_regret.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Regret of rules that select a scheme' at screen 0.01875, screen 0.94748 left font ',16'
  set label 102 'W = 4, B = 1, H = 16, G = 1, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 4 on 2 cores; 3 to 5 repeats; AMD EPYC,' at screen 0.01875, screen 0.89934 left font ',11' textcolor rgb '#444444'
  set label 103 'family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.86433 left font ',11' textcolor rgb '#444444'
  set label 104 'Regret: the median wall clock of the scheme that a rule chooses over the least, minus one; a mark is one of 24 sets of cases that are equal but' at screen 0.01875, screen 0.21225 left font ',11' textcolor rgb '#444444'
  set label 105 'for the scheme, a line the range.' at screen 0.01875, screen 0.17724 left font ',11' textcolor rgb '#444444'
  set label 106 'Rules: always the scheme that is named; the least modelled time; the fewest pairs on the critical path; the fewest bytes that a worker sends;' at screen 0.01875, screen 0.14223 left font ',11' textcolor rgb '#444444'
  set label 107 'pass_kv iff the miss rate is 2 kv_heads / q_heads or more, which is the half of Algorithm 1 of Context Parallelism that needs no bandwidth. qb' at screen 0.01875, screen 0.10722 left font ',11' textcolor rgb '#444444'
  set label 108 'select scores those that need one.' at screen 0.01875, screen 0.07221 left font ',11' textcolor rgb '#444444'
  set label 109 'Mean regret: by bytes sent 1.6 %, by miss rate 3.6 %, by pairs 10.8 %, pass_q 12.4 %, pass_kv 19.2 %.' at screen 0.01875, screen 0.03720 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.14458
  set rmargin at screen 0.80979
  set tmargin at screen 0.80306
  set bmargin at screen 0.38731
  unset logscale x
  set xrange [-12.230017455929937:256.8303665745287]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200)
  set xlabel 'regret (%)'
  unset logscale y
  set yrange [4.75:-0.75]
  set ytics nomirror out ('by bytes sent' 0, 'by miss rate' 1, 'by pairs' 2, 'pass_q' 3, 'pass_kv' 4)
  set ylabel ''
  plot data every ::0::23 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#6e6e6e' notitle, \
       data every ::24::47 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#6e6e6e' notitle, \
       data every ::48::71 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#6e6e6e' notitle, \
       data every ::72::95 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::96::119 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::120::121 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::122::123 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::124::125 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::126::127 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#979d5c' notitle, \
       data every ::128::129 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#36d2b4' notitle, \
       data every ::130::134 using (num('regret_percent')):(num('selector_index')) with points pt 13 ps 0.9 lc rgb '#000000' notitle, \
       data every ::135::136 using (num('regret_percent')):(num('selector_index')) with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.83792, screen 0.80306 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 13 ps 0.9 lc rgb '#000000' title 'median', \
       NaN with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' title 'no regret', \
       NaN with points pt 7 ps 0.9 lc rgb '#6e6e6e' title 'a set of cases'
  unset multiplot
}
unset output
