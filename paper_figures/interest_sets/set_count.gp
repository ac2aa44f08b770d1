# Draws set_count.svg, set_count.pdf and set_count.png from set_count.csv: gnuplot set_count.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'set_count.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,827 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'set_count' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.615in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1654 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'set_count.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'How many interest sets of the least size there are' at screen 0.01875, screen 0.97098 left font ',16'
  set label 102 'Each by exhaustive search; that of size m - 1 found none. Within one m the number falls as W grows, since m(m - 1) differences must reach W - 1' at screen 0.01875, screen 0.05925 left font ',11' textcolor rgb '#444444'
  set label 103 'distances; a perfect difference set, W = m(m - 1) + 1, has none to spare.' at screen 0.01875, screen 0.03990 left font ',11' textcolor rgb '#444444'
  set label 104 'No marks at W = 80 to 90, 92 to 94: the search for these was not run to its end.' at screen 0.01875, screen 0.02056 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09833
  set rmargin at screen 0.72500
  set tmargin at screen 0.90568
  set bmargin at screen 0.59129
  unset logscale x
  set xrange [3:95]
  set xtics nomirror out ('20' 20, '40' 40, '60' 60, '80' 80)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.5396590375516614:422173.97309535445]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1, '' 4e+05 1)
  set ylabel 'sets'
  set label 1 'Number of minimum sets' at screen 0.09833, screen 0.92503 left font ',13'
  plot data every ::0::78 using (num('workers')):(num('y')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::79::157 using (num('workers')):(num('y')) with points pt 5 ps 0.9 lc rgb '#d46207' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09833
  set rmargin at screen 0.72500
  set tmargin at screen 0.47037
  set bmargin at screen 0.15599
  unset logscale x
  set xrange [3:95]
  set xtics nomirror out ('20' 20, '40' 40, '60' 60, '80' 80)
  set xlabel 'workers W'
  unset logscale y
  set yrange [1.55:11.45]
  set ytics nomirror out ('2' 2, '4' 4, '6' 6, '8' 8, '10' 10)
  set ylabel 'm'
  set label 1 'Their size m' at screen 0.09833, screen 0.48972 left font ',13'
  plot data every ::158::228 using (num('workers')):(num('y')) with points pt 9 ps 0.9 lc rgb '#409877' notitle, \
       data every ::229::236 using (num('workers')):(num('y')) with points pt 11 ps 0.9 lc rgb '#c877a5' notitle
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
  set key at screen 0.75313, screen 0.90568 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 7 ps 0.9 lc rgb '#2572aa' title 'sets with 0 and 1', \
       NaN with points pt 5 ps 0.9 lc rgb '#d46207' title 'up to x → ux + t', \
       NaN with points pt 9 ps 0.9 lc rgb '#409877' title 'm', \
       NaN with points pt 11 ps 0.9 lc rgb '#c877a5' title 'm, perfect difference set'
  unset multiplot
}
unset output
