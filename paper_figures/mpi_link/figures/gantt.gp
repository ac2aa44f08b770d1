# Draws gantt.svg, gantt.pdf and gantt.png from gantt.csv: gnuplot gantt.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gantt.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1283 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gantt' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.365in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2566 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gantt.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'What each worker does when' at screen 0.01875, screen 0.98129 left font ',16'
  set label 102 'N = 4,096, W = 4, 60 MB/s; N = 4,096, W = 4, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, mpi ranks, 1 thread; W = 4 on 2 cores; 6' at screen 0.01875, screen 0.96415 left font ',11' textcolor rgb '#444444'
  set label 103 'to 11 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.95168 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.08807 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready. At the edges of a bar: its messages on their way, as far as the run has their times.' at screen 0.01875, screen 0.07560 left font ',11' textcolor rgb '#444444'
  set label 106 'Waiting between steps: steps.csv says nothing of this time, in which a worker sends, plans its next step or has no processor.' at screen 0.01875, screen 0.06313 left font ',11' textcolor rgb '#444444'
  set label 107 'Drawn: 6 of 42 cases, of each algorithm the longest sequence with the most workers first; left out: 36 (all_gather_kv, N = 4,096, W = 4, mpi, 20' at screen 0.01875, screen 0.05066 left font ',11' textcolor rgb '#444444'
  set label 108 'MB/s; all_gather_kv, N = 4,096, W = 4, mpi, 200 MB/s; cqs_sharded, N = 4,096, W = 4, mpi, 20 MB/s; cqs_sharded, N = 4,096, W = 4, mpi, 200 MB/s;' at screen 0.01875, screen 0.03819 left font ',11' textcolor rgb '#444444'
  set label 109 'ring, N = 4,096, W = 4, mpi, 20 MB/s; ring, N = 4,096, W = 4, mpi, 200 MB/s; striped, N = 4,096, W = 4, mpi, 20 MB/s; striped, N = 4,096, W = 4,' at screen 0.01875, screen 0.02572 left font ',11' textcolor rgb '#444444'
  set label 110 'mpi, 200 MB/s; …).' at screen 0.01875, screen 0.01325 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.91426
  set bmargin at screen 0.85191
  unset logscale x
  set xrange [0:711.9633966551919]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'all_gather_kv: 612.10 ms' at screen 0.09062, screen 0.92673 left font ',13'
  plot data every ::0::3 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::4::7 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::8::9 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::10::13 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::14::17 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::14::17 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.77397
  set bmargin at screen 0.71161
  unset logscale x
  set xrange [0:711.9633966551919]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'cqs_sharded: 671.66 ms' at screen 0.09062, screen 0.78644 left font ',13'
  plot data every ::18::21 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::22::29 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::30::35 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::36::43 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::44::47 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::44::47 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::48::51 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::48::51 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.63367
  set bmargin at screen 0.57132
  unset logscale x
  set xrange [0:711.9633966551919]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'ring: 553.73 ms' at screen 0.09062, screen 0.64614 left font ',13'
  plot data every ::52::57 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::58::69 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::70::72 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::73::81 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::82::85 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::82::85 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::86::88 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::86::88 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::89::90 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::89::90 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::91::91 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::91::91 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.49337
  set bmargin at screen 0.43102
  unset logscale x
  set xrange [0:711.9633966551919]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'striped: 605.81 ms' at screen 0.09062, screen 0.50585 left font ',13'
  plot data every ::92::103 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::104::108 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::109::118 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::119::122 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::119::122 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::123::126 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::123::126 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::127::130 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::127::130 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::131::134 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::131::134 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.35308
  set bmargin at screen 0.29072
  unset logscale x
  set xrange [0:711.9633966551919]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'ulysses: 405.62 ms' at screen 0.09062, screen 0.36555 left font ',13'
  plot data every ::135::142 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::143::150 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::151::155 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::156::163 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::164::167 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::164::167 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.21278
  set bmargin at screen 0.15043
  unset logscale x
  set xrange [0:711.9633966551919]
  set xtics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'zigzag: 573.31 ms' at screen 0.09062, screen 0.22525 left font ',13'
  plot data every ::168::179 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::180::180 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::181::190 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::191::194 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::191::194 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::195::198 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::195::198 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::199::202 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::199::202 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::203::206 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::203::206 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle
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
  set key at screen 0.78396, screen 0.91426 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f3e3b0' title 'waiting between steps'
  unset multiplot
}
unset output
