# Draws worker_skew.svg, worker_skew.pdf and worker_skew.png from worker_skew.csv: gnuplot worker_skew.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'worker_skew.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,531 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'worker_skew' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.531in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1062 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'worker_skew.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Token groups for workers of unequal speed' at screen 0.01875, screen 0.95480 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 4, d = 64, f32, full mask, flash kernel, cpu, 1 thread; W = 4, 7, 8 on 2 cores; 10 repeats; AMD EPYC, family 25 model 17 | 2' at screen 0.01875, screen 0.91337 left font ',11' textcolor rgb '#444444'
  set label 103 'cores | avx512 | 24 GiB; qb 0.1.0; commit 4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.88324 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: 97.9 % interval of the median of 10 repeats.' at screen 0.01875, screen 0.15254 left font ',11' textcolor rgb '#444444'
  set label 105 'model: predicted by the calibrated cost model; nothing was timed.' at screen 0.01875, screen 0.12241 left font ',11' textcolor rgb '#444444'
  set label 106 'serial: one device played the workers in turn; its wall clock is the critical path composed of them, without a network.' at screen 0.01875, screen 0.09228 left font ',11' textcolor rgb '#444444'
  set label 107 'A slower worker is emulated: after computing it sleeps (1 / speed - 1) times as long as that took.' at screen 0.01875, screen 0.06215 left font ',11' textcolor rgb '#444444'
  set label 108 'The intervals of 3 of 9 ratios hold 1: they show neither gain nor loss.' at screen 0.01875, screen 0.03202 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.32312
  set tmargin at screen 0.79284
  set bmargin at screen 0.30320
  unset logscale x
  set xrange [-0.375:2.375]
  set xtics nomirror out ('4' 0, '7' 1, '8' 2)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:1013.6849408796843]
  set ytics nomirror out ('0' 0, '250' 250, '500' 500, '750' 750, '1,000' 1000)
  set ylabel 'time (ms)'
  set label 1 'Time, full mask' at screen 0.09062, screen 0.82298 left font ',13'
  plot data every ::0::2 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::0::2 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::3::5 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::3::5 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::6::8 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::6::8 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::9::11 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::9::11 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::12::14 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::12::14 using (num('place')):(num('y')) with points pt 9 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::15::17 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::15::17 using (num('place')):(num('y')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.42312
  set rmargin at screen 0.65563
  set tmargin at screen 0.79284
  set bmargin at screen 0.30320
  unset logscale x
  set xrange [-0.32000000000000006:2.3200000000000003]
  set xtics nomirror out ('4' 0, '7' 1, '8' 2)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.3488092328818444:1.2474012260376695]
  set ytics nomirror out ('0.4' 0.4, '0.6' 0.6000000000000001, '0.8' 0.8, '1.0' 1, '1.2' 1.2000000000000002)
  set ylabel 'time by speed / time equal'
  set label 1 'What it gains, full mask' at screen 0.42312, screen 0.82298 left font ',13'
  plot data every ::18::20 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::18::20 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#000000' notitle, \
       data every ::21::23 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::21::23 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#000000' notitle, \
       data every ::24::26 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::24::26 using (num('place')):(num('y')) with points pt 9 ps 0.9 lc rgb '#000000' notitle, \
       data every ::27::28 using (num('place')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.68375, screen 0.79284 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 7 ps 0.9 lc rgb '#d46207' title 'equal groups, model', \
       NaN with points pt 7 ps 0.9 lc rgb '#2572aa' title 'groups by speed, model', \
       NaN with points pt 5 ps 0.9 lc rgb '#d46207' title 'equal groups, serial (composed)', \
       NaN with points pt 5 ps 0.9 lc rgb '#2572aa' title 'groups by speed, serial (composed)', \
       NaN with points pt 9 ps 0.9 lc rgb '#d46207' title 'equal groups, threads', \
       NaN with points pt 9 ps 0.9 lc rgb '#2572aa' title 'groups by speed, threads', \
       NaN with points pt 7 ps 0.9 lc rgb '#000000' title 'ratio, model', \
       NaN with points pt 5 ps 0.9 lc rgb '#000000' title 'ratio, serial (composed)', \
       NaN with points pt 9 ps 0.9 lc rgb '#000000' title 'ratio, threads', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'no gain'
  unset multiplot
}
unset output
