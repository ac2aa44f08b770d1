# Draws ttft_miss_rate.svg, ttft_miss_rate.pdf and ttft_miss_rate.png from ttft_miss_rate.csv: gnuplot ttft_miss_rate.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'ttft_miss_rate.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1225 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'ttft_miss_rate' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,12.760in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2450 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'ttft_miss_rate.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Passing keys and values, or queries, by miss rate' at screen 0.01875, screen 0.98041 left font ',16'
  set label 102 'W = 4, B = 1, H = 16, G = 1, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 4 on 2 cores; 3 to 5 repeats; AMD EPYC,' at screen 0.01875, screen 0.96245 left font ',11' textcolor rgb '#444444'
  set label 103 'family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.94939 left font ',11' textcolor rgb '#444444'
  set label 104 'T new tokens attend to P cached ones and to themselves. Ratio below 1: pass_q, which sends queries around and partial outputs home, is the faster;' at screen 0.01875, screen 0.11837 left font ',11' textcolor rgb '#444444'
  set label 105 'above 1: pass_kv. Its error bars: quotients of the ends of the two intervals.' at screen 0.01875, screen 0.10531 left font ',11' textcolor rgb '#444444'
  set label 106 'Where the two are equally fast: between 3.12 % and 6.25 % (W = 4, threads, 50 MB/s, 8,192 keys); between 0.781 % and 6.25 % (W = 4, threads, 200' at screen 0.01875, screen 0.09224 left font ',11' textcolor rgb '#444444'
  set label 107 'MB/s, 8,192 keys); between 1.56 % and 50 % (W = 4, threads, 1 GB/s, 8,192 keys); 5.2 % (published, without intervals).' at screen 0.01875, screen 0.07918 left font ',11' textcolor rgb '#444444'
  set label 108 'Marks: medians; error bars: min to max of 5 repeats (93.8 % interval of the median) in 46 of 48 points, of 3 repeats (75.0 %) in 1, of 4 repeats' at screen 0.01875, screen 0.06612 left font ',11' textcolor rgb '#444444'
  set label 109 '(87.5 %) in 1.' at screen 0.01875, screen 0.05306 left font ',11' textcolor rgb '#444444'
  set label 110 'Published: Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 H100, RDMA of 400 Gb/s per GPU between' at screen 0.01875, screen 0.04000 left font ',11' textcolor rgb '#444444'
  set label 111 'hosts; Table 4, 4 ranks, P + T = 128,000. It is the time to first token of the whole model of 126 layers: what attention does not take pulls its' at screen 0.01875, screen 0.02694 left font ',11' textcolor rgb '#444444'
  set label 112 'ratio towards 1, so only the side of 1 compares, and no time of it is drawn.' at screen 0.01875, screen 0.01388 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.91020
  set bmargin at screen 0.72245
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  set logscale y
  set yrange [16.904900633665594:1821.3470250903165]
  set ytics nomirror out ('30' 30, '100' 100, '300' 300, '1,000' 1000, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'wall clock (ms)'
  set label 1 'W = 4, threads, 50 MB/s, 8,192 keys' at screen 0.09062, screen 0.92327 left font ',13'
  plot data every ::0::7 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::0::7 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::8::15 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::8::15 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.91020
  set bmargin at screen 0.72245
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [0.20282465129448307:1.7763560738408508]
  set ytics nomirror out ('0.5' 0.5, '1.0' 1, '1.5' 1.5)
  set ylabel 'pass_q / pass_kv'
  plot data every ::16::23 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::16::23 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::24::37 using (num('miss_rate_percent')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::38::39 using (num('miss_rate_percent')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.64082
  set bmargin at screen 0.45306
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  set logscale y
  set yrange [14.507615641237566:1348.5474381551392]
  set ytics nomirror out ('30' 30, '100' 100, '300' 300, '1,000' 1000, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'wall clock (ms)'
  set label 1 'W = 4, threads, 200 MB/s, 8,192 keys' at screen 0.09062, screen 0.65388 left font ',13'
  plot data every ::40::47 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::40::47 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::48::55 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::48::55 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.64082
  set bmargin at screen 0.45306
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [0.500449709951768:1.6832791677223942]
  set ytics nomirror out ('0.75' 0.75, '1.00' 1, '1.25' 1.25, '1.50' 1.5)
  set ylabel 'pass_q / pass_kv'
  plot data every ::56::63 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::56::63 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::64::77 using (num('miss_rate_percent')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::78::79 using (num('miss_rate_percent')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.37143
  set bmargin at screen 0.18367
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  set logscale y
  set yrange [12.942243407879696:1211.5886381297512]
  set ytics nomirror out ('30' 30, '100' 100, '300' 300, '1,000' 1000, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'wall clock (ms)'
  set label 1 'W = 4, threads, 1 GB/s, 8,192 keys' at screen 0.09062, screen 0.38449 left font ',13'
  plot data every ::80::87 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#36d2b4' notitle, \
       data every ::80::87 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' notitle, \
       data every ::88::95 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#979d5c' notitle, \
       data every ::88::95 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.37143
  set bmargin at screen 0.18367
  set logscale x
  set xrange [0.38363524950546274:130.33213205630634]
  set xtics nomirror out ('0.5' 0.5, '1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [0.6624367938095349:1.5859286666457026]
  set ytics nomirror out ('0.8' 0.8, '1.0' 1, '1.2' 1.2000000000000002, '1.4' 1.4000000000000001)
  set ylabel 'pass_q / pass_kv'
  plot data every ::96::103 using (num('miss_rate_percent')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::96::103 using (num('miss_rate_percent')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::104::117 using (num('miss_rate_percent')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::118::119 using (num('miss_rate_percent')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.82250, screen 0.91020 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#36d2b4' title 'pass_kv', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#979d5c' title 'pass_q', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'pass_q / pass_kv', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published, TTFT', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'equally fast'
  unset multiplot
}
unset output
