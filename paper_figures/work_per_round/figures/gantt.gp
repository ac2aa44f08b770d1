# Draws gantt.svg, gantt.pdf and gantt.png from gantt.csv: gnuplot gantt.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gantt.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1279 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gantt' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.323in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2558 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gantt.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'What each worker does when' at screen 0.01875, screen 0.98124 left font ',16'
  set label 102 'N = 4,096, W = 8; N = 4,096, W = 8, B = 1, H = 4, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 8 on 2 cores; 7' at screen 0.01875, screen 0.96403 left font ',11' textcolor rgb '#444444'
  set label 103 'repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.95152 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.03831 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready. At the edges of a bar: its messages on their way, as far as the run has their times.' at screen 0.01875, screen 0.02580 left font ',11' textcolor rgb '#444444'
  set label 106 'Waiting between steps: steps.csv says nothing of this time, in which a worker sends, plans its next step or has no processor.' at screen 0.01875, screen 0.01329 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.91400
  set bmargin at screen 0.81392
  unset logscale x
  set xrange [0:89.82574514000589]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'cqs: 78.95 ms' at screen 0.09062, screen 0.92651 left font ',13'
  plot data every ::0::7 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::8::15 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::16::23 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.73573
  set bmargin at screen 0.63565
  unset logscale x
  set xrange [0:89.82574514000589]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'cqs_sharded: 77.73 ms' at screen 0.09062, screen 0.74824 left font ',13'
  plot data every ::24::31 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::32::47 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::48::55 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::56::77 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::78::85 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::78::85 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::86::93 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::86::93 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.55747
  set bmargin at screen 0.45739
  unset logscale x
  set xrange [0:89.82574514000589]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'ring: 84.74 ms' at screen 0.09062, screen 0.56998 left font ',13'
  plot data every ::94::121 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::122::177 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::178::194 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::195::244 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::245::252 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::245::252 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::253::259 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::253::259 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::260::265 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::260::265 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::266::270 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::266::270 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::271::274 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::271::274 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::275::277 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::275::277 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::278::279 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::278::279 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::280::280 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::280::280 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.37920
  set bmargin at screen 0.27912
  unset logscale x
  set xrange [0:89.82574514000589]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'striped: 84.33 ms' at screen 0.09062, screen 0.39171 left font ',13'
  plot data every ::281::336 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::337::351 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::352::406 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::407::414 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::407::414 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::415::422 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::415::422 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::423::430 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::423::430 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::431::438 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::431::438 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::439::446 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::439::446 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::447::454 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::447::454 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::455::462 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::455::462 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::463::470 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::463::470 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.20094
  set bmargin at screen 0.10086
  unset logscale x
  set xrange [0:89.82574514000589]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'zigzag: 83.29 ms' at screen 0.09062, screen 0.21345 left font ',13'
  plot data every ::471::526 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::527::535 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::536::586 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::587::594 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::587::594 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::595::602 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::595::602 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::603::610 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::603::610 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::611::618 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::611::618 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::619::626 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::619::626 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::627::634 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::627::634 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::635::642 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::635::642 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::643::650 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::643::650 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
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
  set key at screen 0.78396, screen 0.91400 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f3e3b0' title 'waiting between steps'
  unset multiplot
}
unset output
