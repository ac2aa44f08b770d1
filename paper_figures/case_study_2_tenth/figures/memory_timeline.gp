# Draws memory_timeline.svg, memory_timeline.pdf and memory_timeline.png from memory_timeline.csv: gnuplot memory_timeline.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'memory_timeline.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,819 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'memory_timeline' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.531in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1638 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'memory_timeline.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Active memory of a device over time' at screen 0.01875, screen 0.97070 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, materialized kernel, cpu, serial ranks, all cores; 5 repeats; AMD EPYC, family 25 model 17 | 2 cores |' at screen 0.01875, screen 0.94383 left font ',11' textcolor rgb '#444444'
  set label 103 'avx512 | 24 GiB; qb 0.1.0; commit fff30970ba19; 2026-11-23' at screen 0.01875, screen 0.92430 left font ',11' textcolor rgb '#444444'
  set label 104 'Bytes of a device''s live tensors after each allocation and release, in the memory pass, which is not the timed one; of several workers the fullest' at screen 0.01875, screen 0.05983 left font ',11' textcolor rgb '#444444'
  set label 105 'but worker 0, which is the root where there is one.' at screen 0.01875, screen 0.04029 left font ',11' textcolor rgb '#444444'
  set label 106 'Not drawn: 5 of 9 lengths (beyond 4 of those that the fewest and the most workers have).' at screen 0.01875, screen 0.02076 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.43104
  set tmargin at screen 0.86569
  set bmargin at screen 0.57265
  unset logscale x
  set xrange [0:65.89296761711012]
  set xtics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set xlabel 'time since its first tensor (ms)'
  unset logscale y
  set yrange [0:0.03970921039581299]
  set ytics nomirror out ('0.00' 0, '0.01' 0.01, '0.02' 0.02, '0.03' 0.03)
  set ylabel 'active memory of a device (GiB)'
  set label 1 'N = 1,000' at screen 0.09062, screen 0.88523 left font ',13'
  plot data every ::0::8 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::9::21 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#ebb68c' notitle, \
       data every ::22::35 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d97424' notitle, \
       data every ::36::48 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#9b4805' notitle, \
       data every ::49::62 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#572803' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.53104
  set rmargin at screen 0.87146
  set tmargin at screen 0.86569
  set bmargin at screen 0.57265
  unset logscale x
  set xrange [0:450.2199109020876]
  set xtics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300, '400' 400)
  set xlabel 'time since its first tensor (ms)'
  unset logscale y
  set yrange [0:0.30867040157318115]
  set ytics nomirror out ('0.0' 0, '0.1' 0.1, '0.2' 0.2, '0.3' 0.30000000000000004)
  set ylabel 'active memory of a device (GiB)'
  set label 1 'N = 3,000' at screen 0.53104, screen 0.88523 left font ',13'
  plot data every ::63::71 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::72::84 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#ebb68c' notitle, \
       data every ::85::97 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d97424' notitle, \
       data every ::98::110 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#9b4805' notitle, \
       data every ::111::123 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#572803' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.43104
  set tmargin at screen 0.45055
  set bmargin at screen 0.15751
  unset logscale x
  set xrange [0:1300.5342385820404]
  set xtics nomirror out ('0' 0, '500' 500, '1,000' 1000)
  set xlabel 'time since its first tensor (ms)'
  unset logscale y
  set yrange [0:0.7058004140853882]
  set ytics nomirror out ('0.0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6000000000000001)
  set ylabel 'active memory of a device (GiB)'
  set label 1 'N = 4,600' at screen 0.09062, screen 0.47009 left font ',13'
  plot data every ::124::132 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::133::145 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#ebb68c' notitle, \
       data every ::146::158 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d97424' notitle, \
       data every ::159::171 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#9b4805' notitle, \
       data every ::172::184 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#572803' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.53104
  set rmargin at screen 0.87146
  set tmargin at screen 0.45055
  set bmargin at screen 0.15751
  unset logscale x
  set xrange [0:1033.6323738588544]
  set xtics nomirror out ('0' 0, '250' 250, '500' 500, '750' 750, '1,000' 1000)
  set xlabel 'time since its first tensor (ms)'
  unset logscale y
  set yrange [0:0.7982688546180725]
  set ytics nomirror out ('0.0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6000000000000001)
  set ylabel 'active memory of a device (GiB)'
  set label 1 'N = 4,900' at screen 0.53104, screen 0.47009 left font ',13'
  plot data every ::185::193 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#000000' notitle, \
       data every ::194::206 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#ebb68c' notitle, \
       data every ::207::219 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#d97424' notitle, \
       data every ::220::232 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#9b4805' notitle, \
       data every ::233::245 using (num('time_ms')):(num('active_memory_gib')) with steps lw 1.6 lc rgb '#572803' notitle
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
  set key at screen 0.89958, screen 0.86569 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with steps lw 1.6 lc rgb '#000000' title 'W = 1', \
       NaN with steps lw 1.6 lc rgb '#ebb68c' title 'W = 4', \
       NaN with steps lw 1.6 lc rgb '#d97424' title 'W = 7', \
       NaN with steps lw 1.6 lc rgb '#9b4805' title 'W = 8', \
       NaN with steps lw 1.6 lc rgb '#572803' title 'W = 31'
  unset multiplot
}
unset output
