# Draws work_per_round.svg, work_per_round.pdf and work_per_round.png from work_per_round.csv: gnuplot work_per_round.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'work_per_round.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,585 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'work_per_round' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,6.094in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1170 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'work_per_round.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Query-key pairs in each round' at screen 0.01875, screen 0.95897 left font ',16'
  set label 102 'B = 1, H = 4, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb' at screen 0.01875, screen 0.92137 left font ',11' textcolor rgb '#444444'
  set label 103 '0.1.0; commit 05810fb56efb with changes; 2026-11-20' at screen 0.01875, screen 0.89402 left font ',11' textcolor rgb '#444444'
  set label 104 'Of each round the busiest worker and, thin and hollow, the least busy one, from the plans; a round ends when its busiest worker has ended.' at screen 0.01875, screen 0.11111 left font ',11' textcolor rgb '#444444'
  set label 105 'N = 4,096, W = 8, causal mask: sum over rounds of the busiest (critical path), pairs a head: ring 1.97 M in 8 rounds, zigzag 1.05 M in 8 rounds' at screen 0.01875, screen 0.08376 left font ',11' textcolor rgb '#444444'
  set label 106 '(0.533 of ring), cqs 1.18 M in 1 round (0.600 of ring), striped 1.05 M in 8 rounds (0.534 of ring), cqs_sharded 1.18 M in 3 rounds (0.600 of' at screen 0.01875, screen 0.05641 left font ',11' textcolor rgb '#444444'
  set label 107 'ring).' at screen 0.01875, screen 0.02906 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09833
  set rmargin at screen 0.83292
  set tmargin at screen 0.81197
  set bmargin at screen 0.24786
  unset logscale x
  set xrange [-0.35000000000000003:7.35]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set xlabel 'round'
  unset logscale y
  set yrange [0:1250698.24]
  set ytics nomirror out ('0' 0, '500,000' 5e+05, '1 M' 1e+06)
  set ylabel 'unmasked pairs a head'
  set label 1 'N = 4,096, W = 8, causal mask' at screen 0.09833, screen 0.83932 left font ',13'
  plot data every ::0::7 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 8 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::8::15 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 10 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::16::16 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 12 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::17::24 using (num('round')):(num('unmasked_pairs')) with linespoints dt (7,3) lw 0.8 pt 4 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::25::27 using (num('round')):(num('unmasked_pairs')) with linespoints lw 0.8 pt 12 ps 0.75 lc rgb '#882255' notitle, \
       data every ::28::35 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::36::43 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::44::44 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::45::52 using (num('round')):(num('unmasked_pairs')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::53::55 using (num('round')):(num('unmasked_pairs')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle
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
  set key at screen 0.86104, screen 0.81197 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' title 'ring', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' title 'cqs', \
       NaN with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' title 'striped', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#882255' title 'cqs_sharded'
  unset multiplot
}
unset output
