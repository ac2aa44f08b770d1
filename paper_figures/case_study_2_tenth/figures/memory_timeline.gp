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
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, materialized kernel, cpu, serial ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.94271 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit fff30970ba19; 2026-11-23' at screen 0.01875, screen 0.92279 left font ',11' textcolor rgb '#444444'
  set label 104 'Bytes of all live tensors after each allocation and release, in the memory pass, which is not the timed one. The device plays the workers of a' at screen 0.01875, screen 0.04110 left font ',11' textcolor rgb '#444444'
  set label 105 'plan one after the other where ranks are serial.' at screen 0.01875, screen 0.02117 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.43104
  set tmargin at screen 0.86301
  set bmargin at screen 0.56413
  unset logscale x
  set xrange [0:80.12694018194452]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80)
  set xlabel 'time since the case began (ms)'
  unset logscale y
  set yrange [0:0.03970921039581299]
  set ytics nomirror out ('0.00' 0, '0.01' 0.01, '0.02' 0.02, '0.03' 0.03)
  set ylabel 'active memory (GiB)'
  set label 1 'N = 1,000' at screen 0.09062, screen 0.88294 left font ',13'
  plot data every ::0::8 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::9::387 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.53104
  set rmargin at screen 0.87146
  set tmargin at screen 0.86301
  set bmargin at screen 0.56413
  unset logscale x
  set xrange [0:450.2199109020876]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set xlabel 'time since the case began (ms)'
  unset logscale y
  set yrange [0:0.30867040157318115]
  set ytics nomirror out ('0.0' 0, '0.1' 0.1, '0.2' 0.2, '0.3' 0.30000000000000004)
  set ylabel 'active memory (GiB)'
  set label 1 'N = 3,000' at screen 0.53104, screen 0.88294 left font ',13'
  plot data every ::388::396 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::397::775 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.43104
  set tmargin at screen 0.43960
  set bmargin at screen 0.14072
  unset logscale x
  set xrange [0:1300.5342385820404]
  set xtics nomirror out ('0' 0, '500' 500, '1,000' 1000)
  set xlabel 'time since the case began (ms)'
  unset logscale y
  set yrange [0:0.7058004140853882]
  set ytics nomirror out ('0.0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6000000000000001)
  set ylabel 'active memory (GiB)'
  set label 1 'N = 4,600' at screen 0.09062, screen 0.45953 left font ',13'
  plot data every ::776::784 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::785::1163 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.53104
  set rmargin at screen 0.87146
  set tmargin at screen 0.43960
  set bmargin at screen 0.14072
  unset logscale x
  set xrange [0:1033.6323738588544]
  set xtics nomirror out ('0' 0, '250' 250, '500' 500, '750' 750, '1,000' 1000)
  set xlabel 'time since the case began (ms)'
  unset logscale y
  set yrange [0:0.7982688546180725]
  set ytics nomirror out ('0.0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6000000000000001)
  set ylabel 'active memory (GiB)'
  set label 1 'N = 4,900' at screen 0.53104, screen 0.45953 left font ',13'
  plot data every ::1164::1172 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::1173::1551 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d55e00' notitle
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
  set key at screen 0.89958, screen 0.86301 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with steps lw 1.6 lc rgb '#000000' title 'W = 1', \
       NaN with steps lw 1.6 lc rgb '#d55e00' title 'W = 31'
  unset multiplot
}
unset output
