# Draws model_residual.svg, model_residual.pdf and model_residual.png from model_residual.csv: gnuplot model_residual.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'model_residual.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,549 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'model_residual' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.719in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1098 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'model_residual.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Measured against modelled wall clock' at screen 0.01875, screen 0.95628 left font ',16'
  set label 102 'B = 1, H = 4, d = 64, f32, full mask, flash kernel, cpu, 1 thread; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.91621 left font ',11' textcolor rgb '#444444'
  set label 103 '4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.88707 left font ',11' textcolor rgb '#444444'
  set label 104 'Median absolute residual 1.8 % of 6 cases (threads 1.8 % of 6); the worst: cqs, N = 8,192, W = 7, threads: +14.2 %.' at screen 0.01875, screen 0.08925 left font ',11' textcolor rgb '#444444'
  set label 105 'Above zero the case took longer than the model says. Bars: the interval of the measured median alone. Colour: algorithm; mark: who played the' at screen 0.01875, screen 0.06011 left font ',11' textcolor rgb '#444444'
  set label 106 'workers.' at screen 0.01875, screen 0.03097 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.77125
  set tmargin at screen 0.83607
  set bmargin at screen 0.23497
  set logscale x
  set xrange [340.49186656865095:727.7111694289033]
  set xtics nomirror out ('400' 400, '500' 500, '600' 600, '700' 700)
  set xlabel 'modelled wall time (ms)'
  unset logscale y
  set yrange [-52.12932716063532:46.93100080287109]
  set ytics nomirror out ('-40' -40, '-20' -20, '0' 0, '20' 20, '40' 40)
  set ylabel 'measured / modelled - 1 (%)'
  plot data every ::0::5 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::0::5 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#d55e00' notitle, \
       data every ::6::7 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.79937, screen 0.83607 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with lines lw 1.8 lc rgb '#d55e00' title 'cqs', \
       NaN with points pt 7 ps 0.9 lc rgb '#000000' title 'threads', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'measured = modelled'
  unset multiplot
}
unset output
