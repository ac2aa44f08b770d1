# Draws throughput.svg, throughput.pdf and throughput.png from throughput.csv: gnuplot throughput.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'throughput.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,585 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'throughput' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,6.094in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1170 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'throughput.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Throughput against sequence length' at screen 0.01875, screen 0.95897 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, flash kernel, cpu, serial ranks, 1 thread; 6 to 11 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512' at screen 0.01875, screen 0.92137 left font ',11' textcolor rgb '#444444'
  set label 103 '| 24 GiB; qb 0.1.0; commit fe1240c225a8; 2026-11-22; beside it with_neighbours (qb 0.1.0; commit fe1240c225a8; 2026-11-22)' at screen 0.01875, screen 0.89402 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median) in 5 of 10 points, 98.8 % interval of the median of 11 repeats' at screen 0.01875, screen 0.11111 left font ',11' textcolor rgb '#444444'
  set label 105 'in 5.' at screen 0.01875, screen 0.08376 left font ',11' textcolor rgb '#444444'
  set label 106 'FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole call; what a kernel computes beyond the mask counts for nothing.' at screen 0.01875, screen 0.05641 left font ',11' textcolor rgb '#444444'
  set label 107 'Hollow: 5 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.02906 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.71729
  set tmargin at screen 0.81197
  set bmargin at screen 0.24786
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:125.30650124494589]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, full mask' at screen 0.09062, screen 0.83932 left font ',13'
  plot data every ::0::4 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::0::4 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::0::4 using (num('n_tokens')):(column('disturbed') > 0 ? (num('achieved_gflop_per_s')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::5::9 using (num('n_tokens')):(column('disturbed') > 0 ? (num('achieved_gflop_per_s')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::10::11 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#2e2388' notitle
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
  set key at screen 0.74542, screen 0.81197 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' title 'flash f32, quiet', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' title 'flash f32, with_neighbours', \
       NaN with lines dt 4 lw 1.4 lc rgb '#2e2388' title 'measured peak, f32'
  unset multiplot
}
unset output
