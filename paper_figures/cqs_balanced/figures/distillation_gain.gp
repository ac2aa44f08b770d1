# Draws distillation_gain.svg, distillation_gain.pdf and distillation_gain.png from distillation_gain.csv: gnuplot distillation_gain.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'distillation_gain.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,875 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'distillation_gain' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.115in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1750 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'distillation_gain.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Published and balanced self-distillation' at screen 0.01875, screen 0.97257 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 4, d = 64, f32, flash kernel, cpu, serial ranks, 1 thread; 7 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24' at screen 0.01875, screen 0.94743 left font ',11' textcolor rgb '#444444'
  set label 103 'GiB; qb 0.1.0; commit 4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.92914 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 7 repeats (98.4 % interval of the median).' at screen 0.01875, screen 0.07429 left font ',11' textcolor rgb '#444444'
  set label 105 'serial: one device played the workers in turn; its wall clock is the critical path composed of them, without a network.' at screen 0.01875, screen 0.05600 left font ',11' textcolor rgb '#444444'
  set label 106 'Hollow: the same ratio of the query-key pairs of the most loaded worker.' at screen 0.01875, screen 0.03771 left font ',11' textcolor rgb '#444444'
  set label 107 'The intervals of 12 of 16 ratios hold 1: they show neither gain nor loss.' at screen 0.01875, screen 0.01943 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.87429
  set bmargin at screen 0.57714
  unset logscale x
  set xrange [-0.39749999999999996:3.3975]
  set xtics nomirror out ('4' 0, '7' 1, '8' 2, '16' 3)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:255.12199992357637]
  set ytics nomirror out ('0' 0, '100' 100, '200' 200)
  set ylabel 'time (ms)'
  set label 1 'Time, full mask' at screen 0.09062, screen 0.89257 left font ',13'
  plot data every ::0::3 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::0::3 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::4::7 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::4::7 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::8::11 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::8::11 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::12::15 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::12::15 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#2572aa' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.87429
  set bmargin at screen 0.57714
  unset logscale x
  set xrange [-0.39749999999999996:3.3975]
  set xtics nomirror out ('4' 0, '7' 1, '8' 2, '16' 3)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:140.64953228182276]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100)
  set ylabel 'time (ms)'
  set label 1 'Time, causal mask' at screen 0.45010, screen 0.89257 left font ',13'
  plot data every ::16::19 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::16::19 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::20::23 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::20::23 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::24::27 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::24::27 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::28::31 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::28::31 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#2572aa' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.46286
  set bmargin at screen 0.16571
  unset logscale x
  set xrange [-0.315:3.315]
  set xtics nomirror out ('4' 0, '7' 1, '8' 2, '16' 3)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.6709339076116373:1.5051616675452284]
  set ytics nomirror out ('0.8' 0.8, '1.0' 1, '1.2' 1.2000000000000002, '1.4' 1.4000000000000001)
  set ylabel 'time balanced / time published'
  set label 1 'What it gains, full mask' at screen 0.09062, screen 0.48114 left font ',13'
  plot data every ::32::35 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::32::35 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#000000' notitle, \
       data every ::36::39 using (num('place')):(num('y')) with points pt 6 ps 0.9 lc rgb '#000000' notitle, \
       data every ::40::43 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::40::43 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#000000' notitle, \
       data every ::44::47 using (num('place')):(num('y')) with points pt 4 ps 0.9 lc rgb '#000000' notitle, \
       data every ::48::49 using (num('place')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.46286
  set bmargin at screen 0.16571
  unset logscale x
  set xrange [-0.315:3.315]
  set xtics nomirror out ('4' 0, '7' 1, '8' 2, '16' 3)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.6437961855587797:1.4724953132498875]
  set ytics nomirror out ('0.8' 0.8, '1.0' 1, '1.2' 1.2000000000000002, '1.4' 1.4000000000000001)
  set ylabel 'time balanced / time published'
  set label 1 'What it gains, causal mask' at screen 0.45010, screen 0.48114 left font ',13'
  plot data every ::50::53 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::50::53 using (num('place')):(num('y')) with points pt 7 ps 0.9 lc rgb '#000000' notitle, \
       data every ::54::57 using (num('place')):(num('y')) with points pt 6 ps 0.9 lc rgb '#000000' notitle, \
       data every ::58::61 using (num('place')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::58::61 using (num('place')):(num('y')) with points pt 5 ps 0.9 lc rgb '#000000' notitle, \
       data every ::62::65 using (num('place')):(num('y')) with points pt 4 ps 0.9 lc rgb '#000000' notitle, \
       data every ::66::67 using (num('place')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.73771, screen 0.87429 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 7 ps 0.9 lc rgb '#d46207' title 'published, cqs', \
       NaN with points pt 7 ps 0.9 lc rgb '#2572aa' title 'balanced, cqs', \
       NaN with points pt 7 ps 0.9 lc rgb '#000000' title 'ratio, cqs', \
       NaN with points pt 6 ps 0.9 lc rgb '#000000' title 'ratio of pairs, cqs', \
       NaN with points pt 5 ps 0.9 lc rgb '#d46207' title 'published, cqs_sharded', \
       NaN with points pt 5 ps 0.9 lc rgb '#2572aa' title 'balanced, cqs_sharded', \
       NaN with points pt 5 ps 0.9 lc rgb '#000000' title 'ratio, cqs_sharded', \
       NaN with points pt 4 ps 0.9 lc rgb '#000000' title 'ratio of pairs, cqs_sharded', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'no gain'
  unset multiplot
}
unset output
