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
  set label 102 'N = 8,192, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 7 to 12 repeats; AMD EPYC, family 25 model 1' at screen 0.01875, screen 0.96323 left font ',11' textcolor rgb '#444444'
  set label 103 '| 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 47ba9886139a; 2026-11-24' at screen 0.01875, screen 0.95044 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 7 repeats (98.4 % interval of the median) in 42 of 44 points, 96.1 % interval of the median of 12' at screen 0.01875, screen 0.06475 left font ',11' textcolor rgb '#444444'
  set label 105 'repeats in 2.' at screen 0.01875, screen 0.05196 left font ',11' textcolor rgb '#444444'
  set label 106 'Not drawn: 4 of 48 cases (unsupported: cqs needs at least 3 workers).' at screen 0.01875, screen 0.03917 left font ',11' textcolor rgb '#444444'
  set label 107 'The grey steps lead from scheme to scheme of which none has less memory and less time.' at screen 0.01875, screen 0.02638 left font ',11' textcolor rgb '#444444'
  set label 108 'Hollow: 2 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.01359 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.91207
  set bmargin at screen 0.70424
  unset logscale x
  set xrange [62.91893615722656:97.70636901855468]
  set xtics nomirror out ('70' 70, '80' 80, '90' 90)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [443.0921445984495:951.9896634026736]
  set ytics nomirror out ('600' 600, '800' 800)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 8,192, W = 2, mpi, no link limit' at screen 0.09062, screen 0.92486 left font ',13'
  plot data every ::0::0 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::0::0 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::0::0 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::1::1 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::1::1 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::1::1 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::2::2 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::2::2 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::2::2 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::3::3 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::3::3 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::3::3 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::4::4 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::4::4 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::4::4 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::5::5 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::5::5 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::5::5 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::6::7 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.91207
  set bmargin at screen 0.70424
  unset logscale x
  set xrange [62.91893615722656:97.70636901855468]
  set xtics nomirror out ('70' 70, '80' 80, '90' 90)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [427.0152404000328:746.16696559915]
  set ytics nomirror out ('500' 500, '600' 600, '700' 700)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 8,192, W = 2, threads, no link limit' at screen 0.46938, screen 0.92486 left font ',13'
  plot data every ::8::8 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::8::8 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::8::8 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::9::9 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::9::9 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::9::9 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::10::10 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::10::10 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::10::10 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::11::11 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::11::11 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::11::11 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::12::12 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::12::12 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::12::12 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::13::13 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::13::13 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::13::13 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::14::16 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.62430
  set bmargin at screen 0.41647
  unset logscale x
  set xrange [34.484002685546876:82.23316040039063]
  set xtics nomirror out ('40' 40, '50' 50, '60' 60, '70' 70, '80' 80)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [430.93937875091797:725.6205622514244]
  set ytics nomirror out ('500' 500, '600' 600, '700' 700)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 8,192, W = 4, mpi, no link limit' at screen 0.09062, screen 0.63709 left font ',13'
  plot data every ::17::17 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::17::17 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::17::17 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::18::18 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::18::18 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::18::18 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::19::19 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::19::19 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::19::19 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::20::20 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::20::20 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::20::20 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::21::21 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::21::21 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::21::21 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::22::22 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::22::22 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::22::22 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::23::23 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::23::23 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::23::23 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::24::24 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::24::24 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::24::24 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::25::26 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.62430
  set bmargin at screen 0.41647
  unset logscale x
  set xrange [34.484002685546876:82.23316040039063]
  set xtics nomirror out ('40' 40, '50' 50, '60' 60, '70' 70, '80' 80)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [444.8029384004258:845.4284295983598]
  set ytics nomirror out ('500' 500, '600' 600, '700' 700, '800' 800)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 8,192, W = 4, threads, no link limit' at screen 0.46938, screen 0.63709 left font ',13'
  plot data every ::27::27 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::27::27 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::27::27 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::28::28 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::28::28 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::28::28 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::29::29 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::29::29 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::29::29 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::30::30 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::30::30 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::30::30 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::31::31 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::31::31 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::31::31 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::32::32 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::32::32 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::32::32 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::33::33 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::33::33 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::33::33 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::34::34 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::34::34 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::34::34 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::35::35 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.36938
  set tmargin at screen 0.33653
  set bmargin at screen 0.12870
  unset logscale x
  set xrange [15.919927978515625:74.70372924804687]
  set xtics nomirror out ('20' 20, '40' 40, '60' 60)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [433.74699689920817:833.9907330995629]
  set ytics nomirror out ('500' 500, '600' 600, '700' 700, '800' 800)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 8,192, W = 8, mpi, no link limit' at screen 0.09062, screen 0.34932 left font ',13'
  plot data every ::36::36 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::36::36 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::36::36 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::37::37 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::37::37 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::37::37 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::38::38 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::38::38 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::38::38 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::39::39 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::39::39 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::39::39 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::40::40 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::40::40 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::40::40 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::41::41 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::41::41 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::41::41 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::42::42 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::42::42 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::42::42 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::43::43 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::43::43 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::43::43 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::44::46 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.46938
  set rmargin at screen 0.74813
  set tmargin at screen 0.33653
  set bmargin at screen 0.12870
  unset logscale x
  set xrange [15.919927978515625:74.70372924804687]
  set xtics nomirror out ('20' 20, '40' 40, '60' 60)
  set xlabel 'peak active memory of a device (MiB)'
  unset logscale y
  set yrange [444.29634530188196:841.5027087014096]
  set ytics nomirror out ('500' 500, '600' 600, '700' 700, '800' 800)
  set ylabel 'wall clock (ms)'
  set label 1 'N = 8,192, W = 8, threads, no link limit' at screen 0.46938, screen 0.34932 left font ',13'
  plot data every ::47::47 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::47::47 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 7 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::47::47 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::48::48 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::48::48 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#d46207' notitle, \
       data every ::48::48 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::49::49 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::49::49 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 13 ps 0.9 lc rgb '#801a4d' notitle, \
       data every ::49::49 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::50::50 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::50::50 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#979d5c' notitle, \
       data every ::50::50 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::51::51 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::51::51 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 9 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::51::51 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::52::52 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::52::52 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 5 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::52::52 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::53::53 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::53::53 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 15 ps 0.9 lc rgb '#c877a5' notitle, \
       data every ::53::53 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::54::54 using (num('peak_memory_mib')):(num('wall_time_ms_low')):(0):(num('wall_time_ms_high') - num('wall_time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::54::54 using (num('peak_memory_mib')):(num('wall_time_ms')) with points pt 11 ps 0.9 lc rgb '#409877' notitle, \
       data every ::54::54 using (num('peak_memory_mib')):(column('disturbed') > 0 ? (num('wall_time_ms')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::55::56 using (num('peak_memory_mib')):(num('wall_time_ms')) with steps lw 0.8 lc rgb '#6e6e6e' notitle
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
  plot NaN with points pt 13 ps 0.9 lc rgb '#d46207' title 'cqs', \
       NaN with points pt 13 ps 0.9 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with points pt 9 ps 0.9 lc rgb '#2572aa' title 'ring', \
       NaN with points pt 5 ps 0.9 lc rgb '#e6a216' title 'striped', \
       NaN with points pt 11 ps 0.9 lc rgb '#409877' title 'zigzag', \
       NaN with points pt 9 ps 0.9 lc rgb '#979d5c' title 'pass_q', \
       NaN with points pt 15 ps 0.9 lc rgb '#c877a5' title 'ulysses', \
       NaN with points pt 7 ps 0.9 lc rgb '#8a520d' title 'all_gather_kv', \
       NaN with steps lw 0.8 lc rgb '#6e6e6e' title 'none is better in both'
  unset multiplot
}
unset output
