# Draws work_per_round.svg, work_per_round.pdf and work_per_round.png from work_per_round.csv: gnuplot work_per_round.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'work_per_round.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1145 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'work_per_round' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,11.927in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2290 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'work_per_round.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Query-key pairs in each round' at screen 0.01875, screen 0.97904 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 8, d = 64, f32, flash kernel, cpu, serial ranks, all cores; 3 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24' at screen 0.01875, screen 0.95983 left font ',11' textcolor rgb '#444444'
  set label 103 'GiB; qb 0.1.0; commit 4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.94585 left font ',11' textcolor rgb '#444444'
  set label 104 'A mark is the busiest worker of a round, and its bar ends at the least busy one; both are counts from the plans. A round ends when its busiest' at screen 0.01875, screen 0.05677 left font ',11' textcolor rgb '#444444'
  set label 105 'worker has ended.' at screen 0.01875, screen 0.04279 left font ',11' textcolor rgb '#444444'
  set label 106 'Without a panel, since each case is a single round: N = 8,192, W = 7, causal longformer mask (cqs); N = 8,192, W = 7, bigbird mask (cqs); N =' at screen 0.01875, screen 0.02882 left font ',11' textcolor rgb '#444444'
  set label 107 '8,192, W = 7, sliding_window mask (cqs).' at screen 0.01875, screen 0.01485 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.14458
  set rmargin at screen 0.40406
  set tmargin at screen 0.90393
  set bmargin at screen 0.70306
  unset logscale x
  set xrange [-0.6140000000000001:7.614]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set xlabel 'round'
  unset logscale y
  set yrange [0:347340.80000000005]
  set ytics nomirror out ('0' 0, '100,000' 1e+05, '200,000' 2e+05, '300,000' 3e+05)
  set ylabel 'unmasked pairs a head'
  set label 1 'N = 8,192, W = 8, causal longformer mask' at screen 0.14458, screen 0.91790 left font ',13'
  plot data every ::0::1 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::0::1 using (num('x')):(num('y')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::2::9 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::2::9 using (num('x')):(num('y')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::10::17 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::10::17 using (num('x')):(num('y')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::18::20 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::18::20 using (num('x')):(num('y')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::21::28 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::21::28 using (num('x')):(num('y')) with points pt 11 ps 0.9 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.55802
  set rmargin at screen 0.81750
  set tmargin at screen 0.90393
  set bmargin at screen 0.70306
  unset logscale x
  set xrange [0:814113.92]
  set xtics nomirror out ('0' 0, '200,000' 2e+05, '400,000' 4e+05, '600,000' 6e+05, '800,000' 8e+05)
  set xlabel 'unmasked pairs a head'
  unset logscale y
  set yrange [4.618:-0.618]
  set ytics nomirror out ('all_gather_kv' 0, 'ring' 1, 'striped' 2, 'ulysses' 3, 'zigzag' 4)
  set ylabel ''
  set label 1 'critical path: the sum of the busiest' at screen 0.55802, screen 0.91790 left font ',13'
  plot data every ::29::29 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c4a885' notitle, \
       data every ::29::29 using (num('x')):(num('y')):('328 k (43 %)') with labels font ',11' notitle, \
       data every ::30::30 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::30::30 using (num('x')):(num('y')):('768 k (100 %)') with labels font ',11' notitle, \
       data every ::31::31 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::31::31 using (num('x')):(num('y')):('321 k (42 %)') with labels font ',11' notitle, \
       data every ::32::32 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::32::32 using (num('x')):(num('y')):('321 k (42 %)') with labels font ',11' notitle, \
       data every ::33::33 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::33::33 using (num('x')):(num('y')):('735 k (96 %)') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.14458
  set rmargin at screen 0.40406
  set tmargin at screen 0.61572
  set bmargin at screen 0.41485
  unset logscale x
  set xrange [-0.6140000000000001:7.614]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set xlabel 'round'
  unset logscale y
  set yrange [0:1050638.08]
  set ytics nomirror out ('0.00 M' 0, '0.25 M' 250000, '0.50 M' 5e+05, '0.75 M' 750000, '1.00 M' 1e+06)
  set ylabel 'unmasked pairs a head'
  set label 1 'N = 8,192, W = 8, bigbird mask' at screen 0.14458, screen 0.62969 left font ',13'
  plot data every ::34::35 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::34::35 using (num('x')):(num('y')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::36::43 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::36::43 using (num('x')):(num('y')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::44::51 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::44::51 using (num('x')):(num('y')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::52::54 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::52::54 using (num('x')):(num('y')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::55::62 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::55::62 using (num('x')):(num('y')) with points pt 11 ps 0.9 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.55802
  set rmargin at screen 0.81750
  set tmargin at screen 0.61572
  set bmargin at screen 0.41485
  unset logscale x
  set xrange [0:1085440]
  set xtics nomirror out ('0.00 M' 0, '0.25 M' 250000, '0.50 M' 5e+05, '0.75 M' 750000, '1.00 M' 1e+06)
  set xlabel 'unmasked pairs a head'
  unset logscale y
  set yrange [4.618:-0.618]
  set ytics nomirror out ('all_gather_kv' 0, 'ring' 1, 'striped' 2, 'ulysses' 3, 'zigzag' 4)
  set ylabel ''
  set label 1 'critical path: the sum of the busiest' at screen 0.55802, screen 0.62969 left font ',13'
  plot data every ::63::63 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c4a885' notitle, \
       data every ::63::63 using (num('x')):(num('y')):('991 k (97 %)') with labels font ',11' notitle, \
       data every ::64::64 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::64::64 using (num('x')):(num('y')):('1.02 M (100 %)') with labels font ',11' notitle, \
       data every ::65::65 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::65::65 using (num('x')):(num('y')):('576 k (56 %)') with labels font ',11' notitle, \
       data every ::66::66 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::66::66 using (num('x')):(num('y')):('576 k (56 %)') with labels font ',11' notitle, \
       data every ::67::67 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::67::67 using (num('x')):(num('y')):('1 M (98 %)') with labels font ',11' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.14458
  set rmargin at screen 0.40406
  set tmargin at screen 0.32751
  set bmargin at screen 0.12664
  unset logscale x
  set xrange [-0.6140000000000001:7.614]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set xlabel 'round'
  unset logscale y
  set yrange [0:277872.64]
  set ytics nomirror out ('0' 0, '100,000' 1e+05, '200,000' 2e+05)
  set ylabel 'unmasked pairs a head'
  set label 1 'N = 8,192, W = 8, sliding_window mask' at screen 0.14458, screen 0.34148 left font ',13'
  plot data every ::68::69 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::68::69 using (num('x')):(num('y')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::70::77 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::70::77 using (num('x')):(num('y')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::78::85 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::78::85 using (num('x')):(num('y')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::86::88 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::86::88 using (num('x')):(num('y')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::89::96 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::89::96 using (num('x')):(num('y')) with points pt 11 ps 0.9 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.55802
  set rmargin at screen 0.81750
  set tmargin at screen 0.32751
  set bmargin at screen 0.12664
  unset logscale x
  set xrange [0:295239.68]
  set xtics nomirror out ('0' 0, '100,000' 1e+05, '200,000' 2e+05)
  set xlabel 'unmasked pairs a head'
  unset logscale y
  set yrange [4.618:-0.618]
  set ytics nomirror out ('all_gather_kv' 0, 'ring' 1, 'striped' 2, 'ulysses' 3, 'zigzag' 4)
  set ylabel ''
  set label 1 'critical path: the sum of the busiest' at screen 0.55802, screen 0.34148 left font ',13'
  plot data every ::97::97 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c4a885' notitle, \
       data every ::97::97 using (num('x')):(num('y')):('262 k (94 %)') with labels font ',11' notitle, \
       data every ::98::98 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::98::98 using (num('x')):(num('y')):('262 k (94 %)') with labels font ',11' notitle, \
       data every ::99::99 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::99::99 using (num('x')):(num('y')):('260 k (93 %)') with labels font ',11' notitle, \
       data every ::100::100 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::100::100 using (num('x')):(num('y')):('260 k (93 %)') with labels font ',11' notitle, \
       data every ::101::101 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::101::101 using (num('x')):(num('y')):('279 k (100 %)') with labels font ',11' notitle
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
  set key at screen 0.84562, screen 0.90393 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 9 ps 0.9 lc rgb '#2572aa' title 'ring', \
       NaN with points pt 5 ps 0.9 lc rgb '#e6a216' title 'striped', \
       NaN with points pt 11 ps 0.9 lc rgb '#409877' title 'zigzag', \
       NaN with points pt 15 ps 0.9 lc rgb '#c877a5' title 'ulysses', \
       NaN with points pt 7 ps 0.9 lc rgb '#8a520d' title 'all_gather_kv'
  unset multiplot
}
unset output
