# Draws small.svg, small.pdf and small.png from small.csv: gnuplot small.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'small.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,521 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'small' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.427in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1042 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'small.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'It''s a {small} title' at screen 0.01875, screen 0.95393 left font ',16'
  set label 102 'machine · commit' at screen 0.01875, screen 0.91171 left font ',11' textcolor rgb '#444444'
  set label 103 'A note.' at screen 0.01875, screen 0.03263 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.81750
  set tmargin at screen 0.81958
  set bmargin at screen 0.18618
  unset logscale x
  set xrange [850:4150]
  set xtics nomirror out ('1,000' 1000, '2,000' 2000, '3,000' 3000, '4,000' 4000)
  set xlabel 'N (tokens)'
  set logscale y
  set yrange [1.9268288655719665:58.38608815246553]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1)
  set ylabel 'time (ms)'
  set label 1 'panel''s title' at screen 0.09062, screen 0.85029 left font ',13'
  plot data every ::0::2 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::0::2 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::3::4 using (num('n_tokens')):(num('time_ms')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle, \
       data every ::5::5 using (num('n_tokens')):(strlen(strcol('time_ms')) > 0 ? column('time_ms') : 58.38608815246553) with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' notitle, \
       data every ::6::7 using (num('n_tokens')):(num('time_ms')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.84562, screen 0.81958 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'W = 1', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published', \
       NaN with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' title 'out of memory', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'budget'
  unset multiplot
}
unset output
