# Draws layer_time.svg, layer_time.pdf and layer_time.png from layer_time.csv: gnuplot layer_time.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'layer_time.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,549 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'layer_time' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.719in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1098 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'layer_time.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Time of a transformer layer' at screen 0.01875, screen 0.95628 left font ',16'
  set label 102 'B = 1, H = 12, d = 64, f32, flash kernel, cpu, serial ranks, all cores; 3 to 5 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.91621 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit 0c2cd2bb93d1; 2026-11-21' at screen 0.01875, screen 0.88707 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 5 repeats (93.8 % interval of the median) in 17 of 19 points, of 3 repeats (75.0 %) in 1, of 4 repeats' at screen 0.01875, screen 0.08925 left font ',11' textcolor rgb '#444444'
  set label 105 '(87.5 %) in 1.' at screen 0.01875, screen 0.06011 left font ',11' textcolor rgb '#444444'
  set label 106 'Dashed: the attention kernel alone, of the plain layer.' at screen 0.01875, screen 0.03097 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.63250
  set tmargin at screen 0.83607
  set bmargin at screen 0.23497
  set logscale x
  set xrange [415.87322693439256:40342.14013648622]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '32,768' 32768, '' 1024 1, '' 4096 1, '' 16384 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.9652993210905847:3879.7002855252326]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1)
  set ylabel 'time (ms)'
  plot data every ::0::4 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::0::4 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('time_ms')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::10::16 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::10::16 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' notitle, \
       data every ::17::23 using (num('n_tokens')):(num('time_ms')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::24::30 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::24::30 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::31::37 using (num('n_tokens')):(num('time_ms')) with linespoints dt (7,3) lw 0.8 pt 10 ps 0.75 lc rgb '#d55e00' notitle
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
  set key at screen 0.66063, screen 0.83607 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title 'plain, full mask', \
       NaN with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#d55e00' title 'attention, plain, full mask', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' title 'plain, bigbird mask', \
       NaN with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#d55e00' title 'attention, plain, bigbird mask', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#c877a5' title 'plain, sliding_window mask', \
       NaN with linespoints dt (7,3) lw 0.8 pt 10 ps 0.75 lc rgb '#d55e00' title 'attention, plain, sliding_window mask'
  unset multiplot
}
unset output
