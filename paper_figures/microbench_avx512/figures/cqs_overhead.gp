# Draws cqs_overhead.svg, cqs_overhead.pdf and cqs_overhead.png from cqs_overhead.csv: gnuplot cqs_overhead.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'cqs_overhead.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,553 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'cqs_overhead' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.760in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1106 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'cqs_overhead.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Cost of splitting: time of all CQS workers over dense' at screen 0.01875, screen 0.95660 left font ',16'
  set label 102 'AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit 117222098e21 with changes; 2026-11-20' at screen 0.01875, screen 0.91682 left font ',11' textcolor rgb '#444444'
  set label 103 'Time of all workers: their sum, gather and merge included, on one device; dense attention on the same problem is measured between them, repeat by' at screen 0.01875, screen 0.08861 left font ',11' textcolor rgb '#444444'
  set label 104 'repeat. 1: splitting costs nothing; dashed: the limit 1.08.' at screen 0.01875, screen 0.05967 left font ',11' textcolor rgb '#444444'
  set label 105 'Marks: medians; error bars: min to max of 4 repeats (87.5 % interval of the median).' at screen 0.01875, screen 0.03074 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.87146
  set tmargin at screen 0.83002
  set bmargin at screen 0.23327
  set logscale x
  set xrange [1845.7609474269802:18179.186230359574]
  set xtics nomirror out ('2,048' 2048, '4,096' 4096, '8,192' 8192, '16,384' 16384)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0.6836939448339472:2.16882334867576]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2)
  set ylabel 'time of all workers / time of dense'
  set label 1 'd = 64, full mask' at screen 0.09062, screen 0.85895 left font ',13'
  plot data every ::0::3 using (num('n_tokens')):(num('overhead_ratio_low')):(0):(num('overhead_ratio_high') - num('overhead_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f3d1b7' notitle, \
       data every ::0::3 using (num('n_tokens')):(num('overhead_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#f3d1b7' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('overhead_ratio_low')):(0):(num('overhead_ratio_high') - num('overhead_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a36e' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('overhead_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#e6a36e' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('overhead_ratio_low')):(0):(num('overhead_ratio_high') - num('overhead_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d8711f' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('overhead_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d8711f' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('overhead_ratio_low')):(0):(num('overhead_ratio_high') - num('overhead_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#ad5006' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('overhead_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ad5006' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('overhead_ratio_low')):(0):(num('overhead_ratio_high') - num('overhead_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#783804' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('overhead_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#783804' notitle, \
       data every ::20::23 using (num('n_tokens')):(num('overhead_ratio_low')):(0):(num('overhead_ratio_high') - num('overhead_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#472102' notitle, \
       data every ::20::23 using (num('n_tokens')):(num('overhead_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#472102' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('overhead_ratio_low')):(0):(num('overhead_ratio_high') - num('overhead_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#190b01' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('overhead_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#190b01' notitle, \
       data every ::28::29 using (num('n_tokens')):(num('overhead_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.89958, screen 0.83002 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#f3d1b7' title 'W = 4', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#e6a36e' title 'W = 7', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d8711f' title 'W = 8', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ad5006' title 'W = 13', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#783804' title 'W = 21', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#472102' title 'W = 31', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#190b01' title 'W = 57', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title '1.08'
  unset multiplot
}
unset output
