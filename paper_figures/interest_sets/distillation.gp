# Draws distillation.svg, distillation.pdf and distillation.png from distillation.csv: gnuplot distillation.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'distillation.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,501 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'distillation' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.219in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1002 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'distillation.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Balance of published and balanced self-distillation' at screen 0.01875, screen 0.95210 left font ',16'
  set label 102 'asym-RR: mean over N in [40 W, 41 W) of N² / (pairs of the most loaded worker); 1 is perfect balance. The same published sets for both. Published,' at screen 0.01875, screen 0.06587 left font ',11' textcolor rgb '#444444'
  set label 103 'half of an even W''s workers compute the blocks W/2 apart alone.' at screen 0.01875, screen 0.03393 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.97188
  set tmargin at screen 0.88423
  set bmargin at screen 0.22555
  unset logscale x
  set xrange [3:111]
  set xtics nomirror out ('25' 25, '50' 50, '75' 75, '100' 100)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.7893440522934646:1.0035838677862845]
  set ytics nomirror out ('0.80' 0.8, '0.85' 0.8500000000000001, '0.90' 0.9, '0.95' 0.9500000000000001, '1.00' 1)
  set ylabel 'asym-RR / W'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::0::54 using (num('workers')):(num('asymptotic_ratio_over_workers')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#d46207' title 'published, odd W', \
       data every ::55::108 using (num('workers')):(num('asymptotic_ratio_over_workers')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#d46207' title 'published, even W', \
       data every ::109::217 using (num('workers')):(num('asymptotic_ratio_over_workers')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title 'balanced', \
       data every ::218::219 using (num('workers')):(num('asymptotic_ratio_over_workers')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'least of balanced: 0.9860'
  unset label
  unset key
  unset multiplot
}
unset output
