# Draws time_memory.svg, time_memory.pdf and time_memory.png from time_memory.csv: gnuplot time_memory.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'time_memory.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1267 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'time_memory' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.198in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2534 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'time_memory.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Time against memory across schemes' at screen 0.01875, screen 0.98106 left font ',16'
  set label 102 'N = 2,048, B = 1, H = 8, d = 64, bf16, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 6 to 11 repeats; AMD EPYC, family 25 model' at screen 0.01875, screen 0.96369 left font ',11' textcolor rgb '#444444'
  set label 103 '1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit d0c284855df0; 2026-11-23' at screen 0.01875, screen 0.95107 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median) in 47 of 50 points, 98.8 % interval of the median of 11' at screen 0.01875, screen 0.07656 left font ',11' textcolor rgb '#444444'
  set label 105 'repeats in 3.' at screen 0.01875, screen 0.06393 left font ',11' textcolor rgb '#444444'
  set label 106 'serial: one device played the workers in turn; its wall clock is the critical path composed of them, without a network.' at screen 0.01875, screen 0.05130 left font ',11' textcolor rgb '#444444'
  set label 107 'The grey steps lead from scheme to scheme of which none has less memory and less time.' at screen 0.01875, screen 0.03867 left font ',11' textcolor rgb '#444444'
  set label 108 'Both passes together; scheme_passes has each.' at screen 0.01875, screen 0.02605 left font ',11' textcolor rgb '#444444'
  set label 109 'Hollow: 3 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.01342 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.91318
  set bmargin at screen 0.70797
  unset logscale x
  set xrange [16.612750244140624:26.512615966796876]
  set xtics nomirror out ('18' 18, '20' 20, '22' 22, '24' 24, '26' 26)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [60.21977495279316:136.42953604935428]
  set ytics nomirror out ('80' 80, '100' 100, '120' 120)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 2, serial, no link limit' at screen 0.09062, screen 0.92581 left font ',13'
  plot data every ::0::0 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::0::0 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::0::0 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::1::1 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::1::1 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::1::1 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::2::2 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::2::2 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::2::2 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::3::3 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::3::3 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::3::3 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::4::4 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::4::4 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::4::4 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::5::5 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::5::5 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::5::5 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::6::6 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::6::6 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::6::6 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::7::9 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.91318
  set bmargin at screen 0.70797
  unset logscale x
  set xrange [16.612750244140624:26.512615966796876]
  set xtics nomirror out ('18' 18, '20' 20, '22' 22, '24' 24, '26' 26)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [124.93281679990105:291.1342191998301]
  set ytics nomirror out ('150' 150, '200' 200, '250' 250)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 2, threads, no link limit' at screen 0.46938, screen 0.92581 left font ',13'
  plot data every ::10::10 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::10::10 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::10::10 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::11::11 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::11::11 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::11::11 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::12::12 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::12::12 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::12::12 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::13::13 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::13::13 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::13::13 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::14::14 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::14::14 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::14::14 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::15::15 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::15::15 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::15::15 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::16::16 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::16::16 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::16::16 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::17::18 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.62904
  set bmargin at screen 0.42384
  unset logscale x
  set xrange [7.606744384765625:27.956610107421874]
  set xtics nomirror out ('10' 10, '15' 15, '20' 20, '25' 25)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [31.032493600469024:103.07449439769698]
  set ytics nomirror out ('40' 40, '60' 60, '80' 80, '100' 100)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 4, serial, no link limit' at screen 0.09062, screen 0.64167 left font ',13'
  plot data every ::19::19 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::19::19 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::19::19 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::20::20 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::20::20 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::20::20 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::21::21 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::21::21 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::21::21 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::22::22 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::22::22 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::22::22 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::23::23 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::23::23 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::23::23 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::24::24 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::24::24 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::24::24 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::25::25 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::25::25 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::25::25 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::26::26 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::26::26 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::26::26 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::27::27 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::27::27 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::27::27 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::28::28 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.62904
  set bmargin at screen 0.42384
  unset logscale x
  set xrange [7.606744384765625:27.956610107421874]
  set xtics nomirror out ('10' 10, '15' 15, '20' 20, '25' 25)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [147.5640483490679:290.2456566503133]
  set ytics nomirror out ('150' 150, '200' 200, '250' 250)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 4, threads, no link limit' at screen 0.46938, screen 0.64167 left font ',13'
  plot data every ::29::29 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::29::29 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::29::29 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::30::30 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::30::30 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::30::30 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::31::31 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::31::31 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::31::31 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::32::32 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::32::32 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::32::32 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::33::33 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::33::33 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::33::33 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::34::34 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::34::34 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::34::34 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::35::35 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::35::35 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::35::35 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::36::36 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::36::36 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::36::36 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::37::37 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::37::37 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::37::37 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::38::39 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.34491
  set bmargin at screen 0.13970
  unset logscale x
  set xrange [3.149737548828125:28.676800537109376]
  set xtics nomirror out ('10' 10, '20' 20)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [18.99503669887963:53.44904529970336]
  set ytics nomirror out ('20' 20, '30' 30, '40' 40, '50' 50)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 8, serial, no link limit' at screen 0.09062, screen 0.35754 left font ',13'
  plot data every ::40::40 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::40::40 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::40::40 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::41::41 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::41::41 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::41::41 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::42::42 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::42::42 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::42::42 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::43::43 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::43::43 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::43::43 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::44::44 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::44::44 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::44::44 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::45::45 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::45::45 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::45::45 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::46::46 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::46::46 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::46::46 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::47::47 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::47::47 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::47::47 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::48::48 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::48::48 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::48::48 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::49::52 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.34491
  set bmargin at screen 0.13970
  unset logscale x
  set xrange [3.104107666015625:28.678973388671874]
  set xtics nomirror out ('10' 10, '20' 20)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [143.6144545008574:441.56974950019503]
  set ytics nomirror out ('200' 200, '300' 300, '400' 400)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 2,048, W = 8, threads, no link limit' at screen 0.46938, screen 0.35754 left font ',13'
  plot data every ::53::53 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::53::53 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::53::53 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::54::54 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#3e3300' notitle, \
       data every ::54::54 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#3e3300' notitle, \
       data every ::54::54 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::55::55 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::55::55 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::55::55 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::56::56 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::56::56 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::56::56 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::57::57 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::57::57 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#36d2b4' notitle, \
       data every ::57::57 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::58::58 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::58::58 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::58::58 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::59::59 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::59::59 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::59::59 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::60::60 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::60::60 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::60::60 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::61::61 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::61::61 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::61::61 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::62::62 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.77625, screen 0.91318 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 13 ps 0.9 lc rgb '#d46207' title 'cqs', \
       NaN with points pt 13 ps 0.9 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with points pt 9 ps 0.9 lc rgb '#2572aa' title 'ring', \
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
