# Draws scheme_passes.svg, scheme_passes.pdf and scheme_passes.png from scheme_passes.csv: gnuplot scheme_passes.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'scheme_passes.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1217 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'scheme_passes' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,12.677in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2434 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'scheme_passes.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Schemes of splitting exact attention, by pass' at screen 0.01875, screen 0.98028 left font ',16'
  set label 102 'N = 2,048, B = 1, H = 8, d = 64, bf16, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 6 to 11 repeats; AMD EPYC, family 25 model' at screen 0.01875, screen 0.96220 left font ',11' textcolor rgb '#444444'
  set label 103 '1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit d0c284855df0; 2026-11-23' at screen 0.01875, screen 0.94906 left font ',11' textcolor rgb '#444444'
  set label 104 'Both passes: a repeat times one after the other; bytes and times are sums. Bytes follow from the plans, and are those of the worker that sends' at screen 0.01875, screen 0.07970 left font ',11' textcolor rgb '#444444'
  set label 105 'most. A worker''s memory is measured where a case measured it, else predicted.' at screen 0.01875, screen 0.06656 left font ',11' textcolor rgb '#444444'
  set label 106 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median) in 144 of 150 points, 98.8 % interval of the median of 11' at screen 0.01875, screen 0.05341 left font ',11' textcolor rgb '#444444'
  set label 107 'repeats in 6.' at screen 0.01875, screen 0.04026 left font ',11' textcolor rgb '#444444'
  set label 108 'serial: one device played the workers in turn; its wall clock is the critical path composed of them, without a network.' at screen 0.01875, screen 0.02712 left font ',11' textcolor rgb '#444444'
  set label 109 'Hollow: 6 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.01397 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.19734
  set tmargin at screen 0.86689
  set bmargin at screen 0.70255
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:4.2565625]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4)
  set ylabel 'sent (MiB)'
  set label 1 'bytes sent, forward pass' at screen 0.09062, screen 0.92276 left font ',13'
  set label 2 'ring = striped' at screen 0.09062, screen 0.91208 left font ',11' textcolor rgb '#2572aa'
  set label 3 '= zigzag =' at screen 0.09062, screen 0.90140 left font ',11' textcolor rgb '#2572aa'
  set label 4 'pass_kv = burst' at screen 0.09062, screen 0.89071 left font ',11' textcolor rgb '#2572aa'
  set label 5 '= all_gather_kv' at screen 0.09062, screen 0.88003 left font ',11' textcolor rgb '#2572aa'
  plot data every ::0::1 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::0::1 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::2::3 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::2::3 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::4::6 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::4::6 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::19::21 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::19::21 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.29734
  set rmargin at screen 0.40406
  set tmargin at screen 0.86689
  set bmargin at screen 0.70255
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:19.226992187500002]
  set ytics nomirror out ('0' 0, '5' 5, '10' 10, '15' 15)
  set ylabel 'peak memory (MiB)'
  set label 1 'memory of the fullest device' at screen 0.29734, screen 0.91208 left font ',13'
  set label 2 'ring = striped' at screen 0.29734, screen 0.90140 left font ',11' textcolor rgb '#2572aa'
  set label 3 '= zigzag =' at screen 0.29734, screen 0.89071 left font ',11' textcolor rgb '#2572aa'
  set label 4 'pass_kv = burst' at screen 0.29734, screen 0.88003 left font ',11' textcolor rgb '#2572aa'
  plot data every ::25::26 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::25::26 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::27::28 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::27::28 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::29::31 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::29::31 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::44::46 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::44::46 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::47::49 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::47::49 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.50406
  set rmargin at screen 0.61078
  set tmargin at screen 0.86689
  set bmargin at screen 0.70255
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:98.97204311930182]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set ylabel 'time (ms)'
  set label 1 'wall clock, threads' at screen 0.50406, screen 0.88003 left font ',13'
  plot data every ::50::51 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::50::51 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::50::51 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::52::53 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::52::53 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::52::53 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::54::56 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::54::56 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::54::56 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::57::59 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::57::59 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::57::59 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::60::62 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::60::62 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::60::62 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::63::65 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::63::65 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::63::65 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::66::68 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::66::68 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::66::68 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::69::71 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::69::71 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::69::71 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::72::74 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::72::74 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::72::74 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.71078
  set rmargin at screen 0.81750
  set tmargin at screen 0.86689
  set bmargin at screen 0.70255
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:36.6090079998321]
  set ytics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set ylabel 'time (ms)'
  set label 1 'critical path, serial' at screen 0.71078, screen 0.88003 left font ',13'
  plot data every ::75::76 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::75::76 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::75::76 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::77::78 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::77::78 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::77::78 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::79::81 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::79::81 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::79::81 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::82::84 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::82::84 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::82::84 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::85::87 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::85::87 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::85::87 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::88::90 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::88::90 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::88::90 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::91::93 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::91::93 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::91::93 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::94::96 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::94::96 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::94::96 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::97::99 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::97::99 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::97::99 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.19734
  set tmargin at screen 0.58833
  set bmargin at screen 0.42399
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.7692607316937388:13.080740489436712]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'sent (MiB)'
  set label 1 'bytes sent, backward pass' at screen 0.09062, screen 0.63353 left font ',13'
  set label 2 'ring = striped' at screen 0.09062, screen 0.62284 left font ',11' textcolor rgb '#2572aa'
  set label 3 '= zigzag =' at screen 0.09062, screen 0.61216 left font ',11' textcolor rgb '#2572aa'
  set label 4 'pass_kv' at screen 0.09062, screen 0.60148 left font ',11' textcolor rgb '#2572aa'
  plot data every ::100::101 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::100::101 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::102::103 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::102::103 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::104::106 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::104::106 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::116::118 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::116::118 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::119::121 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::119::121 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::122::124 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::122::124 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.29734
  set rmargin at screen 0.40406
  set tmargin at screen 0.58833
  set bmargin at screen 0.42399
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  set logscale y
  set yrange [3.815602517111518:44.56360115411606]
  set ytics nomirror out ('5' 5, '10' 10, '20' 20, '' 4 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 30 1, '' 40 1)
  set ylabel 'peak memory (MiB)'
  set label 1 'memory of the fullest device' at screen 0.29734, screen 0.63353 left font ',13'
  set label 2 'ring = striped' at screen 0.29734, screen 0.62284 left font ',11' textcolor rgb '#2572aa'
  set label 3 '= zigzag =' at screen 0.29734, screen 0.61216 left font ',11' textcolor rgb '#2572aa'
  set label 4 'pass_kv' at screen 0.29734, screen 0.60148 left font ',11' textcolor rgb '#2572aa'
  plot data every ::125::126 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::125::126 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::127::128 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::127::128 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::129::131 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::129::131 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::141::143 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::141::143 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::144::146 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::144::146 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::147::149 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::147::149 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.50406
  set rmargin at screen 0.61078
  set tmargin at screen 0.58833
  set bmargin at screen 0.42399
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:270.77309389997026]
  set ytics nomirror out ('0' 0, '100' 100, '200' 200)
  set ylabel 'time (ms)'
  set label 1 'wall clock, threads' at screen 0.50406, screen 0.60148 left font ',13'
  plot data every ::150::151 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::150::151 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::150::151 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::152::153 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::152::153 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::152::153 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::154::156 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::154::156 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::154::156 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::157::159 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::157::159 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::157::159 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::160::162 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::160::162 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::160::162 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::163::165 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::163::165 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::163::165 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::166::168 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::166::168 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::166::168 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::169::171 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::169::171 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::169::171 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::172::174 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::172::174 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::172::174 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.71078
  set rmargin at screen 0.81750
  set tmargin at screen 0.58833
  set bmargin at screen 0.42399
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:94.64445002071443]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set ylabel 'time (ms)'
  set label 1 'critical path, serial' at screen 0.71078, screen 0.60148 left font ',13'
  plot data every ::175::176 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::175::176 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::175::176 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::177::178 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::177::178 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::177::178 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::179::181 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::179::181 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::179::181 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::182::184 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::182::184 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::182::184 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::185::187 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::185::187 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::185::187 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::188::190 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::188::190 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::188::190 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::191::193 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::191::193 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::191::193 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::194::196 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::194::196 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::194::196 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::197::199 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::197::199 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::197::199 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 9
  set lmargin at screen 0.09062
  set rmargin at screen 0.19734
  set tmargin at screen 0.30978
  set bmargin at screen 0.14544
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:15.9]
  set ytics nomirror out ('0' 0, '5' 5, '10' 10, '15' 15)
  set ylabel 'sent (MiB)'
  set label 1 'bytes sent, both passes' at screen 0.09062, screen 0.35497 left font ',13'
  set label 2 'ring = striped' at screen 0.09062, screen 0.34429 left font ',11' textcolor rgb '#2572aa'
  set label 3 '= zigzag =' at screen 0.09062, screen 0.33361 left font ',11' textcolor rgb '#2572aa'
  set label 4 'pass_kv' at screen 0.09062, screen 0.32293 left font ',11' textcolor rgb '#2572aa'
  plot data every ::200::201 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::200::201 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::202::203 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::202::203 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::204::206 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::204::206 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::216::218 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::216::218 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::219::221 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::219::221 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::222::224 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::222::224 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 10
  set lmargin at screen 0.29734
  set rmargin at screen 0.40406
  set tmargin at screen 0.30978
  set bmargin at screen 0.14544
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  set logscale y
  set yrange [3.815602517111518:44.56360115411606]
  set ytics nomirror out ('5' 5, '10' 10, '20' 20, '' 4 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 30 1, '' 40 1)
  set ylabel 'peak memory (MiB)'
  set label 1 'memory of the fullest device' at screen 0.29734, screen 0.35497 left font ',13'
  set label 2 'ring = striped' at screen 0.29734, screen 0.34429 left font ',11' textcolor rgb '#2572aa'
  set label 3 '= zigzag =' at screen 0.29734, screen 0.33361 left font ',11' textcolor rgb '#2572aa'
  set label 4 'pass_kv' at screen 0.29734, screen 0.32293 left font ',11' textcolor rgb '#2572aa'
  plot data every ::225::226 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::225::226 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::227::228 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::227::228 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::229::231 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::229::231 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::241::243 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::241::243 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::244::246 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::244::246 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::247::249 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::247::249 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 11
  set lmargin at screen 0.50406
  set rmargin at screen 0.61078
  set tmargin at screen 0.30978
  set bmargin at screen 0.14544
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:453.70790662023865]
  set ytics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set ylabel 'time (ms)'
  set label 1 'wall clock, threads' at screen 0.50406, screen 0.32293 left font ',13'
  plot data every ::250::251 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::250::251 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::250::251 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::252::253 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::252::253 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::252::253 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::254::256 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::254::256 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::254::256 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::257::259 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::257::259 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::257::259 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::260::262 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::260::262 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::260::262 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::263::265 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::263::265 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::263::265 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::266::268 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::266::268 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::266::268 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::269::271 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::269::271 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::269::271 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::272::274 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::272::274 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::272::274 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 12
  set lmargin at screen 0.71078
  set rmargin at screen 0.81750
  set tmargin at screen 0.30978
  set bmargin at screen 0.14544
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:140.94338335948123]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100)
  set ylabel 'time (ms)'
  set label 1 'critical path, serial' at screen 0.71078, screen 0.32293 left font ',13'
  plot data every ::275::276 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::275::276 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::275::276 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::277::278 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::277::278 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::277::278 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::279::281 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::279::281 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::279::281 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::282::284 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::282::284 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::282::284 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::285::287 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::285::287 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::285::287 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::288::290 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::288::290 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::288::290 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::291::293 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::291::293 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' notitle, \
       data every ::291::293 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::294::296 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::294::296 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::294::296 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::297::299 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::297::299 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::297::299 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle
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
  set key at screen 0.84562, screen 0.86689 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' title 'cqs', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' title 'pass_kv', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#3e3300' title 'burst', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' title 'ulysses', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' title 'all_gather_kv'
  unset multiplot
}
unset output
