# Draws cqs_product.svg, cqs_product.pdf and cqs_product.png from cqs_product.csv: gnuplot cqs_product.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'cqs_product.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,451 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'cqs_product' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,4.698in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,902 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'cqs_product.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'How CQS splits a matrix product' at screen 0.01875, screen 0.94678 left font ',16'
  set label 102 'W = W1 + W2: groups of the rows of A and of the columns of B. A worker computes a block of C = A B for each pair of its groups that has one of' at screen 0.01875, screen 0.07317 left font ',11' textcolor rgb '#444444'
  set label 103 'each. Speed-up: elements of C over those of the most loaded worker.' at screen 0.01875, screen 0.03769 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.42333
  set tmargin at screen 0.82705
  set bmargin at screen 0.25055
  unset logscale x
  set xrange [4:64]
  set xtics nomirror out ('20' 20, '40' 40, '60' 60)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:0.9887702654729489]
  set ytics nomirror out ('0.0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6000000000000001, '0.8' 0.8)
  set ylabel 'speed-up / W'
  set label 1 'Greatest speed-up over W' at screen 0.09062, screen 0.86253 left font ',13'
  plot data every ::0::60 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::61::121 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::122::182 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.52333
  set rmargin at screen 0.85604
  set tmargin at screen 0.82705
  set bmargin at screen 0.25055
  unset logscale x
  set xrange [4:64]
  set xtics nomirror out ('20' 20, '40' 40, '60' 60)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:91.12280701754386]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set ylabel 'workers without a block (%)'
  set label 1 'Idle workers' at screen 0.52333, screen 0.86253 left font ',13'
  plot data every ::183::243 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::244::304 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::305::365 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' notitle
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
  set key at screen 0.88417, screen 0.82705 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title 'W1 = 1', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#d46207' title 'W1 = W/2', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' title 'W1 = W/4'
  unset multiplot
}
unset output
