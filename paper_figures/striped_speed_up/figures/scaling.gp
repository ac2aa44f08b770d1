# Draws scaling.svg, scaling.pdf and scaling.png from scaling.csv: gnuplot scaling.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'scaling.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,531 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'scaling' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.531in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1062 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'scaling.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Strong and weak scaling by mask' at screen 0.01875, screen 0.95480 left font ',16'
  set label 102 'B = 1, H = 2, d = 64, f32, causal mask, flash kernel, cpu, serial ranks, 1 thread; 3 to 15 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 |' at screen 0.01875, screen 0.91337 left font ',11' textcolor rgb '#444444'
  set label 103 '24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.88324 left font ',11' textcolor rgb '#444444'
  set label 104 'The work of the unmasked pairs over W and the time. Strong: N stays as W grows; weak: N/W does. A flat line is perfect scaling.' at screen 0.01875, screen 0.15254 left font ',11' textcolor rgb '#444444'
  set label 105 'Marks: medians; error bars: 96.5 % interval of the median of 15 repeats in 32 of 54 points, min to max of 3 repeats (75.0 % interval of the' at screen 0.01875, screen 0.12241 left font ',11' textcolor rgb '#444444'
  set label 106 'median) in 9, of 7 repeats (98.4 %) in 7, of 6 repeats (96.9 %) in 2, of 8 repeats (99.2 %) in 2, 96.1 % interval of the median of 9 repeats in 1,' at screen 0.01875, screen 0.09228 left font ',11' textcolor rgb '#444444'
  set label 107 '96.1 % interval of the median of 12 repeats in 1.' at screen 0.01875, screen 0.06215 left font ',11' textcolor rgb '#444444'
  set label 108 'serial: one device played the workers in turn; its wall clock is the critical path composed of them, without a network.' at screen 0.01875, screen 0.03202 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.42719
  set tmargin at screen 0.79284
  set bmargin at screen 0.30320
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:88.78240967551085]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set ylabel 'GFLOP/s of a worker'
  set label 1 'strong, N = 16,384, causal mask' at screen 0.09062, screen 0.82298 left font ',13'
  plot data every ::0::2 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::0::2 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::3::5 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::3::5 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::6::8 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::6::8 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.52719
  set rmargin at screen 0.86375
  set tmargin at screen 0.79284
  set bmargin at screen 0.30320
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:89.95215366715044]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set ylabel 'GFLOP/s of a worker'
  set label 1 'weak, N/W = 8,192, causal mask' at screen 0.52719, screen 0.82298 left font ',13'
  plot data every ::9::11 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::9::11 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::12::14 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::12::14 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::15::17 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::15::17 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle
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
  set key at screen 0.89188, screen 0.79284 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag'
  unset multiplot
}
unset output
