# Draws gantt.svg, gantt.pdf and gantt.png from gantt.csv: gnuplot gantt.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gantt.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1235 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gantt' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,12.865in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2470 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gantt.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'What each worker does when' at screen 0.01875, screen 0.98057 left font ',16'
  set label 102 'H = 8, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0;' at screen 0.01875, screen 0.96275 left font ',11' textcolor rgb '#444444'
  set label 103 'commit 05810fb56efb with changes; 2026-11-20' at screen 0.01875, screen 0.94980 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.05263 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready.' at screen 0.01875, screen 0.03968 left font ',11' textcolor rgb '#444444'
  set label 106 '6 cases are drawn, of the longest sequences first; left out: 6 (pass_kv, N = 49, W = 4, threads; pass_q, N = 49, W = 4, threads; pass_kv, N = 20,' at screen 0.01875, screen 0.02672 left font ',11' textcolor rgb '#444444'
  set label 107 'W = 4, threads, 1 GB/s; pass_q, N = 20, W = 4, threads, 1 GB/s; decode, N = 8, W = 4, threads; decode, N = 8, W = 4, threads).' at screen 0.01875, screen 0.01377 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.91093
  set bmargin at screen 0.84615
  unset logscale x
  set xrange [0:39.29910675062274]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_kv, N = 2,048, W = 4, threads, 1 GB/s: 28.37 ms' at screen 0.09062, screen 0.92389 left font ',13'
  plot data every ::0::3 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::0::3 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::4::7 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::4::7 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::8::11 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::8::11 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::12::15 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::12::15 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::16::27 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::28::28 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.76518
  set bmargin at screen 0.70040
  unset logscale x
  set xrange [0:39.29910675062274]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_q, N = 2,048, W = 4, threads, 1 GB/s: 37.07 ms' at screen 0.09062, screen 0.77814 left font ',13'
  plot data every ::29::32 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::33::36 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::33::36 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::37::40 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::37::40 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::41::44 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::41::44 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::45::48 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::45::48 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::49::64 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::65::67 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.61943
  set bmargin at screen 0.55466
  unset logscale x
  set xrange [0:39.29910675062274]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_kv, N = 512, W = 4, threads, 1 GB/s: 17.78 ms' at screen 0.09062, screen 0.63239 left font ',13'
  plot data every ::68::71 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::68::71 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::72::75 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::72::75 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::76::79 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::76::79 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::80::83 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::80::83 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::84::95 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::96::96 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.47368
  set bmargin at screen 0.40891
  unset logscale x
  set xrange [0:39.29910675062274]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_q, N = 512, W = 4, threads, 1 GB/s: 16.89 ms' at screen 0.09062, screen 0.48664 left font ',13'
  plot data every ::97::100 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::101::104 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::101::104 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::105::108 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::105::108 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::109::112 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::109::112 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::113::116 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::113::116 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::117::132 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::133::137 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.32794
  set bmargin at screen 0.26316
  unset logscale x
  set xrange [0:39.29910675062274]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_kv, N = 102, W = 4, threads, 1 GB/s: 4.18 ms' at screen 0.09062, screen 0.34089 left font ',13'
  plot data every ::138::153 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::154::165 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::166::167 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.18219
  set bmargin at screen 0.11741
  unset logscale x
  set xrange [0:39.29910675062274]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_q, N = 102, W = 4, threads, 1 GB/s: 4.74 ms' at screen 0.09062, screen 0.19514 left font ',13'
  plot data every ::168::187 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::188::203 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::204::209 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
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
  set key at screen 0.78396, screen 0.91093 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle'
  unset multiplot
}
unset output
