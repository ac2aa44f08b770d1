# Draws work_per_round.svg, work_per_round.pdf and work_per_round.png from work_per_round.csv: gnuplot work_per_round.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'work_per_round.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,453 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'work_per_round' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,4.719in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,906 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'work_per_round.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Query-key pairs in each round' at screen 0.01875, screen 0.94702 left font ',16'
  set label 102 'N = 4,096, W = 8, B = 1, H = 4, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 8 on 2 cores; 7 repeats; AMD EPYC,' at screen 0.01875, screen 0.89845 left font ',11' textcolor rgb '#444444'
  set label 103 'family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.86313 left font ',11' textcolor rgb '#444444'
  set label 104 'A mark is the busiest worker of a round, and its bar ends at the least busy one; both are counts from the plans. A round ends when its busiest' at screen 0.01875, screen 0.07285 left font ',11' textcolor rgb '#444444'
  set label 105 'worker has ended.' at screen 0.01875, screen 0.03753 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.12917
  set rmargin at screen 0.41177
  set tmargin at screen 0.75717
  set bmargin at screen 0.24945
  unset logscale x
  set xrange [-0.6140000000000001:7.614]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set xlabel 'round'
  unset logscale y
  set yrange [0:1250698.24]
  set ytics nomirror out ('0.0 M' 0, '0.5 M' 5e+05, '1.0 M' 1e+06)
  set ylabel 'unmasked pairs a head'
  set label 1 'N = 4,096, W = 8, causal mask' at screen 0.12917, screen 0.79249 left font ',13'
  plot data every ::0::0 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::0::0 using (num('x')):(num('y')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::1::3 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::1::3 using (num('x')):(num('y')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::4::11 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::4::11 using (num('x')):(num('y')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::12::19 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::12::19 using (num('x')):(num('y')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::20::27 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::20::27 using (num('x')):(num('y')) with points pt 11 ps 0.9 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.55031
  set rmargin at screen 0.83292
  set tmargin at screen 0.75717
  set bmargin at screen 0.24945
  unset logscale x
  set xrange [0:2084316.1600000001]
  set xtics nomirror out ('0.0 M' 0, '0.5 M' 5e+05, '1.0 M' 1e+06, '1.5 M' 1500000, '2.0 M' 2e+06)
  set xlabel 'unmasked pairs a head'
  unset logscale y
  set yrange [4.618:-0.618]
  set ytics nomirror out ('cqs' 0, 'cqs_sharded' 1, 'ring' 2, 'striped' 3, 'zigzag' 4)
  set ylabel ''
  set label 1 'critical path: the sum of the busiest' at screen 0.55031, screen 0.79249 left font ',13'
  plot data every ::28::28 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::28::28 using (num('x')):(num('y')):('1.18 M (60 %)') with labels font ',11' notitle, \
       data every ::29::29 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::29::29 using (num('x')):(num('y')):('1.18 M (60 %)') with labels font ',11' notitle, \
       data every ::30::30 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::30::30 using (num('x')):(num('y')):('1.97 M (100 %)') with labels font ',11' notitle, \
       data every ::31::31 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::31::31 using (num('x')):(num('y')):('1.05 M (53 %)') with labels font ',11' notitle, \
       data every ::32::32 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::32::32 using (num('x')):(num('y')):('1.05 M (53 %)') with labels font ',11' notitle
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
  set key at screen 0.86104, screen 0.75717 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 13 ps 0.9 lc rgb '#d46207' title 'cqs', \
       NaN with points pt 13 ps 0.9 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with points pt 9 ps 0.9 lc rgb '#2572aa' title 'ring', \
       NaN with points pt 5 ps 0.9 lc rgb '#e6a216' title 'striped', \
       NaN with points pt 11 ps 0.9 lc rgb '#409877' title 'zigzag'
  unset multiplot
}
unset output
