# Draws balance_growth.svg, balance_growth.pdf and balance_growth.png from balance_growth.csv: gnuplot balance_growth.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'balance_growth.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,485 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'balance_growth' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.052in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,970 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'balance_growth.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'What uneven work costs as N grows' at screen 0.01875, screen 0.95052 left font ',16'
  set label 102 'The worst of the W lengths up to each N. Published, an even W never comes nearer to W than 1/(W + 1).' at screen 0.01875, screen 0.03505 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.70958
  set tmargin at screen 0.88041
  set bmargin at screen 0.20000
  set logscale x
  set xrange [707.9457843841378:1412537.5446227544]
  set xtics nomirror out ('10³' 1000, '10⁴' 10000, '10⁵' 1e+05, '10⁶' 1e+06, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1, '' 4e+05 1, '' 5e+05 1, '' 6e+05 1, '' 7e+05 1, '' 8e+05 1, '' 9e+05 1)
  set xlabel 'N'
  set logscale y
  set yrange [1.1242342893419804e-06:0.3586425020272827]
  set ytics nomirror out ('10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1)
  set ylabel '1 - RR / W'
  plot data every ::0::6 using (num('n_tokens')):(num('lost_share')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::7::13 using (num('n_tokens')):(num('lost_share')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::14::20 using (num('n_tokens')):(num('lost_share')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::21::27 using (num('n_tokens')):(num('lost_share')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::28::34 using (num('n_tokens')):(num('lost_share')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::35::41 using (num('n_tokens')):(num('lost_share')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::42::48 using (num('n_tokens')):(num('lost_share')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::49::55 using (num('n_tokens')):(num('lost_share')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#382800' notitle, \
       data every ::56::62 using (num('n_tokens')):(num('lost_share')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#382800' notitle
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
  set key at screen 0.73771, screen 0.88041 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#e6a216' title 'W = 4, published', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#e6a216' title 'W = 4, balanced', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title 'W = 7, published = balanced', \
       NaN with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#801a4d' title 'W = 32, published', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#801a4d' title 'W = 32, balanced', \
       NaN with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#2e2388' title 'W = 64, published', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2e2388' title 'W = 64, balanced', \
       NaN with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#382800' title 'W = 100, published', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#382800' title 'W = 100, balanced'
  unset multiplot
}
unset output
