# Draws throughput.svg, throughput.pdf and throughput.png from throughput.csv: gnuplot throughput.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'throughput.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,569 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'throughput' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.927in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1138 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'throughput.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Throughput against sequence length' at screen 0.01875, screen 0.95782 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, flash kernel, cpu, serial ranks, 1 thread; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb' at screen 0.01875, screen 0.91916 left font ',11' textcolor rgb '#444444'
  set label 103 '0.1.0; commit fe1240c225a8; 2026-11-22; beside it with_neighbours (qb 0.1.0; commit fe1240c225a8; 2026-11-22)' at screen 0.01875, screen 0.89104 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks are medians; bars are 95 % order-statistic intervals of the median.' at screen 0.01875, screen 0.08612 left font ',11' textcolor rgb '#444444'
  set label 105 'FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole call; what a kernel computes beyond the mask counts for nothing.' at screen 0.01875, screen 0.05800 left font ',11' textcolor rgb '#444444'
  set label 106 'Hollow: 5 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.02988 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.71729
  set tmargin at screen 0.80668
  set bmargin at screen 0.22671
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('500' 500, '1,000' 1000, '2,000' 2000, '5,000' 5000, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 3000 1, '' 4000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:112.05403622286936]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, full mask' at screen 0.09062, screen 0.83480 left font ',13'
  plot data every ::0::4 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::0::4 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::0::4 using (num('n_tokens')):(column('disturbed') > 0 ? (num('achieved_gflop_per_s')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::5::9 using (num('n_tokens')):(column('disturbed') > 0 ? (num('achieved_gflop_per_s')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
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
  set key at screen 0.74542, screen 0.80668 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d55e00' title 'flash f32, quiet', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#009e73' title 'flash f32, with_neighbours'
  unset multiplot
}
unset output
