# Draws ttft_miss_rate.svg, ttft_miss_rate.pdf and ttft_miss_rate.png from ttft_miss_rate.csv: gnuplot ttft_miss_rate.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'ttft_miss_rate.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,879 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'ttft_miss_rate' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.156in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1758 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'ttft_miss_rate.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Passing keys and values, or queries, by miss rate' at screen 0.01875, screen 0.97270 left font ',16'
  set label 102 'W = 4, H = 8, G = 2, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 4 on 2 cores; 7 repeats; AMD EPYC, family 25 model' at screen 0.01875, screen 0.94767 left font ',11' textcolor rgb '#444444'
  set label 103 '1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.92947 left font ',11' textcolor rgb '#444444'
  set label 104 'T new tokens attend to P cached ones and to themselves. Ratio below 1: pass_q, which sends queries around and partial outputs home, is the faster;' at screen 0.01875, screen 0.14676 left font ',11' textcolor rgb '#444444'
  set label 105 'above 1: pass_kv. Its error bars: quotients of the ends of the two intervals.' at screen 0.01875, screen 0.12856 left font ',11' textcolor rgb '#444444'
  set label 106 'Where the two are equally fast: not decided, since every interval of 4 miss rates includes 1 (W = 4, threads, 1 GB/s, 2,048 keys); not decided,' at screen 0.01875, screen 0.11035 left font ',11' textcolor rgb '#444444'
  set label 107 'since every interval of 1 miss rate includes 1 (W = 4, threads, no link limit, 1,149 keys); 5.2 % (published, without intervals).' at screen 0.01875, screen 0.09215 left font ',11' textcolor rgb '#444444'
  set label 108 'Marks: medians; error bars: min to max of 7 repeats (98.4 % interval of the median).' at screen 0.01875, screen 0.07395 left font ',11' textcolor rgb '#444444'
  set label 109 'Published: Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 H100, RDMA of 400 Gb/s per GPU between' at screen 0.01875, screen 0.05575 left font ',11' textcolor rgb '#444444'
  set label 110 'hosts; Table 4, 4 ranks, P + T = 128,000. It is the time to first token of the whole model of 126 layers: what attention does not take pulls its' at screen 0.01875, screen 0.03754 left font ',11' textcolor rgb '#444444'
  set label 111 'ratio towards 1, so only the side of 1 compares, and no time of it is drawn.' at screen 0.01875, screen 0.01934 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.87486
  set bmargin at screen 0.61320
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  set logscale y
  set yrange [1.4436909724536264:70.66348359551876]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1)
  set ylabel 'wall clock (ms)'
  set label 1 'W = 4, threads, 1 GB/s, 2,048 keys' at screen 0.09062, screen 0.89306 left font ',13'
  plot data every ::0::3 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::0::3 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::4::7 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::4::7 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.87486
  set bmargin at screen 0.61320
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [0.43178528178261877:1.8012997190029119]
  set ytics nomirror out ('0.5' 0.5, '1.0' 1, '1.5' 1.5)
  set ylabel 'pass_q / pass_kv'
  plot data every ::8::11 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::8::11 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::12::25 using (num('miss_rate_percent')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::26::27 using (num('miss_rate_percent')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.49943
  set bmargin at screen 0.23777
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  set logscale y
  set yrange [0.9080552367127633:2.1394127999883494]
  set ytics nomirror out ('1.00' 1, '1.25' 1.25, '1.50' 1.5, '1.75' 1.75, '2.00' 2)
  set ylabel 'wall clock (ms)'
  set label 1 'W = 4, threads, no link limit, 1,149 keys' at screen 0.09062, screen 0.51763 left font ',13'
  plot data every ::28::28 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::28::28 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::29::29 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::29::29 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.49943
  set bmargin at screen 0.23777
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [0.4035087574501879:1.8211408074058646]
  set ytics nomirror out ('0.5' 0.5, '1.0' 1, '1.5' 1.5)
  set ylabel 'pass_q / pass_kv'
  plot data every ::30::30 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::30::30 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::31::44 using (num('miss_rate_percent')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::45::46 using (num('miss_rate_percent')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.82250, screen 0.87486 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' title 'pass_kv', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' title 'pass_q', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'pass_q / pass_kv', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published, TTFT', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'equally fast'
  unset multiplot
}
unset output
