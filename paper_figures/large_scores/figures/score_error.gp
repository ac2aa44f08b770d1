# Draws score_error.svg, score_error.pdf and score_error.png from score_error.csv: gnuplot score_error.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'score_error.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,533 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'score_error' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.552in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1066 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'score_error.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Error of outputs against the size of the scores' at screen 0.01875, screen 0.95497 left font ',16'
  set label 102 'N = 512, B = 1, H = 4, d = 64, f32, full mask, flash kernel, cpu, serial ranks, all cores; 1 repeat; Intel(R) Xeon(R) Processor, family 6 model' at screen 0.01875, screen 0.91370 left font ',11' textcolor rgb '#444444'
  set label 103 '207 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit ed7b24d445fa; 2026-11-26' at screen 0.01875, screen 0.88368 left font ',11' textcolor rgb '#444444'
  set label 104 'Against float64 over the compared rows; an error of 0 is not drawn.' at screen 0.01875, screen 0.06191 left font ',11' textcolor rgb '#444444'
  set label 105 'All keys of a head are equal, and so are their weights, whatever the score; an error is what the LSE of partials, as one float, loses of them.' at screen 0.01875, screen 0.03189 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.67104
  set tmargin at screen 0.83114
  set bmargin at screen 0.21201
  set logscale x
  set xrange [0.39810717055349726:251188643.150958]
  set xtics nomirror out ('1' 1, '10' 10, '10²' 100, '10³' 1000, '10⁴' 10000, '10⁵' 1e+05, '10⁶' 1e+06, '10⁷' 1e+07, '10⁸' 1e+08)
  set xlabel 'typical score, scale × √d'
  set logscale y
  set yrange [1.0382303091538899e-07:1.5274063819894088]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '1' 1, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1)
  set ylabel 'relative L2 error of O'
  plot data every ::0::8 using (num('typical_score')):(num('relative_l2_error')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::9::17 using (num('typical_score')):(num('relative_l2_error')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle, \
       data every ::18::26 using (num('typical_score')):(num('relative_l2_error')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9aa060' notitle, \
       data every ::36::44 using (num('typical_score')):(num('relative_l2_error')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle
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
  set key at screen 0.69917, screen 0.83114 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' title 'cqs', \
       NaN with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#894005' title 'cqs = pass_q, LSE as two numbers', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9aa060' title 'pass_q'
  unset multiplot
}
unset output
