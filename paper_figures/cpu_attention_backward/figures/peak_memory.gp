# Draws peak_memory.svg, peak_memory.pdf and peak_memory.png from peak_memory.csv: gnuplot peak_memory.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'peak_memory.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,598 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'peak_memory' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,6.229in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1196 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'peak_memory.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Peak memory of a device against sequence length' at screen 0.01875, screen 0.95987 left font ',16'
  set label 102 'B = 1, H = 8, backward pass, flash kernel, cpu, serial ranks; 6 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.92308 left font ',11' textcolor rgb '#444444'
  set label 103 'b27365e418f7; 2026-11-24' at screen 0.01875, screen 0.89632 left font ',11' textcolor rgb '#444444'
  set label 104 'Bytes of the tensors on the fullest device at the worst moment, as the memory ledger counts them: a worker''s shard, buffers and workspace, and the' at screen 0.01875, screen 0.05518 left font ',11' textcolor rgb '#444444'
  set label 105 'whole tensors where one device holds them, as the root of cqs does.' at screen 0.01875, screen 0.02843 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.57854
  set tmargin at screen 0.74080
  set bmargin at screen 0.18896
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [5.5324744596237805:150.20772663620872]
  set ytics nomirror out ('10' 10, '30' 30, '100' 100, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'peak memory of a device (MiB)'
  set label 2 'W = 1, 1 thread, d = 128, bf16, causal mask and W = 1, 1 thread, d =' at screen 0.09062, screen 0.85452 left font ',11' textcolor rgb '#d8d8d8'
  set label 3 '128, bf16, full mask' at screen 0.09062, screen 0.83278 left font ',11' textcolor rgb '#d8d8d8'
  set label 4 'W = 1, 1 thread, d = 128, f32, causal mask and W = 1, 1 thread, d =' at screen 0.09062, screen 0.81104 left font ',11' textcolor rgb '#b8b8b8'
  set label 5 '128, f32, full mask' at screen 0.09062, screen 0.78930 left font ',11' textcolor rgb '#b8b8b8'
  set label 6 'and 6 more on one another' at screen 0.09062, screen 0.76756 left font ',11' textcolor rgb '#000000'
  plot data every ::0::3 using (num('n_tokens')):(num('device_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d8d8d8' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('device_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#b8b8b8' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('device_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#9c9c9c' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('device_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#7f7f7f' notitle, \
       data every ::32::35 using (num('n_tokens')):(num('device_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#636363' notitle, \
       data every ::40::43 using (num('n_tokens')):(num('device_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#494949' notitle, \
       data every ::48::51 using (num('n_tokens')):(num('device_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#313131' notitle, \
       data every ::56::59 using (num('n_tokens')):(num('device_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#1b1b1b' notitle
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
  set key at screen 0.60667, screen 0.74080 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d8d8d8' title 'W = 1, 1 thread, d = 128, bf16, causal mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#c8c8c8' title 'W = 1, 1 thread, d = 128, bf16, full mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#b8b8b8' title 'W = 1, 1 thread, d = 128, f32, causal mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#aaaaaa' title 'W = 1, 1 thread, d = 128, f32, full mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#9c9c9c' title 'W = 1, 1 thread, d = 64, bf16, causal mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8e8e8e' title 'W = 1, 1 thread, d = 64, bf16, full mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#7f7f7f' title 'W = 1, 1 thread, d = 64, f32, causal mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#717171' title 'W = 1, 1 thread, d = 64, f32, full mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#636363' title 'W = 1, 2 threads, d = 128, bf16, causal mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#575757' title 'W = 1, 2 threads, d = 128, bf16, full mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#494949' title 'W = 1, 2 threads, d = 128, f32, causal mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#3d3d3d' title 'W = 1, 2 threads, d = 128, f32, full mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#313131' title 'W = 1, 2 threads, d = 64, bf16, causal mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#252525' title 'W = 1, 2 threads, d = 64, bf16, full mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#1b1b1b' title 'W = 1, 2 threads, d = 64, f32, causal mask', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#0f0f0f' title 'W = 1, 2 threads, d = 64, f32, full mask'
  unset multiplot
}
unset output
