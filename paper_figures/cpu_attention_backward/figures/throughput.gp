# Draws throughput.svg, throughput.pdf and throughput.png from throughput.csv: gnuplot throughput.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'throughput.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,911 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'throughput' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.490in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1822 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'throughput.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Throughput against sequence length' at screen 0.01875, screen 0.97366 left font ',16'
  set label 102 'B = 1, H = 8, backward pass, flash kernel, cpu, serial ranks; 6 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.94951 left font ',11' textcolor rgb '#444444'
  set label 103 'b27365e418f7; 2026-11-24' at screen 0.01875, screen 0.93194 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median).' at screen 0.01875, screen 0.05379 left font ',11' textcolor rgb '#444444'
  set label 105 'FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole call; what a kernel computes beyond the mask counts for nothing.' at screen 0.01875, screen 0.03622 left font ',11' textcolor rgb '#444444'
  set label 106 'A backward pass has 10 in place of 4, and both passes have 14.' at screen 0.01875, screen 0.01866 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.85071
  set bmargin at screen 0.56531
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:214.17544405112355]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100, '150' 150, '200' 200)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, causal mask' at screen 0.09062, screen 0.89682 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.09062, screen 0.88255 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.09062, screen 0.86828 left font ',11' textcolor rgb '#cc8f13'
  plot data every ::0::3 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::0::3 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::16::17 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::18::19 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle, \
       data every ::22::23 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#53499d' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.85071
  set bmargin at screen 0.56531
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:214.17544405112355]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100, '150' 150, '200' 200)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, full mask' at screen 0.43854, screen 0.89682 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.43854, screen 0.88255 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.43854, screen 0.86828 left font ',11' textcolor rgb '#cc8f13'
  plot data every ::24::27 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::28::31 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::28::31 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::32::35 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::32::35 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::36::39 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::36::39 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::40::41 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::42::43 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle, \
       data every ::46::47 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#53499d' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.42700
  set bmargin at screen 0.14160
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:214.17544405112355]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100, '150' 150, '200' 200)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 128, causal mask' at screen 0.09062, screen 0.47311 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.09062, screen 0.45884 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.09062, screen 0.44457 left font ',11' textcolor rgb '#cc8f13'
  plot data every ::48::51 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::48::51 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::52::55 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::52::55 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::56::59 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::56::59 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::60::63 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::60::63 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::64::65 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::66::67 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle, \
       data every ::70::71 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#53499d' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.42700
  set bmargin at screen 0.14160
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:214.17544405112355]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100, '150' 150, '200' 200)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 128, full mask' at screen 0.43854, screen 0.47311 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.43854, screen 0.45884 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.43854, screen 0.44457 left font ',11' textcolor rgb '#cc8f13'
  plot data every ::72::75 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::72::75 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::76::79 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::76::79 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::80::83 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::80::83 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::84::87 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::84::87 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::88::89 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::90::91 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle, \
       data every ::94::95 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#53499d' notitle
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
  set key at screen 0.71458, screen 0.85071 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' title 'flash bf16, 1 thread', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' title 'flash bf16, 2 threads', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' title 'flash f32, 1 thread', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' title 'flash f32, 2 threads', \
       NaN with lines dt 4 lw 1.4 lc rgb '#cc8f13' title 'measured peak, bf16, 1 thread', \
       NaN with lines dt 4 lw 1.4 lc rgb '#704f0b' title 'measured peak, bf16, 2 threads', \
       NaN with lines dt 4 lw 1.4 lc rgb '#9b96c6' title 'measured peak, f32, 1 thread', \
       NaN with lines dt 4 lw 1.4 lc rgb '#53499d' title 'measured peak, f32, 2 threads'
  unset multiplot
}
unset output
