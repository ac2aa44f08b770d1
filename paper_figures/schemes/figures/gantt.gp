# Draws gantt.svg, gantt.pdf and gantt.png from gantt.csv: gnuplot gantt.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gantt.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,2011 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gantt' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,20.948in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,4022 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gantt.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'What each worker does when' at screen 0.01875, screen 0.98807 left font ',16'
  set label 102 'N = 8,192, W = 8, mpi; N = 8,192, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 7 to 12 repeats; AMD' at screen 0.01875, screen 0.97713 left font ',11' textcolor rgb '#444444'
  set label 103 'EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 47ba9886139a; 2026-11-24' at screen 0.01875, screen 0.96917 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.04823 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready. At the edges of a bar: its messages on their way, as far as the run has their times.' at screen 0.01875, screen 0.04028 left font ',11' textcolor rgb '#444444'
  set label 106 'Waiting between steps: steps.csv says nothing of this time, in which a worker sends, plans its next step or has no processor.' at screen 0.01875, screen 0.03232 left font ',11' textcolor rgb '#444444'
  set label 107 'Drawn: 8 of 44 cases, of each algorithm the longest sequence with the most workers first; left out: 36 (all_gather_kv, N = 8,192, W = 8, threads;' at screen 0.01875, screen 0.02437 left font ',11' textcolor rgb '#444444'
  set label 108 'cqs, N = 8,192, W = 8, threads; cqs_sharded, N = 8,192, W = 8, threads; pass_q, N = 8,192, W = 8, threads; ring, N = 8,192, W = 8, threads;' at screen 0.01875, screen 0.01641 left font ',11' textcolor rgb '#444444'
  set label 109 'striped, N = 8,192, W = 8, threads; ulysses, N = 8,192, W = 8, threads; zigzag, N = 8,192, W = 8, threads; …).' at screen 0.01875, screen 0.00845 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.94530
  set bmargin at screen 0.88165
  unset logscale x
  set xrange [0:642.4090992011043]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'all_gather_kv: 473.30 ms' at screen 0.09062, screen 0.95326 left font ',13'
  plot data every ::0::7 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::8::15 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::16::17 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::18::25 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::26::33 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::26::33 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.83192
  set bmargin at screen 0.76827
  unset logscale x
  set xrange [0:642.4090992011043]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'cqs: 463.24 ms' at screen 0.09062, screen 0.83988 left font ',13'
  plot data every ::34::41 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::42::48 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::49::56 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.71855
  set bmargin at screen 0.65490
  unset logscale x
  set xrange [0:642.4090992011043]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'cqs_sharded: 517.93 ms' at screen 0.09062, screen 0.72650 left font ',13'
  plot data every ::57::64 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::65::80 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::81::88 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::89::104 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::105::112 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::105::112 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::113::120 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::113::120 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.60517
  set bmargin at screen 0.54152
  unset logscale x
  set xrange [0:642.4090992011043]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'pass_q: 548.78 ms, the first 8 of 9 steps' at screen 0.09062, screen 0.61313 left font ',13'
  plot data every ::121::176 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::177::225 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::226::233 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::226::233 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::234::241 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::234::241 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::242::249 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::242::249 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::250::257 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::250::257 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::258::265 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::258::265 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::266::273 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::266::273 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::274::281 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::274::281 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::282::289 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::282::289 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.49180
  set bmargin at screen 0.42815
  unset logscale x
  set xrange [0:642.4090992011043]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'ring: 550.02 ms' at screen 0.09062, screen 0.49975 left font ',13'
  plot data every ::290::317 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::318::373 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::374::392 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::393::428 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::429::436 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::429::436 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::437::443 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::437::443 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::444::449 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::444::449 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::450::454 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::450::454 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::455::458 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::455::458 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::459::461 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::459::461 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::462::463 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::462::463 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::464::464 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::464::464 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.37842
  set bmargin at screen 0.31477
  unset logscale x
  set xrange [0:642.4090992011043]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'striped: 606.05 ms' at screen 0.09062, screen 0.38637 left font ',13'
  plot data every ::465::520 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::521::521 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::522::568 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::569::576 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::569::576 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::577::584 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::577::584 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::585::592 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::585::592 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::593::600 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::593::600 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::601::608 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::601::608 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::609::616 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::609::616 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::617::624 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::617::624 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::625::632 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::625::632 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.26504
  set bmargin at screen 0.20139
  unset logscale x
  set xrange [0:642.4090992011043]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'ulysses: 492.91 ms' at screen 0.09062, screen 0.27300 left font ',13'
  plot data every ::633::648 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::649::664 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::665::677 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::678::692 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::693::700 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::693::700 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.15167
  set bmargin at screen 0.08802
  unset logscale x
  set xrange [0:642.4090992011043]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'zigzag: 516.10 ms' at screen 0.09062, screen 0.15962 left font ',13'
  plot data every ::701::756 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::757::800 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::801::808 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::801::808 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::809::816 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::809::816 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::817::824 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::817::824 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::825::832 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::825::832 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::833::840 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::833::840 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::841::848 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::841::848 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::849::856 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::849::856 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::857::864 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::857::864 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
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
  set key at screen 0.78396, screen 0.94530 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f3e3b0' title 'waiting between steps'
  unset multiplot
}
unset output
