# Draws time_memory.svg, time_memory.pdf and time_memory.png from time_memory.csv: gnuplot time_memory.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'time_memory.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1251 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'time_memory' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.031in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2502 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'time_memory.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Time against memory across schemes' at screen 0.01875, screen 0.98082 left font ',16'
  set label 102 'N = 2,048, B = 1, H = 8, d = 64, bf16, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 6 to 11 repeats; AMD EPYC, family 25 model' at screen 0.01875, screen 0.96323 left font ',11' textcolor rgb '#444444'
  set label 103 '1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit d0c284855df0; 2026-11-23' at screen 0.01875, screen 0.95044 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median) in 150 of 156 points, 98.8 % interval of the median of 11' at screen 0.01875, screen 0.06475 left font ',11' textcolor rgb '#444444'
  set label 105 'repeats in 6.' at screen 0.01875, screen 0.05196 left font ',11' textcolor rgb '#444444'
  set label 106 'serial: one device played the workers in turn; its wall clock is the critical path composed of them, without a network.' at screen 0.01875, screen 0.03917 left font ',11' textcolor rgb '#444444'
  set label 107 'The grey steps lead from scheme to scheme of which none has less memory and less time.' at screen 0.01875, screen 0.02638 left font ',11' textcolor rgb '#444444'
  set label 108 'Not drawn: 12 of 18 panels (beyond the first 6 by N, W and place).' at screen 0.01875, screen 0.01359 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.91207
  set bmargin at screen 0.70424
  unset logscale x
  set xrange [16.612750244140624:26.512615966796876]
  set xtics nomirror out ('18' 18, '20' 20, '22' 22, '24' 24, '26' 26)
  set xlabel 'peak active memory of a worker (MiB)'
  unset logscale y
  set yrange [45.0733602487162:91.39263875076722]
  set ytics nomirror out ('50' 50, '60' 60, '70' 70, '80' 80, '90' 90)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 2, serial, no link limit, backward pass' at screen 0.09062, screen 0.92486 left font ',13'
  plot data every ::0::0 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::0::0 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::1::1 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::1::1 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::2::2 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::2::2 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::3::3 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::3::3 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::4::4 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::4::4 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::5::5 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::5::5 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::6::6 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::6::6 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::7::9 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.91207
  set bmargin at screen 0.70424
  unset logscale x
  set xrange [16.612750244140624:26.512615966796876]
  set xtics nomirror out ('18' 18, '20' 20, '22' 22, '24' 24, '26' 26)
  set xlabel 'peak active memory of a worker (MiB)'
  unset logscale y
  set yrange [60.21977495279316:136.42953604935428]
  set ytics nomirror out ('80' 80, '100' 100, '120' 120)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 2, serial, no link limit, both passes' at screen 0.46938, screen 0.92486 left font ',13'
  plot data every ::10::10 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::10::10 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::11::11 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::11::11 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::12::12 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::12::12 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::13::13 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::13::13 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::14::14 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::14::14 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::15::15 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::15::15 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::16::16 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::16::16 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::17::19 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.62430
  set bmargin at screen 0.41647
  unset logscale x
  set xrange [9.920950317382813:14.325448608398437]
  set xtics nomirror out ('10' 10, '11' 11, '12' 12, '13' 13, '14' 14)
  set xlabel 'peak active memory of a worker (MiB)'
  unset logscale y
  set yrange [17.270207301271512:35.359018699773515]
  set ytics nomirror out ('20' 20, '25' 25, '30' 30, '35' 35)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 2, serial, no link limit' at screen 0.09062, screen 0.63709 left font ',13'
  plot data every ::20::20 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::20::20 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::21::21 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::21::21 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::22::22 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::22::22 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::23::23 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::23::23 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::24::24 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::24::24 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::25::25 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::25::25 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::26::26 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::26::26 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::27::28 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.62430
  set bmargin at screen 0.41647
  unset logscale x
  set xrange [16.612750244140624:26.512615966796876]
  set xtics nomirror out ('18' 18, '20' 20, '22' 22, '24' 24, '26' 26)
  set xlabel 'peak active memory of a worker (MiB)'
  unset logscale y
  set yrange [91.53819469993323:174.386879299891]
  set ytics nomirror out ('100' 100, '120' 120, '140' 140, '160' 160)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 2, threads, no link limit, backward pass' at screen 0.46938, screen 0.63709 left font ',13'
  plot data every ::29::29 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::29::29 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::30::30 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::30::30 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::31::31 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::31::31 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::32::32 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::32::32 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::33::33 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::33::33 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::34::34 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::34::34 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::35::35 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::35::35 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::36::39 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.33653
  set bmargin at screen 0.12870
  unset logscale x
  set xrange [16.612750244140624:26.512615966796876]
  set xtics nomirror out ('18' 18, '20' 20, '22' 22, '24' 24, '26' 26)
  set xlabel 'peak active memory of a worker (MiB)'
  unset logscale y
  set yrange [124.93281679990105:291.1342191998301]
  set ytics nomirror out ('150' 150, '200' 200, '250' 250)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 2, threads, no link limit, both passes' at screen 0.09062, screen 0.34932 left font ',13'
  plot data every ::40::40 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::40::40 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::41::41 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::41::41 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::42::42 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::42::42 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::43::43 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::43::43 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::44::44 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::44::44 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::45::45 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::45::45 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::46::46 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::46::46 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::47::48 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.33653
  set bmargin at screen 0.12870
  unset logscale x
  set xrange [9.365188598632812:14.351913452148438]
  set xtics nomirror out ('10' 10, '11' 11, '12' 12, '13' 13, '14' 14)
  set xlabel 'peak active memory of a worker (MiB)'
  unset logscale y
  set yrange [36.24656799984223:73.23307800033945]
  set ytics nomirror out ('40' 40, '50' 50, '60' 60, '70' 70)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 2, threads, no link limit' at screen 0.46938, screen 0.34932 left font ',13'
  plot data every ::49::49 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::49::49 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::50::50 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::50::50 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::51::51 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::51::51 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::52::52 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::52::52 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::53::53 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::53::53 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::54::54 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::54::54 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::55::55 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::55::55 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::56::56 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.77625, screen 0.91207 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 9 ps 0.9 lc rgb '#2572aa' title 'ring', \
       NaN with points pt 5 ps 0.9 lc rgb '#e6a216' title 'striped', \
       NaN with points pt 11 ps 0.9 lc rgb '#409877' title 'zigzag', \
       NaN with points pt 11 ps 0.9 lc rgb '#36d2b4' title 'pass_kv', \
       NaN with points pt 5 ps 0.9 lc rgb '#3e3300' title 'burst', \
       NaN with points pt 15 ps 0.9 lc rgb '#c877a5' title 'ulysses', \
       NaN with points pt 7 ps 0.9 lc rgb '#8a520d' title 'all_gather_kv', \
       NaN with steps lw 0.8 lc rgb '#6e6e6e' title 'none is better in both'
  unset multiplot
}
unset output
