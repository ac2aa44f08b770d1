# Draws throughput.svg, throughput.pdf and throughput.png from throughput.csv: gnuplot throughput.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'throughput.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,963 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'throughput' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,10.031in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1926 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'throughput.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Throughput against sequence length' at screen 0.01875, screen 0.97508 left font ',16'
  set label 102 'B = 1, H = 8, backward pass, cpu, serial ranks; 5 to 6 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.95223 left font ',11' textcolor rgb '#444444'
  set label 103 'b27365e418f7; 2026-11-24; beside it PyTorch SDPA (torch 2.15.0+cu132; 2026-11-24)' at screen 0.01875, screen 0.93562 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 5 repeats (93.8 % interval of the median) in 64 of 128 points, of 6 repeats (96.9 %) in 64.' at screen 0.01875, screen 0.05088 left font ',11' textcolor rgb '#444444'
  set label 105 'FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole call; what a kernel computes beyond the mask counts for nothing.' at screen 0.01875, screen 0.03427 left font ',11' textcolor rgb '#444444'
  set label 106 'A backward pass has 10 in place of 4, and both passes have 14.' at screen 0.01875, screen 0.01765 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.83178
  set bmargin at screen 0.56179
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.3988663056451376:249.5469555015842]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '100' 100, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, causal mask' at screen 0.09062, screen 0.90239 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.09062, screen 0.88889 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.09062, screen 0.87539 left font ',11' textcolor rgb '#cc8f13'
  set label 4 'measured peak, bf16, 2 threads =' at screen 0.09062, screen 0.86189 left font ',11' textcolor rgb '#704f0b'
  set label 5 'measured peak, f32, 2 threads' at screen 0.09062, screen 0.84839 left font ',11' textcolor rgb '#704f0b'
  plot data every ::0::3 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::0::3 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::20::23 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::20::23 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::28::31 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::28::31 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::32::33 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::34::35 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.83178
  set bmargin at screen 0.56179
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.3988663056451376:249.5469555015842]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '100' 100, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, full mask' at screen 0.43854, screen 0.90239 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.43854, screen 0.88889 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.43854, screen 0.87539 left font ',11' textcolor rgb '#cc8f13'
  set label 4 'measured peak, bf16, 2 threads =' at screen 0.43854, screen 0.86189 left font ',11' textcolor rgb '#704f0b'
  set label 5 'measured peak, f32, 2 threads' at screen 0.43854, screen 0.84839 left font ',11' textcolor rgb '#704f0b'
  plot data every ::40::43 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::40::43 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::44::47 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::44::47 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::48::51 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::48::51 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::52::55 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::52::55 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::56::59 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::56::59 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::60::63 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::60::63 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::64::67 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::64::67 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::68::71 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::68::71 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::72::73 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::74::75 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.40395
  set bmargin at screen 0.13396
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.3988663056451376:249.5469555015842]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '100' 100, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 128, causal mask' at screen 0.09062, screen 0.47456 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.09062, screen 0.46106 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.09062, screen 0.44756 left font ',11' textcolor rgb '#cc8f13'
  set label 4 'measured peak, bf16, 2 threads =' at screen 0.09062, screen 0.43406 left font ',11' textcolor rgb '#704f0b'
  set label 5 'measured peak, f32, 2 threads' at screen 0.09062, screen 0.42056 left font ',11' textcolor rgb '#704f0b'
  plot data every ::80::83 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::80::83 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::84::87 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::84::87 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::88::91 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::88::91 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::92::95 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::92::95 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::96::99 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::96::99 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::100::103 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::100::103 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::104::107 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::104::107 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::108::111 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::108::111 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::112::113 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::114::115 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.40395
  set bmargin at screen 0.13396
  set logscale x
  set xrange [461.44023685674506:4544.796557589893]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.3988663056451376:249.5469555015842]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '100' 100, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 128, full mask' at screen 0.43854, screen 0.47456 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.43854, screen 0.46106 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.43854, screen 0.44756 left font ',11' textcolor rgb '#cc8f13'
  set label 4 'measured peak, bf16, 2 threads =' at screen 0.43854, screen 0.43406 left font ',11' textcolor rgb '#704f0b'
  set label 5 'measured peak, f32, 2 threads' at screen 0.43854, screen 0.42056 left font ',11' textcolor rgb '#704f0b'
  plot data every ::120::123 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::120::123 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::124::127 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::124::127 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::128::131 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::128::131 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::132::135 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::132::135 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::136::139 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::136::139 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::140::143 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::140::143 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::144::147 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::144::147 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::148::151 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::148::151 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::152::153 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::154::155 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle
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
  set key at screen 0.71458, screen 0.83178 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' title 'flash bf16, 1 thread', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' title 'flash bf16, 2 threads', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' title 'flash f32, 1 thread', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' title 'flash f32, 2 threads', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' title 'PyTorch SDPA bf16, 1 thread', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' title 'PyTorch SDPA bf16, 2 threads', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' title 'PyTorch SDPA f32, 1 thread', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' title 'PyTorch SDPA f32, 2 threads', \
       NaN with lines dt 4 lw 1.4 lc rgb '#cc8f13' title 'measured peak, bf16, 1 thread', \
       NaN with lines dt 4 lw 1.4 lc rgb '#704f0b' title 'measured peak, bf16, 2 threads', \
       NaN with lines dt 4 lw 1.4 lc rgb '#9b96c6' title 'measured peak, f32, 1 thread', \
       NaN with lines dt 4 lw 1.4 lc rgb '#53499d' title 'measured peak, f32, 2 threads'
  unset multiplot
}
unset output
