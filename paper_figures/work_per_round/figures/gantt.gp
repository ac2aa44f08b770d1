# Draws gantt.svg, gantt.pdf and gantt.png from gantt.csv: gnuplot gantt.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gantt.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1263 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gantt' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.156in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2526 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gantt.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'What each worker does when' at screen 0.01875, screen 0.98100 left font ',16'
  set label 102 'B = 1, H = 4, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb' at screen 0.01875, screen 0.96358 left font ',11' textcolor rgb '#444444'
  set label 103 '0.1.0; commit 05810fb56efb with changes; 2026-11-20' at screen 0.01875, screen 0.95091 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.02613 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready.' at screen 0.01875, screen 0.01346 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.91291
  set bmargin at screen 0.81156
  unset logscale x
  set xrange [0:103.40239685669076]
  set xtics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'cqs, N = 4,096, W = 8, threads: 69.97 ms' at screen 0.09062, screen 0.92557 left font ',13'
  plot data every ::0::7 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::8::15 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.73238
  set bmargin at screen 0.63104
  unset logscale x
  set xrange [0:103.40239685669076]
  set xtics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'cqs_sharded, N = 4,096, W = 8, threads: 89.00 ms' at screen 0.09062, screen 0.74505 left font ',13'
  plot data every ::16::23 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::24::31 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::24::31 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::32::39 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::32::39 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::40::55 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::56::64 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.55186
  set bmargin at screen 0.45051
  unset logscale x
  set xrange [0:103.40239685669076]
  set xtics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'ring, N = 4,096, W = 8, threads: 81.89 ms' at screen 0.09062, screen 0.56453 left font ',13'
  plot data every ::65::92 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::93::100 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::93::100 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::101::107 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::101::107 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::108::113 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::108::113 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::114::118 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::114::118 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::119::122 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::119::122 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::123::125 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::123::125 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::126::127 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::126::127 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::128::128 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::128::128 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle, \
       data every ::129::184 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::185::207 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.37134
  set bmargin at screen 0.26999
  unset logscale x
  set xrange [0:103.40239685669076]
  set xtics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'striped, N = 4,096, W = 8, threads: 89.32 ms' at screen 0.09062, screen 0.38401 left font ',13'
  plot data every ::208::215 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::208::215 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::216::223 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::216::223 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::224::231 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::224::231 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::232::239 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::232::239 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::240::247 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::240::247 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::248::255 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::248::255 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::256::263 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::256::263 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::264::271 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::264::271 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle, \
       data every ::272::327 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::328::340 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.19082
  set bmargin at screen 0.08947
  unset logscale x
  set xrange [0:103.40239685669076]
  set xtics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'zigzag, N = 4,096, W = 8, threads: 97.55 ms' at screen 0.09062, screen 0.20348 left font ',13'
  plot data every ::341::348 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::341::348 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::349::356 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::349::356 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::357::364 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::357::364 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::365::372 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::365::372 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::373::380 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::373::380 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::381::388 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::381::388 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::389::396 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::389::396 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::397::404 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::397::404 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle, \
       data every ::405::460 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::461::477 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
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
  set key at screen 0.78396, screen 0.91291 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle'
  unset multiplot
}
unset output
