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
  set label 102 'W = 4; W = 4, H = 8, G = 2, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 4 on 2 cores; 7 repeats; AMD EPYC, family' at screen 0.01875, screen 0.96415 left font ',11' textcolor rgb '#444444'
  set label 103 '25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.95168 left font ',11' textcolor rgb '#444444'
  set label 104 'One row a worker and step, of the run''s steps.csv; numbers are steps. Exposed communication: waiting for data on its way; idle: waiting for a peer' at screen 0.01875, screen 0.08807 left font ',11' textcolor rgb '#444444'
  set label 105 'that was not ready. At the edges of a bar: its messages on their way, as far as the run has their times.' at screen 0.01875, screen 0.07560 left font ',11' textcolor rgb '#444444'
  set label 106 'Waiting between steps: steps.csv says nothing of this time, in which a worker sends, plans its next step or has no processor.' at screen 0.01875, screen 0.06313 left font ',11' textcolor rgb '#444444'
  set label 107 'Drawn: 6 of 12 cases, of each algorithm the longest sequence with the most workers first; left out: 6 (pass_kv, N = 102, W = 4, threads, 1 GB/s;' at screen 0.01875, screen 0.05066 left font ',11' textcolor rgb '#444444'
  set label 108 'pass_q, N = 102, W = 4, threads, 1 GB/s; pass_kv, N = 49, W = 4, threads, no link limit; pass_q, N = 49, W = 4, threads, no link limit; pass_kv, N' at screen 0.01875, screen 0.03819 left font ',11' textcolor rgb '#444444'
  set label 109 '= 20, W = 4, threads, 1 GB/s; pass_q, N = 20, W = 4, threads, 1 GB/s).' at screen 0.01875, screen 0.02572 left font ',11' textcolor rgb '#444444'
  set label 110 'Each panel has its own range of time.' at screen 0.01875, screen 0.01325 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.91426
  set bmargin at screen 0.85191
  unset logscale x
  set xrange [0:2.3337415850983234]
  set xtics nomirror out ('0.0' 0, '0.5' 0.5, '1.0' 1, '1.5' 1.5, '2.0' 2)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'decode, N = 8, no link limit: 9.88 ms, the first 8 of 40 steps' at screen 0.09062, screen 0.92673 left font ',13'
  plot data every ::0::10 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::11::34 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::35::40 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::41::69 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::70::72 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::70::72 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::73::75 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::73::75 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::76::78 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::76::78 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::79::81 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::79::81 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::82::84 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::82::84 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::85::87 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::85::87 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::88::90 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::88::90 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.77397
  set bmargin at screen 0.71161
  unset logscale x
  set xrange [0:40.75772821568535]
  set xtics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30, '40' 40)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_kv, N = 2,048, 1 GB/s: 38.45 ms' at screen 0.09062, screen 0.78644 left font ',13'
  plot data every ::91::102 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::103::115 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::116::119 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::116::119 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::120::123 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::120::123 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::124::127 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::124::127 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::128::131 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::128::131 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.63367
  set bmargin at screen 0.57132
  unset logscale x
  set xrange [0:51.05066000644001]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_q, N = 2,048, 1 GB/s: 48.16 ms' at screen 0.09062, screen 0.64614 left font ',13'
  plot data every ::132::135 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::136::151 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::152::153 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::154::168 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::169::172 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::169::172 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::173::176 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::173::176 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::177::180 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::177::180 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::181::184 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::181::184 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.49337
  set bmargin at screen 0.43102
  unset logscale x
  set xrange [0:2.216508764613536]
  set xtics nomirror out ('0.0' 0, '0.5' 0.5, '1.0' 1, '1.5' 1.5, '2.0' 2)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'decode, N = 8, fixed owner, no link limit: 9.31 ms, the first 8 of 40 steps' at screen 0.09062, screen 0.50585 left font ',13'
  plot data every ::185::195 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::196::219 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::220::230 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::231::259 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::260::262 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::260::262 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::263::265 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::263::265 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::266::268 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::266::268 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::269::271 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::269::271 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle, \
       data every ::272::274 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::272::274 using (num('time_ms')):(num('worker')):('5') with labels font ',11' notitle, \
       data every ::275::277 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::275::277 using (num('time_ms')):(num('worker')):('6') with labels font ',11' notitle, \
       data every ::278::280 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::278::280 using (num('time_ms')):(num('worker')):('7') with labels font ',11' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.35308
  set bmargin at screen 0.29072
  unset logscale x
  set xrange [0:16.85817110395874]
  set xtics nomirror out ('0' 0, '5' 5, '10' 10, '15' 15)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_kv, N = 512, 1 GB/s: 15.90 ms' at screen 0.09062, screen 0.36555 left font ',13'
  plot data every ::281::292 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::293::294 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::295::309 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::310::313 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::310::313 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::314::317 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::314::317 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::318::321 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::318::321 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::322::325 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::322::325 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.21278
  set bmargin at screen 0.15043
  unset logscale x
  set xrange [0:18.54424525088689]
  set xtics nomirror out ('0' 0, '5' 5, '10' 10, '15' 15)
  set xlabel 'time since all workers were ready (ms)'
  unset logscale y
  set yrange [3.59:-0.5900000000000001]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'worker'
  set label 1 'pass_q, N = 512, 1 GB/s: 17.49 ms' at screen 0.09062, screen 0.22525 left font ',13'
  plot data every ::326::329 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::330::345 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::346::351 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::352::370 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::371::374 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::371::374 using (num('time_ms')):(num('worker')):('0') with labels font ',11' notitle, \
       data every ::375::378 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::375::378 using (num('time_ms')):(num('worker')):('1') with labels font ',11' notitle, \
       data every ::379::382 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::379::382 using (num('time_ms')):(num('worker')):('2') with labels font ',11' notitle, \
       data every ::383::386 using (num('time_ms')):(num('worker')):(num('time_ms_low')):(num('time_ms_high')):(num('worker_low')):(num('worker_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::383::386 using (num('time_ms')):(num('worker')):('3') with labels font ',11' notitle
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
