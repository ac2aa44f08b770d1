# Draws memory_timeline.svg, memory_timeline.pdf and memory_timeline.png from memory_timeline.csv: gnuplot memory_timeline.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'memory_timeline.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,835 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'memory_timeline' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.698in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1670 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'memory_timeline.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Active memory of a device over time' at screen 0.01875, screen 0.97126 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f16, full mask, materialized kernel, cpu, serial ranks, all cores; 3 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 |' at screen 0.01875, screen 0.94491 left font ',11' textcolor rgb '#444444'
  set label 103 '24 GiB; qb 0.1.0; commit 1fe5046ed490; 2026-11-24' at screen 0.01875, screen 0.92575 left font ',11' textcolor rgb '#444444'
  set label 104 'Bytes of a device''s live tensors after each allocation and release, in the memory pass, which is not the timed one; of several workers the fullest' at screen 0.01875, screen 0.07784 left font ',11' textcolor rgb '#444444'
  set label 105 'but worker 0, which is the root where there is one.' at screen 0.01875, screen 0.05868 left font ',11' textcolor rgb '#444444'
  set label 106 'Crosses: what would have been active with the request that failed, of 26.82 GiB (W = 1, N = 30,000), 65.83 GiB (W = 1, N = 47,000).' at screen 0.01875, screen 0.03952 left font ',11' textcolor rgb '#444444'
  set label 107 'Not drawn: 5 of 9 lengths (beyond 4 of those that the fewest and the most workers have).' at screen 0.01875, screen 0.02036 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.86826
  set bmargin at screen 0.58084
  unset logscale x
  set xrange [0:2808.3966384599853]
  set xtics nomirror out ('0' 0, '1,000' 1000, '2,000' 2000)
  set xlabel 'time since its first tensor (ms)'
  unset logscale y
  set yrange [0:3.2705605030059814]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'active memory of a device (GiB)'
  set label 1 'N = 10,000' at screen 0.09062, screen 0.88743 left font ',13'
  plot data every ::0::14 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::15::33 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#ebb68c' notitle, \
       data every ::34::52 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d97424' notitle, \
       data every ::53::71 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#9b4805' notitle, \
       data every ::72::90 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#572803' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.86826
  set bmargin at screen 0.58084
  unset logscale x
  set xrange [0:24565.112344219644]
  set xtics nomirror out ('0' 0, '5,000' 5000, '10,000' 10000, '15,000' 15000, '20,000' 20000)
  set xlabel 'time since its first tensor (ms)'
  unset logscale y
  set yrange [0:12.85921335220337]
  set ytics nomirror out ('0' 0, '5' 5, '10' 10)
  set ylabel 'active memory of a device (GiB)'
  set label 1 'N = 20,000' at screen 0.50406, screen 0.88743 left font ',13'
  plot data every ::91::105 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::106::124 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#ebb68c' notitle, \
       data every ::125::143 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d97424' notitle, \
       data every ::144::162 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#9b4805' notitle, \
       data every ::163::181 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#572803' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.46108
  set bmargin at screen 0.17365
  unset logscale x
  set xrange [0:12072.663042420472]
  set xtics nomirror out ('0' 0, '2,500' 2500, '5,000' 5000, '7,500' 7500, '10,000' 10000)
  set xlabel 'time since its first tensor (ms)'
  unset logscale y
  set yrange [0:28.765958547592163]
  set ytics nomirror out ('0' 0, '10' 10, '20' 20)
  set ylabel 'active memory of a device (GiB)'
  set label 1 'N = 30,000' at screen 0.09062, screen 0.48024 left font ',13'
  plot data every ::182::194 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::195::195 using (num('time_ms')):(strlen(strcol('active_memory_gib')) > 0 ? column('active_memory_gib') : 28.765958547592163) with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' notitle, \
       data every ::196::214 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#ebb68c' notitle, \
       data every ::215::233 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d97424' notitle, \
       data every ::234::252 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#9b4805' notitle, \
       data every ::253::271 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#572803' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.46108
  set bmargin at screen 0.17365
  unset logscale x
  set xrange [0:14136.16857328021]
  set xtics nomirror out ('0' 0, '5,000' 5000, '10,000' 10000)
  set xlabel 'time since its first tensor (ms)'
  unset logscale y
  set yrange [0:70.30744731426239]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set ylabel 'active memory of a device (GiB)'
  set label 1 'N = 47,000' at screen 0.50406, screen 0.48024 left font ',13'
  plot data every ::272::284 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::285::285 using (num('time_ms')):(strlen(strcol('active_memory_gib')) > 0 ? column('active_memory_gib') : 70.30744731426239) with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' notitle, \
       data every ::286::304 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d97424' notitle, \
       data every ::305::323 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#9b4805' notitle, \
       data every ::324::342 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#572803' notitle
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
  set key at screen 0.84562, screen 0.86826 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with steps lw 1.6 lc rgb '#000000' title 'W = 1', \
       NaN with steps lw 1.6 lc rgb '#ebb68c' title 'W = 4', \
       NaN with steps lw 1.6 lc rgb '#d97424' title 'W = 7', \
       NaN with steps lw 1.6 lc rgb '#9b4805' title 'W = 8', \
       NaN with steps lw 1.6 lc rgb '#572803' title 'W = 31', \
       NaN with points pt 2 ps 1.3 lw 2.6 lc rgb '#000000' title 'out of memory'
  unset multiplot
}
unset output
