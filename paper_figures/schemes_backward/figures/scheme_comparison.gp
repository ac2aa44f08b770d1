# Draws scheme_comparison.svg, scheme_comparison.pdf and scheme_comparison.png from scheme_comparison.csv: gnuplot scheme_comparison.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'scheme_comparison.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1216 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'scheme_comparison' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,12.667in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2432 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'scheme_comparison.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Schemes of splitting exact attention at one length' at screen 0.01875, screen 0.98026 left font ',16'
  set label 102 'backward pass, no link limit; N = 2,048, B = 1, H = 8, d = 64, bf16, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 6 to 11' at screen 0.01875, screen 0.96217 left font ',11' textcolor rgb '#444444'
  set label 103 'repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit d0c284855df0; 2026-11-23' at screen 0.01875, screen 0.94901 left font ',11' textcolor rgb '#444444'
  set label 104 'Drawn: backward pass, no link limit.' at screen 0.01875, screen 0.13240 left font ',11' textcolor rgb '#444444'
  set label 105 'Not drawn: 7 schemes (both passes, no link limit); 7 schemes (no link limit); 18 cases (burst is not one of the schemes compared here); 18 cases' at screen 0.01875, screen 0.11924 left font ',11' textcolor rgb '#444444'
  set label 106 '(pass_kv is not one of the schemes compared here).' at screen 0.01875, screen 0.10609 left font ',11' textcolor rgb '#444444'
  set label 107 'Slowest worker: query-key pairs of the slowest worker of each round, summed over rounds, over unmasked pairs / W; 1 is perfect balance and no pair' at screen 0.01875, screen 0.09293 left font ',11' textcolor rgb '#444444'
  set label 108 'in vain. cqs scatters from one root and gathers there; cqs_sharded begins and ends sharded, as the others do.' at screen 0.01875, screen 0.07977 left font ',11' textcolor rgb '#444444'
  set label 109 'Pairs and bytes follow from the plan. Memory is measured where a case measured it, else predicted.' at screen 0.01875, screen 0.06661 left font ',11' textcolor rgb '#444444'
  set label 110 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median) in 36 of 38 points, 98.8 % interval of the median of 11' at screen 0.01875, screen 0.05345 left font ',11' textcolor rgb '#444444'
  set label 111 'repeats in 2.' at screen 0.01875, screen 0.04030 left font ',11' textcolor rgb '#444444'
  set label 112 'serial: one device played the workers in turn; its wall clock is the critical path composed of them, without a network.' at screen 0.01875, screen 0.02714 left font ',11' textcolor rgb '#444444'
  set label 113 'Hollow: 2 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.01398 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.87747
  set bmargin at screen 0.71299
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.9562713518789654:1.9183016105417277]
  set ytics nomirror out ('1.0' 1, '1.2' 1.2000000000000002, '1.4' 1.4000000000000001, '1.6' 1.6, '1.8' 1.8)
  set ylabel 'slowest / ideal'
  set label 1 'pairs of the slowest worker' at screen 0.09062, screen 0.91201 left font ',13'
  set label 2 'striped = zigzag = ulysses = all_gather_kv' at screen 0.09062, screen 0.90132 left font ',11' textcolor rgb '#e6a216'
  set label 3 'cqs = cqs_sharded' at screen 0.09062, screen 0.89062 left font ',11' textcolor rgb '#d46207'
  plot data every ::0::1 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::0::1 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::4::6 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::4::6 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::7::9 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::7::9 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::19::20 using (num('workers')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.87747
  set bmargin at screen 0.71299
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.9501220107369448:2.047437774524158]
  set ytics nomirror out ('1.00' 1, '1.25' 1.25, '1.50' 1.5, '1.75' 1.75, '2.00' 2)
  set ylabel 'executed / unmasked'
  set label 1 'pairs of all workers' at screen 0.49250, screen 0.92270 left font ',13'
  set label 2 'ring = ulysses = cqs (4 to 8) =' at screen 0.49250, screen 0.91201 left font ',11' textcolor rgb '#2572aa'
  set label 3 'cqs_sharded (4 to 8)' at screen 0.49250, screen 0.90132 left font ',11' textcolor rgb '#2572aa'
  set label 4 'zigzag = all_gather_kv' at screen 0.49250, screen 0.89062 left font ',11' textcolor rgb '#409877'
  plot data every ::25::27 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::25::27 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::28::30 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::28::30 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::31::33 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::31::33 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::40::41 using (num('workers')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.60938
  set bmargin at screen 0.44490
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.7692607316937388:13.080740489436712]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'sent (MiB)'
  set label 1 'sent by the busiest device' at screen 0.09062, screen 0.63322 left font ',13'
  set label 2 'ring = striped = zigzag' at screen 0.09062, screen 0.62253 left font ',11' textcolor rgb '#2572aa'
  plot data every ::42::43 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::42::43 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::44::45 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::44::45 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::46::48 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::46::48 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::55::57 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::55::57 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::58::60 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::58::60 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.60938
  set bmargin at screen 0.44490
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  set logscale y
  set yrange [3.8125912706754677:45.30860645088153]
  set ytics nomirror out ('5' 5, '10' 10, '20' 20, '' 4 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 30 1, '' 40 1)
  set ylabel 'peak memory (MiB)'
  set label 1 'memory of the fullest device' at screen 0.49250, screen 0.64391 left font ',13'
  set label 2 'ring = striped = zigzag, threads' at screen 0.49250, screen 0.63322 left font ',11' textcolor rgb '#2572aa'
  set label 3 'ring = striped = zigzag, serial, composed' at screen 0.49250, screen 0.62253 left font ',11' textcolor rgb '#2572aa'
  plot data every ::61::62 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::61::62 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::63::64 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::63::64 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::65::67 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::65::67 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::74::76 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::74::76 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::77::79 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::77::79 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::80::81 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::80::81 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::82::83 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::82::83 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::84::86 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::84::86 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::93::95 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 14 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::93::95 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::96::98 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::96::98 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.36266
  set bmargin at screen 0.19819
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:80.60803389769717]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set ylabel 'exposed (ms)'
  set label 1 'exposed communication, longest' at screen 0.09062, screen 0.37582 left font ',13'
  plot data every ::99::100 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::99::100 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::101::102 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::101::102 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::103::105 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::103::105 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::106::108 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::106::108 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::109::111 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::109::111 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::112::114 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::112::114 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::115::117 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::115::117 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.36266
  set bmargin at screen 0.19819
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  set logscale y
  set yrange [13.02200063081773:294.3425630617447]
  set ytics nomirror out ('20' 20, '50' 50, '100' 100, '200' 200, '' 30 1, '' 40 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'wall clock (ms)'
  set label 1 'wall clock' at screen 0.49250, screen 0.37582 left font ',13'
  plot data every ::118::119 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::118::119 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::118::119 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::120::121 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::120::121 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::120::121 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::122::124 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::122::124 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::122::124 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::125::127 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::125::127 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::125::127 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::128::130 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::128::130 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::128::130 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::131::133 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::131::133 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::131::133 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::134::136 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::134::136 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::134::136 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::137::138 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::137::138 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::137::138 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::139::140 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::139::140 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::139::140 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::141::143 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::141::143 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::141::143 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::144::146 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::144::146 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 4 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::144::146 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::147::149 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::147::149 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 10 ps 0.75 lc rgb '#409877' notitle, \
       data every ::147::149 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::150::152 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::150::152 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 14 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::150::152 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::153::155 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::153::155 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::153::155 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
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
  set key at screen 0.82250, screen 0.87747 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' title 'cqs', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' title 'ulysses', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' title 'all_gather_kv', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' title 'threads', \
       NaN with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'serial, composed'
  unset multiplot
}
unset output
