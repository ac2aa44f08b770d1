# Draws set_size.svg, set_size.pdf and set_size.png from set_size.csv: gnuplot set_size.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'set_size.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,501 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'set_size' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.219in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1002 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'set_size.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Size of the smallest known interest sets' at screen 0.01875, screen 0.95210 left font ',16'
  set label 102 'A worker holds m of W token groups, so m/√W over 1 is what its memory and traffic lose. Singer: perfect difference sets, W = q² + q + 1. Optimal:' at screen 0.01875, screen 0.06587 left font ',11' textcolor rgb '#444444'
  set label 103 'no smaller set exists, by counting or by exhaustive search.' at screen 0.01875, screen 0.03393 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.77896
  set tmargin at screen 0.88423
  set bmargin at screen 0.22555
  set logscale x
  set xrange [3:1024]
  set xtics nomirror out ('10' 10, '100' 100, '1,000' 1000, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.991263770838633:1.5242255347219698]
  set ytics nomirror out ('1.0' 1, '1.2' 1.2000000000000002, '1.4' 1.4000000000000001)
  set ylabel 'm / √W'
  plot data every ::0::1021 using (num('workers')):(num('size_over_sqrt_workers')) with lines lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::1022::1907 using (num('workers')):(num('size_over_sqrt_workers')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::1908::2026 using (num('workers')):(num('size_over_sqrt_workers')) with points pt 5 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::2027::2043 using (num('workers')):(num('size_over_sqrt_workers')) with points pt 9 ps 0.9 lc rgb '#409877' notitle
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
  set key at screen 0.80708, screen 0.88423 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with lines lw 1.8 lc rgb '#6e6e6e' title 'proved lower bound', \
       NaN with points pt 7 ps 0.9 lc rgb '#2572aa' title 'best known', \
       NaN with points pt 5 ps 0.9 lc rgb '#d46207' title 'optimal', \
       NaN with points pt 9 ps 0.9 lc rgb '#409877' title 'singer'
  unset multiplot
}
unset output
