# Draws product_speed_up.svg, product_speed_up.pdf and product_speed_up.png from product_speed_up.csv: gnuplot product_speed_up.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'product_speed_up.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,891 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'product_speed_up' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.281in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1782 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'product_speed_up.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'CQS for a matrix product: speed-up and idle workers' at screen 0.01875, screen 0.97306 left font ',16'
  set label 102 'f32, materialized kernel, cpu, serial ranks, 1 thread; 6 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.94837 left font ',11' textcolor rgb '#444444'
  set label 103 '4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.93042 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median).' at screen 0.01875, screen 0.09091 left font ',11' textcolor rgb '#444444'
  set label 105 'Speed-up: time of the whole product by one worker over that of the slowest of W, each alone on one core. Bound: elements of C over those of the' at screen 0.01875, screen 0.07295 left font ',11' textcolor rgb '#444444'
  set label 106 'most loaded worker.' at screen 0.01875, screen 0.05499 left font ',11' textcolor rgb '#444444'
  set label 107 'A size is rows × depth × columns. W = W1 + W2: groups of rows of A and of columns of B; a worker is idle where none of its pairs of groups has one' at screen 0.01875, screen 0.03704 left font ',11' textcolor rgb '#444444'
  set label 108 'of each.' at screen 0.01875, screen 0.01908 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.42333
  set tmargin at screen 0.87654
  set bmargin at screen 0.58474
  set logscale x
  set xrange [3.4822022531844965:73.51669471981025]
  set xtics nomirror out ('5' 5, '10' 10, '20' 20, '50' 50, '' 4 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 30 1, '' 40 1, '' 60 1, '' 70 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [1.3688155365270447:60.94658328615597]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1)
  set ylabel 'speed-up'
  set label 1 '1024 × 512 × 1024' at screen 0.09062, screen 0.89450 left font ',13'
  plot data every ::0::4 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::0::4 using (num('workers')):(num('y')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::5::9 using (num('workers')):(num('y')) with lines dt (7,3) lw 1.8 lc rgb '#2572aa' notitle, \
       data every ::10::19 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::10::19 using (num('workers')):(num('y')) with points pt 5 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::20::29 using (num('workers')):(num('y')) with lines dt (7,3) lw 1.8 lc rgb '#d46207' notitle, \
       data every ::30::37 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::30::37 using (num('workers')):(num('y')) with points pt 9 ps 0.9 lc rgb '#409877' notitle, \
       data every ::38::45 using (num('workers')):(num('y')) with lines dt (7,3) lw 1.8 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.52333
  set rmargin at screen 0.85604
  set tmargin at screen 0.87654
  set bmargin at screen 0.58474
  set logscale x
  set xrange [3.4822022531844965:73.51669471981025]
  set xtics nomirror out ('5' 5, '10' 10, '20' 20, '50' 50, '' 4 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 30 1, '' 40 1, '' 60 1, '' 70 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [1.5493875777954815:60.479546672271596]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1)
  set ylabel 'speed-up'
  set label 1 '4096 × 512 × 4096' at screen 0.52333, screen 0.89450 left font ',13'
  plot data every ::46::50 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::46::50 using (num('workers')):(num('y')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::51::55 using (num('workers')):(num('y')) with lines dt (7,3) lw 1.8 lc rgb '#2572aa' notitle, \
       data every ::56::65 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::56::65 using (num('workers')):(num('y')) with points pt 5 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::66::75 using (num('workers')):(num('y')) with lines dt (7,3) lw 1.8 lc rgb '#d46207' notitle, \
       data every ::76::83 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::76::83 using (num('workers')):(num('y')) with points pt 9 ps 0.9 lc rgb '#409877' notitle, \
       data every ::84::91 using (num('workers')):(num('y')) with lines dt (7,3) lw 1.8 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.42333
  set tmargin at screen 0.47250
  set bmargin at screen 0.18070
  set logscale x
  set xrange [3.4822022531844965:73.51669471981025]
  set xtics nomirror out ('5' 5, '10' 10, '20' 20, '50' 50, '' 4 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 30 1, '' 40 1, '' 60 1, '' 70 1)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:91.12280701754386]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set ylabel 'workers without a block (%)'
  set label 1 'Idle workers' at screen 0.09062, screen 0.49046 left font ',13'
  plot data every ::92::96 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::97::106 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::107::114 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' notitle
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
  set key at screen 0.88417, screen 0.87654 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 7 ps 0.9 lc rgb '#2572aa' title 'W1 = 1', \
       NaN with points pt 5 ps 0.9 lc rgb '#d46207' title 'W1 = W/2', \
       NaN with points pt 9 ps 0.9 lc rgb '#409877' title 'W1 = W/4', \
       NaN with lines dt (7,3) lw 1.8 lc rgb '#6e6e6e' title 'bound'
  unset multiplot
}
unset output
