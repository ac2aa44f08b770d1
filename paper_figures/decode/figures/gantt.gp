# Draws gantt.svg, gantt.pdf and gantt.png from gantt.csv: gnuplot gantt.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gantt.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1251 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gantt' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.031in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2502 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gantt.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'What each worker does when' at screen 0.01875, screen 0.98082 left font ',16'
  set label 102 'H = 8, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0;' at screen 0.01875, screen 0.96323 left font ',11' textcolor rgb '#444444'
  set label 103 'commit 3f457904263d; 2026-11-20' at screen 0.01875, screen 0.95044 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.06475 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready.' at screen 0.01875, screen 0.05196 left font ',11' textcolor rgb '#444444'
  set label 106 '6 cases are drawn, of the longest sequences first; left out: 6 (tree_decode, N = 1, W = 4, threads, B = 1; tree_decode, N = 1, W = 4, threads, B =' at screen 0.01875, screen 0.03917 left font ',11' textcolor rgb '#444444'
  set label 107 '4; flash_decoding, N = 1, W = 2, threads, B = 4; flash_decoding, N = 1, W = 2, threads, B = 1; tree_decode, N = 1, W = 2, threads, B = 1;' at screen 0.01875, screen 0.02638 left font ',11' textcolor rgb '#444444'
  set label 108 'tree_decode, N = 1, W = 2, threads, B = 4).' at screen 0.01875, screen 0.01359 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.91207
  set bmargin at screen 0.84812
  unset logscale x
  set xrange [0:78.68246758029272]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'decode, N = 4, W = 4, threads, B = 4: 72.70 ms' at screen 0.09062, screen 0.92486 left font ',13'
  plot data every ::0::79 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::80::143 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::144::186 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.76819
  set bmargin at screen 0.70424
  unset logscale x
  set xrange [0:78.68246758029272]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'decode, N = 4, W = 4, threads, B = 1: 19.26 ms' at screen 0.09062, screen 0.78098 left font ',13'
  plot data every ::187::266 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::267::330 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::331::368 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.62430
  set bmargin at screen 0.56035
  unset logscale x
  set xrange [0:78.68246758029272]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [1.49:-0.49]
  set ytics nomirror out ('0' 0, '1' 1)
  set ylabel 'worker'
  set label 1 'decode, N = 4, W = 2, threads, B = 4: 74.23 ms' at screen 0.09062, screen 0.63709 left font ',13'
  plot data every ::369::376 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::377::378 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::377::378 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::379::380 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::379::380 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::381::382 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::381::382 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::383::384 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::383::384 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::385::386 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::385::386 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::387::388 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::387::388 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle, \
       data every ::389::390 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::389::390 using (num('time_ms')):(num('worker')):('9') with labels font ',11' notitle, \
       data every ::391::392 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::391::392 using (num('time_ms')):(num('worker')):('10') with labels font ',11' notitle, \
       data every ::393::408 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::409::411 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.48042
  set bmargin at screen 0.41647
  unset logscale x
  set xrange [0:78.68246758029272]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [1.49:-0.49]
  set ytics nomirror out ('0' 0, '1' 1)
  set ylabel 'worker'
  set label 1 'decode, N = 4, W = 2, threads, B = 1: 20.37 ms' at screen 0.09062, screen 0.49321 left font ',13'
  plot data every ::412::428 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::429::429 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::429::429 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::430::430 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::430::430 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::431::431 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::431::431 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::432::432 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::432::432 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::433::433 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::433::433 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::434::434 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::434::434 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle, \
       data every ::435::435 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::435::435 using (num('time_ms')):(num('worker')):('9') with labels font ',11' notitle, \
       data every ::436::451 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::452::459 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.33653
  set bmargin at screen 0.27258
  unset logscale x
  set xrange [0:78.68246758029272]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'flash_decoding, N = 1, W = 4, threads, B = 4: 13.34 ms' at screen 0.09062, screen 0.34932 left font ',13'
  plot data every ::460::463 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::464::467 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.19265
  set bmargin at screen 0.12870
  unset logscale x
  set xrange [0:78.68246758029272]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'flash_decoding, N = 1, W = 4, threads, B = 1: 5.29 ms' at screen 0.09062, screen 0.20544 left font ',13'
  plot data every ::468::471 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::472::475 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
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
  set key at screen 0.78396, screen 0.91207 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle'
  unset multiplot
}
unset output
