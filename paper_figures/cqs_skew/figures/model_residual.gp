# Draws model_residual.svg, model_residual.pdf and model_residual.png from model_residual.csv: gnuplot model_residual.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'model_residual.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,355 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'model_residual' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,3.698in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,710 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'model_residual.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Measured against modelled wall clock' at screen 0.01875, screen 0.93239 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 4, d = 64, f32, full mask, flash kernel, cpu, 1 thread; W = 4, 7, 8 on 2 cores; 10 repeats; AMD EPYC, family 25 model 17 | 2' at screen 0.01875, screen 0.87042 left font ',11' textcolor rgb '#444444'
  set label 103 'cores | avx512 | 24 GiB; qb 0.1.0; commit 4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.82535 left font ',11' textcolor rgb '#444444'
  set label 104 'The typical case is 1.8 % from its model, the median of 6 distances (threads 1.8 % of 6); the worst: cqs, N = 8,192, W = 7, threads: +14.2 %.' at screen 0.01875, screen 0.18310 left font ',11' textcolor rgb '#444444'
  set label 105 'Above zero the case took longer than the model says. A line is the range of an algorithm''s cases.' at screen 0.01875, screen 0.13803 left font ',11' textcolor rgb '#444444'
  set label 106 'Modelled device: here.' at screen 0.01875, screen 0.09296 left font ',11' textcolor rgb '#444444'
  set label 107 'The intervals of the measured medians are not drawn; the widest reaches 49 % from its median.' at screen 0.01875, screen 0.04789 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.13687
  set rmargin at screen 0.77125
  set tmargin at screen 0.74648
  set bmargin at screen 0.40845
  unset logscale x
  set xrange [-5.0435238999427945:15.109377591097175]
  set xtics nomirror out ('-5' -5, '0' 0, '5' 5, '10' 10, '15' 15)
  set xlabel 'measured / modelled - 1 (%)'
  unset logscale y
  set yrange [0.55:-0.55]
  set ytics nomirror out ('cqs, threads' 0)
  set ylabel ''
  plot data every ::0::5 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::6::7 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#d46207' notitle, \
       data every ::8::8 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 13 ps 0.9 lc rgb '#000000' notitle, \
       data every ::9::10 using (num('model_residual_percent')):(num('algorithm_index')) with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.79937, screen 0.74648 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 13 ps 0.9 lc rgb '#000000' title 'median', \
       NaN with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' title 'measured = modelled', \
       NaN with points pt 7 ps 0.9 lc rgb '#6e6e6e' title 'a case, threads'
  unset multiplot
}
unset output
