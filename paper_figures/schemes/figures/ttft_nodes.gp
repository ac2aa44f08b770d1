# Draws ttft_nodes.svg, ttft_nodes.pdf and ttft_nodes.png from ttft_nodes.csv: gnuplot ttft_nodes.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'ttft_nodes.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,939 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'ttft_nodes' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.781in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1878 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'ttft_nodes.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Time to first token by nodes' at screen 0.01875, screen 0.97444 left font ',16'
  set label 102 'N = 8,192, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; W = 4, 8 on 2 cores; 7 to 12 repeats; AMD EPYC, family 25 model 1' at screen 0.01875, screen 0.95101 left font ',11' textcolor rgb '#444444'
  set label 103 '| 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 47ba9886139a; 2026-11-24' at screen 0.01875, screen 0.93397 left font ',11' textcolor rgb '#444444'
  set label 104 'The wall clock of causal attention over the whole sequence, which is what a scheme adds to the time to first token; a model also has products and' at screen 0.01875, screen 0.13738 left font ',11' textcolor rgb '#444444'
  set label 105 'passes of its own.' at screen 0.01875, screen 0.12034 left font ',11' textcolor rgb '#444444'
  set label 106 'Marks: medians; error bars: min to max of 7 repeats (98.4 % interval of the median) in 42 of 44 points, 96.1 % interval of the median of 12' at screen 0.01875, screen 0.10330 left font ',11' textcolor rgb '#444444'
  set label 107 'repeats in 2.' at screen 0.01875, screen 0.08626 left font ',11' textcolor rgb '#444444'
  set label 108 'Not drawn: 4 of 48 cases (unsupported: cqs needs at least 3 workers).' at screen 0.01875, screen 0.06922 left font ',11' textcolor rgb '#444444'
  set label 109 'Published: Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 H100, RDMA of 400 Gb/s per GPU between' at screen 0.01875, screen 0.05218 left font ',11' textcolor rgb '#444444'
  set label 110 'hosts; Table 7, and of 8 and 16 nodes the times that the text prints. They are of the whole model: slopes compare, times do not.' at screen 0.01875, screen 0.03514 left font ',11' textcolor rgb '#444444'
  set label 111 'Hollow: 2 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.01810 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.33083
  set tmargin at screen 0.88285
  set bmargin at screen 0.60596
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:984.5894354826305]
  set ytics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600, '800' 800)
  set ylabel 'time of attention (ms)'
  set label 1 'N = 8,192, mpi, no link limit' at screen 0.09062, screen 0.89989 left font ',13'
  plot data every ::0::2 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::0::2 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::0::2 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::3::4 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::3::4 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::3::4 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::5::6 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::5::6 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::5::6 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::7::9 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::7::9 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' notitle, \
       data every ::7::9 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::10::12 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::10::12 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::10::12 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::13::15 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::13::15 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::13::15 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::16::18 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::16::18 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::16::18 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::19::21 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::19::21 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::19::21 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::22::24 using (num('workers')):(num('y')) with lines dt (2,3) lw 0.6 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.43083
  set rmargin at screen 0.67104
  set tmargin at screen 0.88285
  set bmargin at screen 0.60596
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:876.8512707983609]
  set ytics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600, '800' 800)
  set ylabel 'time of attention (ms)'
  set label 1 'N = 8,192, threads, no link limit' at screen 0.43083, screen 0.89989 left font ',13'
  plot data every ::25::27 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::25::27 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::25::27 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::28::29 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::28::29 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::28::29 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::30::31 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::30::31 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::30::31 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::32::34 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::32::34 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' notitle, \
       data every ::32::34 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::35::37 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::35::37 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::35::37 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::38::40 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::38::40 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::38::40 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::41::43 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::41::43 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::41::43 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::44::46 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::44::46 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::44::46 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::47::49 using (num('workers')):(num('y')) with lines dt (2,3) lw 0.6 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.33083
  set tmargin at screen 0.49947
  set bmargin at screen 0.22258
  set logscale x
  set xrange [0.8705505632961241:18.37917367995256]
  set xtics nomirror out ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16)
  set xlabel 'nodes of 8 GPUs'
  set logscale y
  set yrange [2.285739322754386:48.25681789342544]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1)
  set ylabel 'time to first token (s)'
  set label 1 'published: Llama 3 405B, 128,000 tokens' at screen 0.09062, screen 0.51651 left font ',13'
  plot data every ::50::54 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle, \
       data every ::50::54 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::55::56 using (num('workers')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::55::56 using (num('workers')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::57::61 using (num('workers')):(num('y')) with lines dt (2,3) lw 0.6 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.69917, screen 0.88285 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' title 'cqs', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' title 'pass_q', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' title 'ulysses', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' title 'all_gather_kv', \
       NaN with lines dt (2,3) lw 0.6 lc rgb '#6e6e6e' title 'twice the workers, half the time', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' title 'published: context parallel', \
       NaN with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' title 'published: tensor parallel'
  unset multiplot
}
unset output
