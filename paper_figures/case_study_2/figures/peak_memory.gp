# Draws peak_memory.svg, peak_memory.pdf and peak_memory.png from peak_memory.csv: gnuplot peak_memory.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'peak_memory.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,565 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'peak_memory' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.885in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1130 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'peak_memory.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Peak memory of a device against sequence length' at screen 0.01875, screen 0.95752 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f16, full mask, materialized kernel, cpu, serial ranks, all cores; 3 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 |' at screen 0.01875, screen 0.91858 left font ',11' textcolor rgb '#444444'
  set label 103 '24 GiB; qb 0.1.0; commit 1fe5046ed490; 2026-11-24' at screen 0.01875, screen 0.89027 left font ',11' textcolor rgb '#444444'
  set label 104 'Bytes of the tensors on the fullest device at the worst moment, as the memory ledger counts them: a worker''s shard, buffers and workspace, and the' at screen 0.01875, screen 0.11504 left font ',11' textcolor rgb '#444444'
  set label 105 'whole tensors where one device holds them, as the root of cqs does.' at screen 0.01875, screen 0.08673 left font ',11' textcolor rgb '#444444'
  set label 106 'Crosses at the limit: out of memory. Pluses: not tried, because a shorter sequence of that line ran out. Those of several lines stand below one' at screen 0.01875, screen 0.05841 left font ',11' textcolor rgb '#444444'
  set label 107 'another.' at screen 0.01875, screen 0.03009 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.78667
  set tmargin at screen 0.84071
  set bmargin at screen 0.25664
  unset logscale x
  set xrange [8050:50950]
  set xtics nomirror out ('10,000' 10000, '20,000' 20000, '30,000' 30000, '40,000' 40000, '50,000' 50000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.1408046659323771:30.038892670884785]
  set ytics nomirror out ('0.3' 0.30000000000000004, '1' 1, '3' 3, '10' 10, '30' 30, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'peak memory of a device (GiB)'
  plot data every ::0::1 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::2::4 using (num('n_tokens')):(strlen(strcol('device_peak_gib')) > 0 ? column('device_peak_gib') : 30.038892670884785) with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' notitle, \
       data every ::5::8 using (num('n_tokens')):(strlen(strcol('device_peak_gib')) > 0 ? column('device_peak_gib') : 30.038892670884785) with points pt 1 ps 1.1 lw 1.4 lc rgb '#000000' notitle, \
       data every ::9::11 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ebb68c' notitle, \
       data every ::12::12 using (num('n_tokens')):((strlen(strcol('device_peak_gib')) > 0 ? column('device_peak_gib') : 30.038892670884785) * 0.7855828443922888) with points pt 2 ps 1.3 lw 2.6 lc rgb '#ebb68c' notitle, \
       data every ::13::17 using (num('n_tokens')):((strlen(strcol('device_peak_gib')) > 0 ? column('device_peak_gib') : 30.038892670884785) * 0.7855828443922888) with points pt 1 ps 1.1 lw 1.4 lc rgb '#ebb68c' notitle, \
       data every ::18::26 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d97424' notitle, \
       data every ::27::35 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b4805' notitle, \
       data every ::36::44 using (num('n_tokens')):(num('device_peak_gib')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#572803' notitle, \
       data every ::45::46 using (num('n_tokens')):(num('device_peak_gib')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.81479, screen 0.84071 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'W = 1', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ebb68c' title 'W = 4', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d97424' title 'W = 7', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b4805' title 'W = 8', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#572803' title 'W = 31', \
       NaN with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' title 'out of memory', \
       NaN with points pt 1 ps 1.1 lw 1.4 lc rgb '#000000' title 'not tried, longer', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'machine 23.54 GiB'
  unset multiplot
}
unset output
