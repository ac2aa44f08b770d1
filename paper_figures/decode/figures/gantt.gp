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
  set label 102 'W = 4; H = 8, G = 2, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 4 on 2 cores; 9 repeats; AMD EPYC, family 25 model' at screen 0.01875, screen 0.96415 left font ',11' textcolor rgb '#444444'
  set label 103 '17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit 3f457904263d; 2026-11-20' at screen 0.01875, screen 0.95168 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.08807 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready. At the edges of a bar: its messages on their way, as far as the run has their times.' at screen 0.01875, screen 0.07560 left font ',11' textcolor rgb '#444444'
  set label 106 'Waiting between steps: steps.csv says nothing of this time, in which a worker sends, plans its next step or has no processor.' at screen 0.01875, screen 0.06313 left font ',11' textcolor rgb '#444444'
  set label 107 'Drawn: 6 of 12 cases, of each algorithm the longest sequence with the most workers first; left out: 6 (decode, N = 4, W = 2, threads, B = 4;' at screen 0.01875, screen 0.05066 left font ',11' textcolor rgb '#444444'
  set label 108 'decode, N = 4, W = 2, threads, B = 1; flash_decoding, N = 1, W = 2, threads, B = 4; tree_decode, N = 1, W = 2, threads, B = 4; flash_decoding, N =' at screen 0.01875, screen 0.03819 left font ',11' textcolor rgb '#444444'
  set label 109 '1, W = 2, threads, B = 1; tree_decode, N = 1, W = 2, threads, B = 1).' at screen 0.01875, screen 0.02572 left font ',11' textcolor rgb '#444444'
  set label 110 'Each panel has its own range of time.' at screen 0.01875, screen 0.01325 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.91426
  set bmargin at screen 0.85191
  unset logscale x
  set xrange [0:31.386442056900705]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'decode, N = 4, B = 4: 72.70 ms, the first 8 of 20 steps' at screen 0.09062, screen 0.92673 left font ',13'
  plot data every ::0::3 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::4::27 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::28::41 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::42::66 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::67::70 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::67::70 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::71::74 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::71::74 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::75::78 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::75::78 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::79::82 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::79::82 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::83::86 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::83::86 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::87::90 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::87::90 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::91::94 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::91::94 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.77397
  set bmargin at screen 0.71161
  unset logscale x
  set xrange [0:14.13583034009207]
  set xtics nomirror out ('0' 0, '5' 5, '10' 10)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'flash_decoding, N = 1, B = 4: 13.34 ms' at screen 0.09062, screen 0.78644 left font ',13'
  plot data every ::95::98 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::99::102 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::103::105 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.63367
  set bmargin at screen 0.57132
  unset logscale x
  set xrange [0:17.021842524045496]
  set xtics nomirror out ('0' 0, '5' 5, '10' 10, '15' 15)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'tree_decode, N = 1, B = 4: 16.22 ms, the first 8 of 13 steps' at screen 0.09062, screen 0.64614 left font ',13'
  plot data every ::106::133 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::134::153 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::154::163 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::164::179 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::180::183 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::180::183 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.49337
  set bmargin at screen 0.43102
  unset logscale x
  set xrange [0:11.586792157613672]
  set xtics nomirror out ('0' 0, '2.5' 2.5, '5' 5, '7.5' 7.5, '10' 10)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'decode, N = 4, B = 1: 19.26 ms, the first 8 of 20 steps' at screen 0.09062, screen 0.50585 left font ',13'
  plot data every ::184::208 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::209::232 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::233::249 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::250::271 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::272::272 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::272::272 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::273::273 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::273::273 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::274::274 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::274::274 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::275::275 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::275::275 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::276::276 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::276::276 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::277::277 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::277::277 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::278::278 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::278::278 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.35308
  set bmargin at screen 0.29072
  unset logscale x
  set xrange [0:5.609664160219836]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'flash_decoding, N = 1, B = 1: 5.29 ms' at screen 0.09062, screen 0.36555 left font ',13'
  plot data every ::279::282 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::283::286 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::287::289 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.21278
  set bmargin at screen 0.15043
  unset logscale x
  set xrange [0:5.841185116660199]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'tree_decode, N = 1, B = 1: 5.70 ms, the first 8 of 13 steps' at screen 0.09062, screen 0.22525 left font ',13'
  plot data every ::290::317 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::318::337 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::338::346 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::347::365 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::366::369 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::366::369 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle
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
