# Draws selector_regret.svg, selector_regret.pdf and selector_regret.png from selector_regret.csv: gnuplot selector_regret.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'selector_regret.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,717 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'selector_regret' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,7.469in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1434 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'selector_regret.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Regret of rules that select a scheme' at screen 0.01875, screen 0.96653 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 7 to 12 repeats; AMD EPYC, family 25 model 1' at screen 0.01875, screen 0.93584 left font ',11' textcolor rgb '#444444'
  set label 103 '| 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 47ba9886139a; 2026-11-24' at screen 0.01875, screen 0.91353 left font ',11' textcolor rgb '#444444'
  set label 104 'Regret: the median wall clock of the scheme that a rule chooses over the least, minus one; a mark is one of 6 sets of cases that are equal but for' at screen 0.01875, screen 0.17992 left font ',11' textcolor rgb '#444444'
  set label 105 'the scheme, a line the range.' at screen 0.01875, screen 0.15760 left font ',11' textcolor rgb '#444444'
  set label 106 'Rules: always the scheme that is named; the least modelled time; the fewest pairs on the critical path; the fewest bytes that a worker sends;' at screen 0.01875, screen 0.13529 left font ',11' textcolor rgb '#444444'
  set label 107 'pass_kv iff the miss rate is 2 kv_heads / q_heads or more, which is the half of Algorithm 1 of Context Parallelism that needs no bandwidth. qb' at screen 0.01875, screen 0.11297 left font ',11' textcolor rgb '#444444'
  set label 108 'select scores those that need one.' at screen 0.01875, screen 0.09066 left font ',11' textcolor rgb '#444444'
  set label 109 'Mean regret: by bytes sent 2.7 %, all_gather_kv 2.8 %, by the model 4.2 %, ulysses 4.2 %, zigzag 5.9 %, by pairs 7.4 %, cqs_sharded (4/6) 8.9 %,' at screen 0.01875, screen 0.06834 left font ',11' textcolor rgb '#444444'
  set label 110 'cqs (4/6) 10.1 %, pass_q 10.1 %, striped 11.7 %, ring 23.2 %.' at screen 0.01875, screen 0.04603 left font ',11' textcolor rgb '#444444'
  set label 111 'Hollow: 2 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.02371 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.17542
  set rmargin at screen 0.80979
  set tmargin at screen 0.87448
  set bmargin at screen 0.29149
  unset logscale x
  set xrange [-2.373437158282109:49.84218032392429]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40)
  set xlabel 'regret (%)'
  unset logscale y
  set yrange [11.05:-1.05]
  set ytics nomirror out ('by bytes sent' 0, 'all_gather_kv' 1, 'by the model' 2, 'ulysses' 3, 'zigzag' 4, 'by pairs' 5, 'cqs_sharded (4/6)' 6, 'cqs (4/6)' 7, 'pass_q' 8, 'striped' 9, 'ring' 10)
  set ylabel ''
  plot data every ::0::5 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#6e6e6e' notitle, \
       data every ::0::5 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::6::11 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::6::11 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::12::17 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#6e6e6e' notitle, \
       data every ::12::17 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::18::23 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::18::23 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::24::29 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#409877' notitle, \
       data every ::24::29 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::30::35 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#6e6e6e' notitle, \
       data every ::30::35 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::36::39 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::36::39 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::40::43 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::40::43 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::44::49 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::44::49 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::50::55 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::50::55 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::56::61 using (num('regret_percent')):(num('selector_index')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::56::61 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::62::63 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::64::65 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#8a520d' notitle, \
       data every ::66::67 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::68::69 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#c877a5' notitle, \
       data every ::70::71 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#409877' notitle, \
       data every ::72::73 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::74::75 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#801a4d' notitle, \
       data every ::76::77 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#d46207' notitle, \
       data every ::78::79 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#979d5c' notitle, \
       data every ::80::81 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#e6a216' notitle, \
       data every ::82::83 using (num('regret_percent')):(num('selector_index')) with lines lw 1.8 lc rgb '#2572aa' notitle, \
       data every ::84::94 using (num('regret_percent')):(num('selector_index')) with points pt 13 ps 0.9 lc rgb '#000000' notitle, \
       data every ::84::94 using (num('regret_percent')):(column('disturbed') > 0 ? (num('selector_index')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::95::96 using (num('regret_percent')):(num('selector_index')) with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.83792, screen 0.87448 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 13 ps 0.9 lc rgb '#000000' title 'median', \
       NaN with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' title 'no regret', \
       NaN with points pt 7 ps 0.9 lc rgb '#6e6e6e' title 'a set of cases'
  unset multiplot
}
unset output
