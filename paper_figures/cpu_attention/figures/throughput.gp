# Draws throughput.svg, throughput.pdf and throughput.png from throughput.csv: gnuplot throughput.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'throughput.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,947 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'throughput' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.865in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1894 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'throughput.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Throughput against sequence length' at screen 0.01875, screen 0.97466 left font ',16'
  set label 102 'B = 1, H = 8, cpu, serial ranks; 5 to 6 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 7f9ccb82d904; 2026-11-24;' at screen 0.01875, screen 0.95143 left font ',11' textcolor rgb '#444444'
  set label 103 'beside it PyTorch SDPA (torch 2.15.0+cu132; 2026-11-24)' at screen 0.01875, screen 0.93453 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 5 repeats (93.8 % interval of the median) in 80 of 160 points, of 6 repeats (96.9 %) in 80.' at screen 0.01875, screen 0.03485 left font ',11' textcolor rgb '#444444'
  set label 105 'FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole call; what a kernel computes beyond the mask counts for nothing.' at screen 0.01875, screen 0.01795 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.82893
  set bmargin at screen 0.55438
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:211.50883430761266]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100, '150' 150, '200' 200)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, causal mask' at screen 0.09062, screen 0.90074 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.09062, screen 0.88701 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.09062, screen 0.87328 left font ',11' textcolor rgb '#cc8f13'
  set label 4 'measured peak, bf16, 2 threads =' at screen 0.09062, screen 0.85956 left font ',11' textcolor rgb '#704f0b'
  set label 5 'measured peak, f32, 2 threads' at screen 0.09062, screen 0.84583 left font ',11' textcolor rgb '#704f0b'
  plot data every ::0::4 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::0::4 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::10::14 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::10::14 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::15::19 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::15::19 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::20::24 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::20::24 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::25::29 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::25::29 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::30::34 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::30::34 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::35::39 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::35::39 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::40::41 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::42::43 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.82893
  set bmargin at screen 0.55438
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:211.50883430761266]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100, '150' 150, '200' 200)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, full mask' at screen 0.43854, screen 0.90074 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.43854, screen 0.88701 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.43854, screen 0.87328 left font ',11' textcolor rgb '#cc8f13'
  set label 4 'measured peak, bf16, 2 threads =' at screen 0.43854, screen 0.85956 left font ',11' textcolor rgb '#704f0b'
  set label 5 'measured peak, f32, 2 threads' at screen 0.43854, screen 0.84583 left font ',11' textcolor rgb '#704f0b'
  plot data every ::48::52 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::48::52 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::53::57 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::53::57 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::58::62 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::58::62 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::63::67 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::63::67 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::68::72 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::68::72 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::73::77 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::73::77 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::78::82 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::78::82 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::83::87 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::83::87 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::88::89 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::90::91 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.39388
  set bmargin at screen 0.11932
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:211.50883430761266]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100, '150' 150, '200' 200)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 128, causal mask' at screen 0.09062, screen 0.46568 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.09062, screen 0.45195 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.09062, screen 0.43823 left font ',11' textcolor rgb '#cc8f13'
  set label 4 'measured peak, bf16, 2 threads =' at screen 0.09062, screen 0.42450 left font ',11' textcolor rgb '#704f0b'
  set label 5 'measured peak, f32, 2 threads' at screen 0.09062, screen 0.41077 left font ',11' textcolor rgb '#704f0b'
  plot data every ::96::100 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::96::100 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::101::105 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::101::105 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::106::110 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::106::110 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::111::115 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::111::115 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::116::120 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::116::120 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::121::125 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::121::125 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::126::130 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::126::130 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::131::135 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::131::135 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::136::137 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::138::139 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.39388
  set bmargin at screen 0.11932
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:211.50883430761266]
  set ytics nomirror out ('0' 0, '50' 50, '100' 100, '150' 150, '200' 200)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 128, full mask' at screen 0.43854, screen 0.46568 left font ',13'
  set label 2 'measured peak, bf16, 1 thread =' at screen 0.43854, screen 0.45195 left font ',11' textcolor rgb '#cc8f13'
  set label 3 'measured peak, f32, 1 thread' at screen 0.43854, screen 0.43823 left font ',11' textcolor rgb '#cc8f13'
  set label 4 'measured peak, bf16, 2 threads =' at screen 0.43854, screen 0.42450 left font ',11' textcolor rgb '#704f0b'
  set label 5 'measured peak, f32, 2 threads' at screen 0.43854, screen 0.41077 left font ',11' textcolor rgb '#704f0b'
  plot data every ::144::148 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::144::148 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::149::153 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::149::153 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::154::158 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::154::158 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::159::163 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::159::163 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::164::168 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::164::168 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::169::173 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::169::173 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::174::178 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b96c6' notitle, \
       data every ::174::178 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#9b96c6' notitle, \
       data every ::179::183 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#53499d' notitle, \
       data every ::179::183 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#53499d' notitle, \
       data every ::184::185 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#cc8f13' notitle, \
       data every ::186::187 using (num('n_tokens')):(num('achieved_gflop_per_s')) with lines dt 4 lw 1.4 lc rgb '#704f0b' notitle
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
  set key at screen 0.71458, screen 0.82893 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
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
