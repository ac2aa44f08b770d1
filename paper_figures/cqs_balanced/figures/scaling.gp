# Draws scaling.svg, scaling.pdf and scaling.png from scaling.csv: gnuplot scaling.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'scaling.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,499 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'scaling' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.198in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,998 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'scaling.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Strong and weak scaling by mask' at screen 0.01875, screen 0.95190 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 4, d = 64, f32, flash kernel, cpu, serial ranks, 1 thread; 7 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24' at screen 0.01875, screen 0.90782 left font ',11' textcolor rgb '#444444'
  set label 103 'GiB; qb 0.1.0; commit 4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.87575 left font ',11' textcolor rgb '#444444'
  set label 104 'The work of the unmasked pairs over W and the time. Strong: N stays as W grows; weak: N/W does. A flat line is perfect scaling.' at screen 0.01875, screen 0.09820 left font ',11' textcolor rgb '#444444'
  set label 105 'Marks: medians; error bars: min to max of 7 repeats (98.4 % interval of the median).' at screen 0.01875, screen 0.06613 left font ',11' textcolor rgb '#444444'
  set label 106 'serial: one device played the workers in turn; its wall clock is the critical path composed of them, without a network.' at screen 0.01875, screen 0.03407 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.32312
  set tmargin at screen 0.77956
  set bmargin at screen 0.25852
  set logscale x
  set xrange [3.7321319661472296:17.14837540058069]
  set xtics nomirror out ('4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9, '10' 10)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:103.27382465935382]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'GFLOP/s of a worker'
  set label 1 'strong, N = 8,192, causal mask' at screen 0.09062, screen 0.81162 left font ',13'
  plot data every ::0::3 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#de863f' notitle, \
       data every ::0::3 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::4::7 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#894005' notitle, \
       data every ::4::7 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle, \
       data every ::8::11 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bf8ca6' notitle, \
       data every ::8::11 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bf8ca6' notitle, \
       data every ::12::15 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8e3361' notitle, \
       data every ::12::15 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#8e3361' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.42312
  set rmargin at screen 0.65563
  set tmargin at screen 0.77956
  set bmargin at screen 0.25852
  set logscale x
  set xrange [3.7321319661472296:17.14837540058069]
  set xtics nomirror out ('4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9, '10' 10)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:108.67326685819683]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'GFLOP/s of a worker'
  set label 1 'strong, N = 8,192, full mask' at screen 0.42312, screen 0.81162 left font ',13'
  plot data every ::16::19 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#de863f' notitle, \
       data every ::16::19 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::20::23 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#894005' notitle, \
       data every ::20::23 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle, \
       data every ::24::27 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bf8ca6' notitle, \
       data every ::24::27 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bf8ca6' notitle, \
       data every ::28::31 using (num('workers')):(num('worker_rate_gflop_per_s_low')):(0):(num('worker_rate_gflop_per_s_high') - num('worker_rate_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8e3361' notitle, \
       data every ::28::31 using (num('workers')):(num('worker_rate_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#8e3361' notitle
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
  set key at screen 0.68375, screen 0.77956 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' title 'cqs, balanced distillation', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' title 'cqs', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bf8ca6' title 'cqs_sharded, balanced distillation', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#8e3361' title 'cqs_sharded'
  unset multiplot
}
unset output
