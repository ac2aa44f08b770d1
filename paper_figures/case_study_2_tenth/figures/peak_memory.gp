# Draws peak_memory.svg, peak_memory.pdf and peak_memory.png from peak_memory.csv: gnuplot peak_memory.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'peak_memory.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,533 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'peak_memory' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.552in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1066 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'peak_memory.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Peak memory of a device against sequence length' at screen 0.01875, screen 0.95497 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, materialized kernel, cpu, serial ranks, all cores; 5 repeats; AMD EPYC, family 25 model 17 | 2 cores |' at screen 0.01875, screen 0.91370 left font ',11' textcolor rgb '#444444'
  set label 103 'avx512 | 24 GiB; qb 0.1.0; commit fff30970ba19; 2026-11-23' at screen 0.01875, screen 0.88368 left font ',11' textcolor rgb '#444444'
  set label 104 'Bytes of the tensors on the fullest device at the worst moment, as the memory ledger counts them: a worker''s shard, buffers and workspace, and the' at screen 0.01875, screen 0.06191 left font ',11' textcolor rgb '#444444'
  set label 105 'whole tensors where one device holds them, as the root of cqs does.' at screen 0.01875, screen 0.03189 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.87146
  set tmargin at screen 0.83114
  set bmargin at screen 0.21201
  unset logscale x
  set xrange [805:5095]
  set xtics nomirror out ('1,000' 1000, '2,000' 2000, '3,000' 3000, '4,000' 4000, '5,000' 5000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.008250033659197378:0.9336736669813214]
  set ytics nomirror out ('0.01' 0.01, '0.03' 0.03, '0.1' 0.1, '0.3' 0.30000000000000004, '' 0.009000000000000001 1, '' 0.02 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1)
  set ylabel 'peak memory of a device (GiB)'
  plot data every ::0::8 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::9::17 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ebb68c' notitle, \
       data every ::18::26 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d97424' notitle, \
       data every ::27::35 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b4805' notitle, \
       data every ::36::44 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#572803' notitle
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
  set key at screen 0.89958, screen 0.83114 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'W = 1', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ebb68c' title 'W = 4', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d97424' title 'W = 7', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b4805' title 'W = 8', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#572803' title 'W = 31'
  unset multiplot
}
unset output
