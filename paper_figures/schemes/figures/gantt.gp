# Draws gantt.svg, gantt.pdf and gantt.png from gantt.csv: gnuplot gantt.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gantt.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1539 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gantt' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,16.031in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,3078 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gantt.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'What each worker does when' at screen 0.01875, screen 0.98441 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.97011 left font ',11' textcolor rgb '#444444'
  set label 103 '05810fb56efb with changes; 2026-11-20' at screen 0.01875, screen 0.95971 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.05263 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready.' at screen 0.01875, screen 0.04224 left font ',11' textcolor rgb '#444444'
  set label 106 '6 cases are drawn, of the longest sequences first; left out: 38 (ulysses, N = 8,192, W = 8, mpi; zigzag, N = 8,192, W = 8, mpi; all_gather_kv, N =' at screen 0.01875, screen 0.03184 left font ',11' textcolor rgb '#444444'
  set label 107 '8,192, W = 8, threads; cqs, N = 8,192, W = 8, threads; cqs_sharded, N = 8,192, W = 8, threads; pass_q, N = 8,192, W = 8, threads; ring, N = 8,192,' at screen 0.01875, screen 0.02144 left font ',11' textcolor rgb '#444444'
  set label 108 'W = 8, threads; striped, N = 8,192, W = 8, threads; …).' at screen 0.01875, screen 0.01105 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.92853
  set bmargin at screen 0.84535
  unset logscale x
  set xrange [0:482.5396532771265]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'all_gather_kv, N = 8,192, W = 8, mpi: 397.75 ms' at screen 0.09062, screen 0.93892 left font ',13'
  plot data every ::0::7 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::8::15 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::8::15 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::16::23 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::24::29 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.78038
  set bmargin at screen 0.69721
  unset logscale x
  set xrange [0:482.5396532771265]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'cqs, N = 8,192, W = 8, mpi: 393.37 ms' at screen 0.09062, screen 0.79077 left font ',13'
  plot data every ::30::37 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::38::44 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.63223
  set bmargin at screen 0.54906
  unset logscale x
  set xrange [0:482.5396532771265]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'cqs_sharded, N = 8,192, W = 8, mpi: 409.70 ms' at screen 0.09062, screen 0.64263 left font ',13'
  plot data every ::45::52 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::53::60 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::53::60 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::61::68 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::61::68 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::69::84 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::85::92 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.48408
  set bmargin at screen 0.40091
  unset logscale x
  set xrange [0:482.5396532771265]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'pass_q, N = 8,192, W = 8, mpi: 426.18 ms' at screen 0.09062, screen 0.49448 left font ',13'
  plot data every ::93::100 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::101::108 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::101::108 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::109::116 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::109::116 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::117::124 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::117::124 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::125::132 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::125::132 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::133::140 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::133::140 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::141::148 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::141::148 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::149::156 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::149::156 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::157::164 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::157::164 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle, \
       data every ::165::228 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::229::235 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.33593
  set bmargin at screen 0.25276
  unset logscale x
  set xrange [0:482.5396532771265]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'ring, N = 8,192, W = 8, mpi: 455.23 ms' at screen 0.09062, screen 0.34633 left font ',13'
  plot data every ::236::263 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::264::271 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::264::271 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::272::278 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::272::278 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::279::284 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::279::284 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::285::289 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::285::289 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::290::293 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::290::293 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::294::296 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::294::296 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::297::298 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::297::298 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::299::299 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::299::299 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle, \
       data every ::300::355 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::356::378 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.18778
  set bmargin at screen 0.10461
  unset logscale x
  set xrange [0:482.5396532771265]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [7.79:-0.79]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'worker'
  set label 1 'striped, N = 8,192, W = 8, mpi: 445.18 ms' at screen 0.09062, screen 0.19818 left font ',13'
  plot data every ::379::386 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::379::386 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::387::394 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::387::394 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::395::402 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::395::402 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::403::410 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::403::410 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::411::418 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::411::418 using (num('time_ms')):(num('worker')):('4') with labels font ',11' notitle, \
       data every ::419::426 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::419::426 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::427::434 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::427::434 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::435::442 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::435::442 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle, \
       data every ::443::498 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle
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
  set key at screen 0.78396, screen 0.92853 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle'
  unset multiplot
}
unset output
