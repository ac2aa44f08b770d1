# Draws model_residual.svg, model_residual.pdf and model_residual.png from model_residual.csv: gnuplot model_residual.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'model_residual.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,571 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'model_residual' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.948in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1142 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'model_residual.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Measured against modelled wall clock' at screen 0.01875, screen 0.95797 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 7 to 12 repeats; AMD EPYC, family 25 model 1' at screen 0.01875, screen 0.91944 left font ',11' textcolor rgb '#444444'
  set label 103 '| 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 47ba9886139a; 2026-11-24' at screen 0.01875, screen 0.89142 left font ',11' textcolor rgb '#444444'
  set label 104 'The typical case is 11.7 % from its model, the median of 44 distances (mpi 11.7 % of 22, threads 11.8 % of 22); the worst: striped, N = 8,192, W =' at screen 0.01875, screen 0.16988 left font ',11' textcolor rgb '#444444'
  set label 105 '8, mpi: +25.3 %.' at screen 0.01875, screen 0.14186 left font ',11' textcolor rgb '#444444'
  set label 106 'Above zero the case took longer than the model says. A line is the range of an algorithm''s cases.' at screen 0.01875, screen 0.11384 left font ',11' textcolor rgb '#444444'
  set label 107 'Modelled device: epyc-zen3-2-cores.' at screen 0.01875, screen 0.08581 left font ',11' textcolor rgb '#444444'
  set label 108 'The intervals of the measured medians are not drawn; the widest reaches 81 % from its median.' at screen 0.01875, screen 0.05779 left font ',11' textcolor rgb '#444444'
  set label 109 'Hollow: 2 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.02977 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.14458
  set rmargin at screen 0.77125
  set tmargin at screen 0.84238
  set bmargin at screen 0.30998
  unset logscale x
  set xrange [-3.496637339028422:26.625181474586615]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20)
  set xlabel 'measured / modelled - 1 (%)'
  unset logscale y
  set yrange [7.9:-0.9]
  set ytics nomirror out ('ring' 0, 'all_gather_kv' 1, 'zigzag' 2, 'pass_q' 3, 'cqs_sharded' 4, 'ulysses' 5, 'striped' 6, 'cqs' 7)
  set ylabel ''
  plot data every ::0::2 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 5 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::0::2 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::3::5 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::3::5 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::6::8 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 5 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::6::8 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::9::11 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::9::11 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::12::14 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 5 ps 0.9 lc rgb '#409877' notitle, \
       data every ::12::14 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::15::17 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#409877' notitle, \
       data every ::15::17 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::18::20 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 5 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::18::20 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::21::23 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::21::23 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::24::25 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 5 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::24::25 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::26::27 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::26::27 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::28::30 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 5 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::28::30 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::31::33 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::31::33 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::34::36 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::34::36 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::37::39 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::37::39 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::40::41 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 5 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::40::41 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::42::43 using (num('model_residual_percent')):(num('algorithm_index')) with points pt 7 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::42::43 using (num('model_residual_percent')):(column('disturbed') > 0 ? (num('algorithm_index')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::44::45 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#2572aa' notitle, \
       data every ::46::47 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#8a520d' notitle, \
       data every ::48::49 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#409877' notitle, \
       data every ::50::51 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#979d5c' notitle, \
       data every ::52::53 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#801a4d' notitle, \
       data every ::54::55 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#c877a5' notitle, \
       data every ::56::57 using (num('model_residual_percent')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#e6a216' notitle, \
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
  set key at screen 0.79937, screen 0.84238 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 13 ps 0.9 lc rgb '#000000' title 'median', \
       NaN with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' title 'measured = modelled', \
       NaN with points pt 5 ps 0.9 lc rgb '#6e6e6e' title 'a case, mpi', \
       NaN with points pt 7 ps 0.9 lc rgb '#6e6e6e' title 'a case, threads'
  unset multiplot
}
unset output
