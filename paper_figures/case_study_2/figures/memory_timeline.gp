# Draws memory_timeline.svg, memory_timeline.pdf and memory_timeline.png from memory_timeline.csv: gnuplot memory_timeline.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'memory_timeline.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,803 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'memory_timeline' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.365in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1606 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'memory_timeline.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Active memory over time' at screen 0.01875, screen 0.97011 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f16, full mask, materialized kernel, cpu, serial ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.94271 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit 7152e59a18ab; 2026-11-20' at screen 0.01875, screen 0.92279 left font ',11' textcolor rgb '#444444'
  set label 104 'Bytes of all live tensors after each allocation and release, in the memory pass, which is not the timed one. The device plays the workers of a' at screen 0.01875, screen 0.04110 left font ',11' textcolor rgb '#444444'
  set label 105 'plan one after the other where ranks are serial.' at screen 0.01875, screen 0.02117 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.86301
  set bmargin at screen 0.56413
  unset logscale x
  set xrange [0:6247.932507000551]
  set xtics nomirror out ('0' 0, '2,000' 2000, '4,000' 4000, '6,000' 6000)
  set xlabel 'time since the case began (ms)'
  unset logscale y
  set yrange [0:3.2705605030059814]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'active memory (GiB)'
  set label 1 'N = 10,000' at screen 0.09062, screen 0.88294 left font ',13'
  plot data every ::0::14 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::15::579 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.86301
  set bmargin at screen 0.56413
  unset logscale x
  set xrange [0:19622.406501820133]
  set xtics nomirror out ('0' 0, '5,000' 5000, '10,000' 10000, '15,000' 15000)
  set xlabel 'time since the case began (ms)'
  unset logscale y
  set yrange [0:12.85921335220337]
  set ytics nomirror out ('0' 0, '5' 5, '10' 10)
  set ylabel 'active memory (GiB)'
  set label 1 'N = 20,000' at screen 0.50406, screen 0.88294 left font ',13'
  plot data every ::580::594 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::595::1159 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.43960
  set bmargin at screen 0.14072
  unset logscale x
  set xrange [0:21743.36866063917]
  set xtics nomirror out ('0' 0, '5,000' 5000, '10,000' 10000, '15,000' 15000, '20,000' 20000)
  set xlabel 'time since the case began (ms)'
  unset logscale y
  set yrange [0:1.2829862022399903]
  set ytics nomirror out ('0.0' 0, '0.5' 0.5, '1.0' 1)
  set ylabel 'active memory (GiB)'
  set label 1 'N = 30,000' at screen 0.09062, screen 0.45953 left font ',13'
  plot data every ::1160::1172 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::1173::1173 using (num('time_ms')):(strlen(strcol('active_memory_gib')) > 0 ? column('active_memory_gib') : 1.2829862022399903) with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' notitle, \
       data every ::1174::1738 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.43960
  set bmargin at screen 0.14072
  unset logscale x
  set xrange [0:51016.10501548137]
  set xtics nomirror out ('0' 0, '20,000' 20000, '40,000' 40000)
  set xlabel 'time since the case began (ms)'
  unset logscale y
  set yrange [0:2.9559431338310245]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2)
  set ylabel 'active memory (GiB)'
  set label 1 'N = 47,000' at screen 0.50406, screen 0.45953 left font ',13'
  plot data every ::1739::1751 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::1752::1752 using (num('time_ms')):(strlen(strcol('active_memory_gib')) > 0 ? column('active_memory_gib') : 2.9559431338310245) with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' notitle, \
       data every ::1753::2317 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d55e00' notitle
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
  set key at screen 0.84562, screen 0.86301 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with steps lw 1.6 lc rgb '#000000' title 'W = 1', \
       NaN with steps lw 1.6 lc rgb '#d55e00' title 'W = 31', \
       NaN with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' title 'out of memory'
  unset multiplot
}
unset output
