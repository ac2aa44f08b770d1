# Draws sparse_attention.svg, sparse_attention.pdf and sparse_attention.png from sparse_attention.csv: gnuplot sparse_attention.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'sparse_attention.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1283 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'sparse_attention' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.365in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2566 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'sparse_attention.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Sparse attention against sequence length' at screen 0.01875, screen 0.98129 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, flash kernel, cpu, serial ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.96415 left font ',11' textcolor rgb '#444444'
  set label 103 '4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.95168 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks are medians; bars span all repeats, where there are several: one says nothing of its spread.' at screen 0.01875, screen 0.08807 left font ',11' textcolor rgb '#444444'
  set label 105 'Dense: full mask, flash, the same N and device. Ideal: its time × the share of pairs that the mask keeps.' at screen 0.01875, screen 0.07560 left font ',11' textcolor rgb '#444444'
  set label 106 'Fitted growth a N^b over all lengths, b and its R²: full 1.99 (1.0000), bigbird 1.07 (0.9926), block_local 0.99 (0.9990), dilated_window 1.04' at screen 0.01875, screen 0.06313 left font ',11' textcolor rgb '#444444'
  set label 107 '(0.9992), fixed 1.69 (0.9944), global 1.00 (0.9954), longformer 1.02 (0.9993), random 1.06 (0.9993), sliding_window 1.02 (0.9997).' at screen 0.01875, screen 0.05066 left font ',11' textcolor rgb '#444444'
  set label 108 'Nearly linear, time a token and largest deviation from it: bigbird 7.54 µs ± 47 % (R² of a line 0.9956), block_local 3.25 µs ± 11 % (R² of a line' at screen 0.01875, screen 0.03819 left font ',11' textcolor rgb '#444444'
  set label 109 '0.9996), dilated_window 2.97 µs ± 13 % (R² of a line 0.9993), global 1.98 µs ± 20 % (R² of a line 0.9975), longformer 5.04 µs ± 10 % (R² of a line' at screen 0.01875, screen 0.02572 left font ',11' textcolor rgb '#444444'
  set label 110 '0.9997), random 3.79 µs ± 17 % (R² of a line 0.9992), sliding_window 3.77 µs ± 8 % (R² of a line 0.9996).' at screen 0.01875, screen 0.01325 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.91426
  set bmargin at screen 0.71161
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9469792772595588:299833.9931690769]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1)
  set ylabel 'time (ms)'
  set label 1 'time' at screen 0.09833, screen 0.92673 left font ',13'
  plot data every ::0::7 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::0::7 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::8::15 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
       data every ::8::15 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::16::23 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::16::23 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::24::31 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#882255' notitle, \
       data every ::24::31 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#882255' notitle, \
       data every ::32::39 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8c510a' notitle, \
       data every ::32::39 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::40::47 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::40::47 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::48::55 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::48::55 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::56::63 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::56::63 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::64::71 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::64::71 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.91426
  set bmargin at screen 0.71161
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.6933743746980741:987.0753088599732]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'dense time / time'
  set label 1 'speed-up over dense' at screen 0.48094, screen 0.92673 left font ',13'
  plot data every ::72::79 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::72::79 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::80::87 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
       data every ::80::87 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::88::95 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::88::95 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::96::103 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#882255' notitle, \
       data every ::96::103 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#882255' notitle, \
       data every ::104::111 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8c510a' notitle, \
       data every ::104::111 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::112::119 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::112::119 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::120::127 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::120::127 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::128::135 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::128::135 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::136::143 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::136::143 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.63367
  set bmargin at screen 0.43102
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.1786938492991064:1794.776787180639]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'time / N (µs)'
  set label 1 'time a token: flat is linear in N' at screen 0.09833, screen 0.64614 left font ',13'
  plot data every ::144::151 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::144::151 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::152::159 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
       data every ::152::159 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::160::167 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::160::167 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::168::175 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#882255' notitle, \
       data every ::168::175 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#882255' notitle, \
       data every ::176::183 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8c510a' notitle, \
       data every ::176::183 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::184::191 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::184::191 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::192::199 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::192::199 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::200::207 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::200::207 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::208::215 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::208::215 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.63367
  set bmargin at screen 0.43102
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.8980264495894866:3.086252029553368]
  set ytics nomirror out ('0.9' 0.9, '1' 1, '2' 2, '3' 3)
  set ylabel 'time / (dense time × pairs kept)'
  set label 1 'time over the ideal' at screen 0.48094, screen 0.64614 left font ',13'
  plot data every ::216::223 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::216::223 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::224::231 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
       data every ::224::231 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::232::239 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::232::239 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::240::247 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#882255' notitle, \
       data every ::240::247 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#882255' notitle, \
       data every ::248::255 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8c510a' notitle, \
       data every ::248::255 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::256::263 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::256::263 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::264::271 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::264::271 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::272::279 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::272::279 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::280::287 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::280::287 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.35308
  set bmargin at screen 0.15043
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9523809523809523:1.4429825850329752]
  set ytics nomirror out ('1.0' 1, '1.1' 1.1, '1.2' 1.2000000000000002, '1.3' 1.3, '1.4' 1.4000000000000001)
  set ylabel 'executed / useful pairs'
  set label 1 'work beyond the mask' at screen 0.09833, screen 0.36555 left font ',13'
  plot data every ::288::295 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::296::303 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::304::311 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::312::319 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#882255' notitle, \
       data every ::320::327 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::328::335 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::336::343 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::344::351 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::352::359 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.35308
  set bmargin at screen 0.15043
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [5.254189630624915:907027.7883048513]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1, '' 4e+05 1, '' 5e+05 1, '' 6e+05 1, '' 7e+05 1, '' 8e+05 1, '' 9e+05 1)
  set ylabel 'peak active memory (MiB)'
  set label 1 'memory' at screen 0.48094, screen 0.36555 left font ',13'
  plot data every ::360::367 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::368::375 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#56b4e9' notitle, \
       data every ::376::383 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::384::391 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#882255' notitle, \
       data every ::392::399 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::400::407 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::408::415 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::416::423 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::424::431 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::432::439 using (num('n_tokens')):(num('y')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.78396, screen 0.91426 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'full', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#56b4e9' title 'bigbird', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' title 'block_local', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#882255' title 'dilated_window', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#8c510a' title 'fixed', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' title 'global', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' title 'longformer', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' title 'random', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' title 'sliding_window', \
       NaN with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' title 'all N × N scores, f32'
  unset multiplot
}
unset output
