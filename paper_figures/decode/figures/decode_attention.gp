# Draws decode_attention.svg, decode_attention.pdf and decode_attention.png from decode_attention.csv: gnuplot decode_attention.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'decode_attention.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1507 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'decode_attention' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,15.698in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,3014 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'decode_attention.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Attention of a decode step by workers' at screen 0.01875, screen 0.98407 left font ',16'
  set label 102 'H = 8, G = 2, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 4 on 2 cores; 9 repeats; AMD EPYC, family 25 model 17 | 2' at screen 0.01875, screen 0.96948 left font ',11' textcolor rgb '#444444'
  set label 103 'cores | avx512 | 24 GiB; qb 0.1.0; commit 3f457904263d; 2026-11-20' at screen 0.01875, screen 0.95886 left font ',11' textcolor rgb '#444444'
  set label 104 'The panels of each group show: the wall clock over the number of decode steps in a row; over that of the algorithm''s own case of W = 1, else of' at screen 0.01875, screen 0.06437 left font ',11' textcolor rgb '#444444'
  set label 105 'dense; the computing and the exposed communication of the worker that has the most of each.' at screen 0.01875, screen 0.05375 left font ',11' textcolor rgb '#444444'
  set label 106 'Marks: medians; error bars: 96.1 % interval of the median of 9 repeats.' at screen 0.01875, screen 0.04313 left font ',11' textcolor rgb '#444444'
  set label 107 'Published: Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 H100, RDMA of 400 Gb/s per GPU between' at screen 0.01875, screen 0.03251 left font ',11' textcolor rgb '#444444'
  set label 108 'hosts; Table 8, of the same batch size, with 128,000 tokens of context for B = 1 and 32,000 for B = 4. The attention op is the kernel of one rank,' at screen 0.01875, screen 0.02190 left font ',11' textcolor rgb '#444444'
  set label 109 'pass-Q all of it with its exchanges. W = 1 there is 8 GPUs that split the heads: shapes compare, times do not.' at screen 0.01875, screen 0.01128 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.36552
  set tmargin at screen 0.92701
  set bmargin at screen 0.77439
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:15.152473160414957]
  set ytics nomirror out ('0' 0, '5' 5, '10' 10, '15' 15)
  set ylabel 'time of a decode step (ms)'
  set label 1 '32,772 keys, B = 1, threads, no link limit' at screen 0.09062, screen 0.93762 left font ',13'
  plot data every ::0::2 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6a6967' notitle, \
       data every ::0::2 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' notitle, \
       data every ::3::4 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2e2388' notitle, \
       data every ::3::4 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::5::6 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#71a8d5' notitle, \
       data every ::5::6 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' notitle, \
       data every ::7::7 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::7::7 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.46552
  set rmargin at screen 0.74042
  set tmargin at screen 0.92701
  set bmargin at screen 0.77439
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.3221274232612158:10.802106731884995]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time / time at W = 1'
  set label 1 'over the time of W = 1' at screen 0.46552, screen 0.93762 left font ',13'
  plot data every ::8::10 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6a6967' notitle, \
       data every ::8::10 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' notitle, \
       data every ::11::12 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2e2388' notitle, \
       data every ::11::12 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::13::14 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#71a8d5' notitle, \
       data every ::13::14 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' notitle, \
       data every ::15::17 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::18::20 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#000000' notitle, \
       data every ::21::22 using (num('workers')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.36552
  set tmargin at screen 0.70803
  set bmargin at screen 0.55541
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:5.167801040279301]
  set ytics nomirror out ('0' 0, '2' 2, '4' 4)
  set ylabel 'time of a decode step (ms)'
  set label 1 'computing' at screen 0.09062, screen 0.71865 left font ',13'
  plot data every ::23::25 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' notitle, \
       data every ::26::27 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::28::29 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.46552
  set rmargin at screen 0.74042
  set tmargin at screen 0.70803
  set bmargin at screen 0.55541
  set logscale x
  set xrange [1.9047619047619047:4.2]
  set xtics nomirror out ('2' 2, '4' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:6.8560185192473]
  set ytics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set ylabel 'time of a decode step (ms)'
  set label 1 'exposed communication' at screen 0.46552, screen 0.71865 left font ',13'
  plot data every ::30::31 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' notitle, \
       data every ::32::33 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.36552
  set tmargin at screen 0.48905
  set bmargin at screen 0.33643
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:31.638925845254562]
  set ytics nomirror out ('0' 0, '10' 10, '20' 20, '30' 30)
  set ylabel 'time of a decode step (ms)'
  set label 1 '32,772 keys, B = 4, threads, no link limit' at screen 0.09062, screen 0.49967 left font ',13'
  plot data every ::34::36 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6a6967' notitle, \
       data every ::34::36 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' notitle, \
       data every ::37::38 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2e2388' notitle, \
       data every ::37::38 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::39::40 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#71a8d5' notitle, \
       data every ::39::40 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' notitle, \
       data every ::41::41 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::41::41 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.46552
  set rmargin at screen 0.74042
  set tmargin at screen 0.48905
  set bmargin at screen 0.33643
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.13793498608057028:3.479890669794601]
  set ytics nomirror out ('0.3' 0.30000000000000004, '1' 1, '3' 3, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1)
  set ylabel 'time / time at W = 1'
  set label 1 'over the time of W = 1' at screen 0.46552, screen 0.49967 left font ',13'
  plot data every ::42::44 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6a6967' notitle, \
       data every ::42::44 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' notitle, \
       data every ::45::46 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2e2388' notitle, \
       data every ::45::46 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::47::48 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#71a8d5' notitle, \
       data every ::47::48 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' notitle, \
       data every ::49::51 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::52::54 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#000000' notitle, \
       data every ::55::56 using (num('workers')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.09062
  set rmargin at screen 0.36552
  set tmargin at screen 0.27007
  set bmargin at screen 0.11745
  set logscale x
  set xrange [0.9330329915368074:4.2870938501451725]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:27.629502611598582]
  set ytics nomirror out ('0' 0, '10' 10, '20' 20)
  set ylabel 'time of a decode step (ms)'
  set label 1 'computing' at screen 0.09062, screen 0.28069 left font ',13'
  plot data every ::57::59 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' notitle, \
       data every ::60::61 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::62::63 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.46552
  set rmargin at screen 0.74042
  set tmargin at screen 0.27007
  set bmargin at screen 0.11745
  set logscale x
  set xrange [1.9047619047619047:4.2]
  set xtics nomirror out ('2' 2, '4' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:12.588141028736572]
  set ytics nomirror out ('0' 0, '5' 5, '10' 10)
  set ylabel 'time of a decode step (ms)'
  set label 1 'exposed communication' at screen 0.46552, screen 0.28069 left font ',13'
  plot data every ::64::65 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' notitle, \
       data every ::66::67 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' notitle
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
  set key at screen 0.76854, screen 0.92701 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'dense', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#6a6967' title 'decode', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#2e2388' title 'flash_decoding', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#71a8d5' title 'tree_decode', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published: attention op', \
       NaN with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#000000' title 'published: pass-Q', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'as long as W = 1'
  unset multiplot
}
unset output
