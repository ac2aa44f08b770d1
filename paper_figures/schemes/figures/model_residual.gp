# Draws model_residual.svg, model_residual.pdf and model_residual.png from model_residual.csv: gnuplot model_residual.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'model_residual.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,555 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'model_residual' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.781in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1110 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'model_residual.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Measured against modelled wall clock' at screen 0.01875, screen 0.95676 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 7 to 12 repeats; AMD EPYC, family 25 model 1' at screen 0.01875, screen 0.91712 left font ',11' textcolor rgb '#444444'
  set label 103 '| 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.88829 left font ',11' textcolor rgb '#444444'
  set label 104 'The typical case is 35.5 % from its model, the median of 44 distances (mpi 36.1 % of 22, threads 33.6 % of 22); the worst: all_gather_kv, N =' at screen 0.01875, screen 0.14595 left font ',11' textcolor rgb '#444444'
  set label 105 '8,192, W = 2, mpi: +49.7 %.' at screen 0.01875, screen 0.11712 left font ',11' textcolor rgb '#444444'
  set label 106 'Above zero the case took longer than the model says. A line is the range of an algorithm''s cases.' at screen 0.01875, screen 0.08829 left font ',11' textcolor rgb '#444444'
  set label 107 'The intervals of the measured medians are not drawn; the widest reaches 65 % from its median.' at screen 0.01875, screen 0.05946 left font ',11' textcolor rgb '#444444'
  set label 108 'Hollow: 4 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.03063 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.14458
  set rmargin at screen 0.77125
  set tmargin at screen 0.83784
  set bmargin at screen 0.29009
  unset logscale x
  set xrange [-2.484956920076228:52.184095321600786]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40)
  set xlabel 'measured / modelled - 1 (%)'
  unset logscale y
  set yrange [7.9:-0.9]
  set ytics nomirror out ('zigzag' 0, 'ring' 1, 'pass_q' 2, 'striped' 3, 'ulysses' 4, 'all_gather_kv' 5, 'cqs_sharded' 6, 'cqs' 7)
  set ylabel ''
  plot data every ::0::2 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#409877' notitle, \
       data every ::0::2 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::3::5 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#409877' notitle, \
       data every ::3::5 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::6::8 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::6::8 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::9::11 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::9::11 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::12::14 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::12::14 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::15::17 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::15::17 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::18::20 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::18::20 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::21::23 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::21::23 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::24::26 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::24::26 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::27::29 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::27::29 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::30::32 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::30::32 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::33::35 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::33::35 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::36::37 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::36::37 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::38::39 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::38::39 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::40::41 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::40::41 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::42::43 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::42::43 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::44::45 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#409877' notitle, \
       data every ::46::47 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#2572aa' notitle, \
       data every ::48::49 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#979d5c' notitle, \
       data every ::50::51 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#e6a216' notitle, \
       data every ::52::53 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#c877a5' notitle, \
       data every ::54::55 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#8a520d' notitle, \
       data every ::56::57 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#801a4d' notitle, \
       data every ::58::59 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#d46207' notitle, \
       data every ::60::67 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 13 ps 0.9 lc rgb '#000000' notitle, \
       data every ::60::67 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::68::69 using (num('model_residual_percent')):(num('algorithm_index')) with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.79937, screen 0.83784 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 13 ps 0.9 lc rgb '#000000' title 'median', \
       NaN with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' title 'measured = modelled', \
       NaN with points pt 4 ps 0.9 lc rgb '#6e6e6e' title 'a case, mpi', \
       NaN with points pt 6 ps 0.9 lc rgb '#6e6e6e' title 'a case, threads'
  unset multiplot
}
unset output
