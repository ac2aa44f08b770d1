# Draws sparse_attention.svg, sparse_attention.pdf and sparse_attention.png from sparse_attention.csv: gnuplot sparse_attention.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'sparse_attention.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,2434 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'sparse_attention' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,25.354in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,4868 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'sparse_attention.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Sparse attention against sequence length' at screen 0.01875, screen 0.99014 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, flash kernel, cpu, serial ranks, all cores; 3 to 9 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.98110 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit fff30970ba19; 2026-11-23' at screen 0.01875, screen 0.97453 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: 96.1 % interval of the median of 9 repeats in 55 of 72 points, min to max of 6 repeats (96.9 % interval of the median)' at screen 0.01875, screen 0.05957 left font ',11' textcolor rgb '#444444'
  set label 105 'in 7, of 3 repeats (75.0 %) in 4, of 5 repeats (93.8 %) in 3, of 7 repeats (98.4 %) in 3.' at screen 0.01875, screen 0.05300 left font ',11' textcolor rgb '#444444'
  set label 106 'Hollow: 12 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.04643 left font ',11' textcolor rgb '#444444'
  set label 107 'Dense: full mask, flash, the same N and device. Ideal: its time × the share of pairs that the mask keeps.' at screen 0.01875, screen 0.03985 left font ',11' textcolor rgb '#444444'
  set label 108 'Fitted growth a N^b over all lengths, b and its R²: full 2.00 (0.9999), bigbird 1.05 (0.9986), block_local 0.98 (0.9993), dilated_window 0.98' at screen 0.01875, screen 0.03328 left font ',11' textcolor rgb '#444444'
  set label 109 '(0.9911), fixed 1.71 (0.9961), global 0.99 (0.9990), longformer 1.00 (0.9989), random 1.04 (0.9943), sliding_window 1.02 (0.9994).' at screen 0.01875, screen 0.02671 left font ',11' textcolor rgb '#444444'
  set label 110 'Nearly linear, time a token and largest deviation from it: bigbird 7.69 µs ± 18 % (R² of a line 0.9996), block_local 3.18 µs ± 9 % (R² of a line' at screen 0.01875, screen 0.02013 left font ',11' textcolor rgb '#444444'
  set label 111 '0.9992), dilated_window 3.23 µs ± 47 % (R² of a line 0.9988), global 1.89 µs ± 12 % (R² of a line 0.9993), longformer 5.2 µs ± 8 % (R² of a line' at screen 0.01875, screen 0.01356 left font ',11' textcolor rgb '#444444'
  set label 112 '0.9990), random 4.22 µs ± 25 % (R² of a line 0.9974), sliding_window 3.74 µs ± 9 % (R² of a line 0.9995).' at screen 0.01875, screen 0.00698 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.95481
  set bmargin at screen 0.84799
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.587127790042552:305499.41376127035]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1)
  set ylabel 'time (ms)'
  set label 1 'time, windows' at screen 0.09833, screen 0.96138 left font ',13'
  plot data every ::0::7 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::0::7 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::0::7 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::8::15 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::8::15 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::8::15 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::16::23 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6a1342' notitle, \
       data every ::16::23 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#6a1342' notitle, \
       data every ::16::23 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::24::31 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bb5b05' notitle, \
       data every ::24::31 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::24::31 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.95481
  set bmargin at screen 0.84799
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.0381778181644634:311737.09470694565]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1)
  set ylabel 'time (ms)'
  set label 1 'time, global tokens, others' at screen 0.48094, screen 0.96138 left font ',13'
  plot data every ::32::39 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::32::39 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::32::39 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::40::47 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#33b5f3' notitle, \
       data every ::40::47 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::40::47 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::48::55 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#824504' notitle, \
       data every ::48::55 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#824504' notitle, \
       data every ::48::55 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::56::63 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::56::63 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::56::63 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::64::71 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::64::71 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::64::71 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::72::79 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::72::79 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::72::79 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.80690
  set bmargin at screen 0.70008
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.7230027780107726:595.4862800317899]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1)
  set ylabel 'dense time / time'
  set label 1 'speed-up over dense, windows' at screen 0.09833, screen 0.81348 left font ',13'
  plot data every ::80::87 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::80::87 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::80::87 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::88::95 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::88::95 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::88::95 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::96::103 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6a1342' notitle, \
       data every ::96::103 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#6a1342' notitle, \
       data every ::96::103 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::104::111 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bb5b05' notitle, \
       data every ::104::111 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::104::111 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::112::113 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.80690
  set bmargin at screen 0.70008
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.7049152029637208:1013.7634424193069]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '1,000' 1000, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'dense time / time'
  set label 1 'speed-up over dense, global tokens, others' at screen 0.48094, screen 0.81348 left font ',13'
  plot data every ::114::121 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::114::121 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::114::121 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::122::129 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#33b5f3' notitle, \
       data every ::122::129 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::122::129 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::130::137 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#824504' notitle, \
       data every ::130::137 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#824504' notitle, \
       data every ::130::137 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::138::145 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::138::145 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::138::145 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::146::153 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::146::153 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::146::153 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::154::161 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::154::161 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::154::161 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::162::163 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.65900
  set bmargin at screen 0.55218
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.9754790934692084:1828.689437514286]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'time / N (µs)'
  set label 1 'time a token, windows' at screen 0.09833, screen 0.66557 left font ',13'
  plot data every ::164::171 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::164::171 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::164::171 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::172::179 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::172::179 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::172::179 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::180::187 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6a1342' notitle, \
       data every ::180::187 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#6a1342' notitle, \
       data every ::180::187 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::188::195 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bb5b05' notitle, \
       data every ::188::195 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::188::195 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.65900
  set bmargin at screen 0.55218
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.2763623834853213:1867.124232753369]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'time / N (µs)'
  set label 1 'time a token, global tokens, others' at screen 0.48094, screen 0.66557 left font ',13'
  plot data every ::196::203 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::196::203 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::196::203 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::204::211 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#33b5f3' notitle, \
       data every ::204::211 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::204::211 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::212::219 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#824504' notitle, \
       data every ::212::219 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#824504' notitle, \
       data every ::212::219 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::220::227 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::220::227 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::220::227 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::228::235 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::228::235 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::228::235 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::236::243 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::236::243 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::236::243 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.51109
  set bmargin at screen 0.40427
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9130111041690725:4.22614357375351]
  set ytics nomirror out ('1' 1, '2' 2, '3' 3, '4' 4)
  set ylabel 'time / (dense time × pairs kept)'
  set label 1 'time over the ideal, windows' at screen 0.09833, screen 0.51767 left font ',13'
  plot data every ::244::251 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::244::251 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::244::251 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::252::259 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::252::259 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::252::259 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::260::267 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#6a1342' notitle, \
       data every ::260::267 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#6a1342' notitle, \
       data every ::260::267 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::268::275 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bb5b05' notitle, \
       data every ::268::275 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::268::275 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::276::277 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.51109
  set bmargin at screen 0.40427
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9322562731940457:2.6059563115927458]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2, '2.5' 2.5)
  set ylabel 'time / (dense time × pairs kept)'
  set label 1 'time over the ideal, global tokens, others' at screen 0.48094, screen 0.51767 left font ',13'
  plot data every ::278::285 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::278::285 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::278::285 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::286::293 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#33b5f3' notitle, \
       data every ::286::293 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::286::293 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::294::301 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#824504' notitle, \
       data every ::294::301 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#824504' notitle, \
       data every ::294::301 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::302::309 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::302::309 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::302::309 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::310::317 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::310::317 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::310::317 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::318::325 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::318::325 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::318::325 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::326::327 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 9
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.35785
  set bmargin at screen 0.25103
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9523809523809523:1.4429825850329752]
  set ytics nomirror out ('1.0' 1, '1.1' 1.1, '1.2' 1.2000000000000002, '1.3' 1.3, '1.4' 1.4000000000000001)
  set ylabel 'executed / useful pairs'
  set label 1 'work beyond the mask, windows' at screen 0.09833, screen 0.36976 left font ',13'
  set label 2 'full = block_local' at screen 0.09833, screen 0.36442 left font ',11' textcolor rgb '#000000'
  plot data every ::328::335 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::328::335 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::344::351 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#6a1342' notitle, \
       data every ::344::351 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::352::359 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::352::359 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 10
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.35785
  set bmargin at screen 0.25103
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9523809523809523:1.1809674100598584]
  set ytics nomirror out ('1.00' 1, '1.05' 1.05, '1.10' 1.1, '1.15' 1.1500000000000001)
  set ylabel 'executed / useful pairs'
  set label 1 'work beyond the mask, global tokens, others' at screen 0.48094, screen 0.36976 left font ',13'
  set label 2 'full = fixed = global = random' at screen 0.48094, screen 0.36442 left font ',11' textcolor rgb '#000000'
  plot data every ::360::367 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::360::367 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::368::375 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' notitle, \
       data every ::368::375 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::392::399 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::392::399 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle
  unset label
  unset key

  # panel 11
  set lmargin at screen 0.09833
  set rmargin at screen 0.37323
  set tmargin at screen 0.19926
  set bmargin at screen 0.09244
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [5.254189630624915:907027.7883048513]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1, '' 4e+05 1, '' 5e+05 1, '' 6e+05 1, '' 7e+05 1, '' 8e+05 1, '' 9e+05 1)
  set ylabel 'peak memory of a device (MiB)'
  set label 1 'memory, windows' at screen 0.09833, screen 0.21652 left font ',13'
  set label 2 'full = block_local = dilated_window =' at screen 0.09833, screen 0.21118 left font ',11' textcolor rgb '#000000'
  set label 3 'sliding_window' at screen 0.09833, screen 0.20583 left font ',11' textcolor rgb '#000000'
  plot data every ::408::415 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::408::415 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::440::447 using (num('n_tokens')):(num('y')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 12
  set lmargin at screen 0.48094
  set rmargin at screen 0.75583
  set tmargin at screen 0.19926
  set bmargin at screen 0.09244
  set logscale x
  set xrange [803.4141162462727:167059.21054399034]
  set xtics nomirror out ('1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '' 2048 1, '' 8192 1, '' 32768 1, '' 131072 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [5.254189630624915:907027.7883048513]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1, '' 4e+05 1, '' 5e+05 1, '' 6e+05 1, '' 7e+05 1, '' 8e+05 1, '' 9e+05 1)
  set ylabel 'peak memory of a device (MiB)'
  set label 1 'memory, global tokens, others' at screen 0.48094, screen 0.21652 left font ',13'
  set label 2 'full = bigbird = fixed = global =' at screen 0.48094, screen 0.21118 left font ',11' textcolor rgb '#000000'
  set label 3 'longformer = random' at screen 0.48094, screen 0.20583 left font ',11' textcolor rgb '#000000'
  plot data every ::448::455 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::448::455 using (num('n_tokens')):(column('disturbed') > 0 ? (num('y')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::496::503 using (num('n_tokens')):(num('y')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.78396, screen 0.95481 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'full', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' title 'block_local', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#6a1342' title 'dilated_window', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#bb5b05' title 'sliding_window', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#33b5f3' title 'bigbird', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#824504' title 'fixed', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' title 'global', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' title 'longformer', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' title 'random', \
       NaN with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' title 'all N × N scores, f32', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'as fast as dense', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'the ideal'
  unset multiplot
}
unset output
