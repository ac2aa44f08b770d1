# Draws sparse_attention.svg, sparse_attention.pdf and sparse_attention.png from sparse_attention.csv: gnuplot sparse_attention.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'sparse_attention.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,904 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'sparse_attention' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.417in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1808 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'sparse_attention.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Sparse attention against sequence length' at screen 0.01875, screen 0.97345 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, flash kernel, cpu, serial ranks, all cores; 3 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb' at screen 0.01875, screen 0.94912 left font ',11' textcolor rgb '#444444'
  set label 103 '0.1.0; commit 4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.93142 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 3 repeats (75.0 % interval of the median).' at screen 0.01875, screen 0.08960 left font ',11' textcolor rgb '#444444'
  set label 105 'Dense attention did not run, so nothing is compared with it.' at screen 0.01875, screen 0.07190 left font ',11' textcolor rgb '#444444'
  set label 106 'Fitted growth a N^b over all lengths, b and its R²: bigbird 1.01 (0.9995), sliding_window 1.01 (0.9999).' at screen 0.01875, screen 0.05420 left font ',11' textcolor rgb '#444444'
  set label 107 'Nearly linear, time a token and largest deviation from it: bigbird 7.96 µs ± 5 % (R² of a line 0.9998), sliding_window 3.82 µs ± 3 % (R² of a line' at screen 0.01875, screen 0.03650 left font ',11' textcolor rgb '#444444'
  set label 108 '0.9995).' at screen 0.01875, screen 0.01881 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.87832
  set bmargin at screen 0.59071
  set logscale x
  set xrange [27554.49373503372:1246974.0398210932]
  set xtics nomirror out ('32,768' 32768, '131,072' 131072, '524,288' 524288, '' 65536 1, '' 262144 1, '' 1048576 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [98.92949322285925:10359.259206707362]
  set ytics nomirror out ('100' 100, '1,000' 1000, '10,000' 10000, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1)
  set ylabel 'time (ms)'
  set label 1 'time' at screen 0.09062, screen 0.89602 left font ',13'
  plot data every ::0::5 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#33b5f3' notitle, \
       data every ::0::5 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::6::11 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bb5b05' notitle, \
       data every ::6::11 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.87832
  set bmargin at screen 0.59071
  set logscale x
  set xrange [27554.49373503372:1246974.0398210932]
  set xtics nomirror out ('32,768' 32768, '131,072' 131072, '524,288' 524288, '' 65536 1, '' 262144 1, '' 1048576 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [3.5309571026201008:11.79044871459465]
  set ytics nomirror out ('4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9, '10' 10)
  set ylabel 'time / N (µs)'
  set label 1 'time a token' at screen 0.47323, screen 0.89602 left font ',13'
  plot data every ::12::17 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#33b5f3' notitle, \
       data every ::12::17 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::18::23 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bb5b05' notitle, \
       data every ::18::23 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.46571
  set bmargin at screen 0.17810
  set logscale x
  set xrange [27554.49373503372:1246974.0398210932]
  set xtics nomirror out ('32,768' 32768, '131,072' 131072, '524,288' 524288, '' 65536 1, '' 262144 1, '' 1048576 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.0174595378426419:1.246603677997963]
  set ytics nomirror out ('1.05' 1.05, '1.10' 1.1, '1.15' 1.1500000000000001, '1.20' 1.2000000000000002)
  set ylabel 'executed / useful pairs'
  set label 1 'work beyond the mask' at screen 0.09062, screen 0.48341 left font ',13'
  plot data every ::24::29 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::30::35 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.46571
  set bmargin at screen 0.17810
  set logscale x
  set xrange [27554.49373503372:1246974.0398210932]
  set xtics nomirror out ('32,768' 32768, '131,072' 131072, '524,288' 524288, '' 65536 1, '' 262144 1, '' 1048576 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [143.22431309954618:60457678.927611046]
  set ytics nomirror out ('10³' 1000, '10⁴' 10000, '10⁵' 1e+05, '10⁶' 1e+06, '10⁷' 1e+07, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1, '' 4e+05 1, '' 5e+05 1, '' 6e+05 1, '' 7e+05 1, '' 8e+05 1, '' 9e+05 1, '' 2e+06 1, '' 3e+06 1, '' 4e+06 1, '' 5e+06 1, '' 6e+06 1, '' 7e+06 1, '' 8e+06 1, '' 9e+06 1, '' 2e+07 1, '' 3e+07 1, '' 4e+07 1, '' 5e+07 1, '' 6e+07 1)
  set ylabel 'peak memory of a device (MiB)'
  set label 1 'memory' at screen 0.47323, screen 0.49779 left font ',13'
  set label 2 'bigbird = sliding_window' at screen 0.47323, screen 0.48341 left font ',11' textcolor rgb '#33b5f3'
  plot data every ::36::41 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::48::53 using (num('n_tokens')):(num('y')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.78396, screen 0.87832 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' title 'bigbird', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' title 'sliding_window', \
       NaN with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' title 'all N × N scores, f32'
  unset multiplot
}
unset output
