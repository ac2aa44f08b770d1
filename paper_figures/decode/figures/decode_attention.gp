# Draws decode_attention.svg, decode_attention.pdf and decode_attention.png from decode_attention.csv: gnuplot decode_attention.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'decode_attention.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,887 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'decode_attention' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.240in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1774 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'decode_attention.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Attention of a decode step by workers' at screen 0.01875, screen 0.97294 left font ',16'
  set label 102 'H = 8, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0;' at screen 0.01875, screen 0.94814 left font ',11' textcolor rgb '#444444'
  set label 103 'commit 3f457904263d; 2026-11-20' at screen 0.01875, screen 0.93010 left font ',11' textcolor rgb '#444444'
  set label 104 'Left: wall clock over the number of decode steps in a row; thin, of the worker where each is largest: computing and exposed communication. Right:' at screen 0.01875, screen 0.10936 left font ',11' textcolor rgb '#444444'
  set label 105 'over the algorithm''s own case of W = 1, else over dense.' at screen 0.01875, screen 0.09132 left font ',11' textcolor rgb '#444444'
  set label 106 'Marks are medians; bars are 95 % order-statistic intervals of the median.' at screen 0.01875, screen 0.07328 left font ',11' textcolor rgb '#444444'
  set label 107 'Dashed, hollow: published, Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 H100, RDMA of 400 Gb/s per' at screen 0.01875, screen 0.05524 left font ',11' textcolor rgb '#444444'
  set label 108 'GPU between hosts; Table 8, of context and batch as named, W = 1, 2, 4 ranks. op is the attention kernel of one rank, pass-Q all of it with its' at screen 0.01875, screen 0.03720 left font ',11' textcolor rgb '#444444'
  set label 109 'exchanges. W = 1 there is 8 GPUs that split the heads: shapes compare, times do not.' at screen 0.01875, screen 0.01917 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.38094
  set tmargin at screen 0.87599
  set bmargin at screen 0.59414
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.6132486342622981:16.607285867785667]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time of a decode step (ms)'
  set label 1 '32,772 keys, B = 1, threads, no link limit' at screen 0.09062, screen 0.89402 left font ',13'
  plot data every ::0::2 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6e6e6e' notitle, \
       data every ::0::2 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::3::5 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::6::7 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::8::9 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#332288' notitle, \
       data every ::8::9 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#332288' notitle, \
       data every ::10::11 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 0.8 pt 4 ps 0.75 lc rgb '#332288' notitle, \
       data every ::12::13 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
       data every ::12::13 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::14::15 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 0.8 pt 14 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::16::17 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 14 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::18::18 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::18::18 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.48094
  set rmargin at screen 0.77125
  set tmargin at screen 0.87599
  set bmargin at screen 0.59414
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.130424198831992:11.277348790997134]
  set ytics nomirror out ('0.3' 0.30000000000000004, '1' 1, '3' 3, '10' 10, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time / time at W = 1'
  plot data every ::19::21 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6e6e6e' notitle, \
       data every ::19::21 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::22::23 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#332288' notitle, \
       data every ::22::23 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#332288' notitle, \
       data every ::24::25 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
       data every ::24::25 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::26::28 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle, \
       data every ::29::31 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::32::34 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#000000' notitle, \
       data every ::35::37 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.38094
  set tmargin at screen 0.48140
  set bmargin at screen 0.19955
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  set logscale y
  set yrange [2.2492979576038126:33.75870758838106]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'time of a decode step (ms)'
  set label 1 '32,772 keys, B = 4, threads, no link limit' at screen 0.09062, screen 0.49944 left font ',13'
  plot data every ::38::40 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6e6e6e' notitle, \
       data every ::38::40 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::41::43 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::44::45 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::46::47 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#332288' notitle, \
       data every ::46::47 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#332288' notitle, \
       data every ::48::49 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 0.8 pt 4 ps 0.75 lc rgb '#332288' notitle, \
       data every ::50::51 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
       data every ::50::51 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::52::53 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 0.8 pt 14 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::54::55 using (num('workers')):(num('y')) with linespoints lw 0.8 pt 14 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::56::56 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::56::56 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.48094
  set rmargin at screen 0.77125
  set tmargin at screen 0.48140
  set bmargin at screen 0.19955
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.13310076671256105:7.361003798778895]
  set ytics nomirror out ('0.3' 0.30000000000000004, '1' 1, '3' 3, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1)
  set ylabel 'time / time at W = 1'
  plot data every ::57::59 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6e6e6e' notitle, \
       data every ::57::59 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::60::61 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#332288' notitle, \
       data every ::60::61 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#332288' notitle, \
       data every ::62::63 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
       data every ::62::63 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::64::66 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle, \
       data every ::67::69 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::70::72 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#000000' notitle, \
       data every ::73::75 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.79937, screen 0.87599 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' title 'decode', \
       NaN with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#332288' title 'flash_decoding', \
       NaN with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#56b4e9' title 'tree_decode', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'dense', \
       NaN with linespoints dt (2,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'compute', \
       NaN with linespoints lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'exposed comm.', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' title 'op, 128K, B = 1', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'op, 32K, B = 4', \
       NaN with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#000000' title 'pass-Q, 128K, B = 1', \
       NaN with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' title 'pass-Q, 32K, B = 4'
  unset multiplot
}
unset output
