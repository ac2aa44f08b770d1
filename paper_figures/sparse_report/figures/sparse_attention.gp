# Draws sparse_attention.svg, sparse_attention.pdf and sparse_attention.png from sparse_attention.csv: gnuplot sparse_attention.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'sparse_attention.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,3199 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'sparse_attention' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,33.323in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,6398 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'sparse_attention.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Sparse attention against sequence length' at screen 0.01875, screen 0.99250 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, cpu, serial ranks, all cores; 9 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.98562 left font ',11' textcolor rgb '#444444'
  set label 103 '4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.98062 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: 96.1 % interval of the median of 9 repeats.' at screen 0.01875, screen 0.05533 left font ',11' textcolor rgb '#444444'
  set label 105 'Dense: full mask, flash, the same N and device. Ideal: its time × the share of pairs that the mask keeps.' at screen 0.01875, screen 0.05033 left font ',11' textcolor rgb '#444444'
  set label 106 'Fitted growth a N^b over all lengths, b and its R²: full, flash 1.91 (0.9996), full, staged 1.93 (0.9995), block_local, flash 1.12 (0.9945),' at screen 0.01875, screen 0.04533 left font ',11' textcolor rgb '#444444'
  set label 107 'block_local, staged 1.00 (0.9947), global, flash 1.00 (0.9998), global, staged 0.75 (0.9686), longformer, flash 1.01 (0.9154), longformer, staged' at screen 0.01875, screen 0.04033 left font ',11' textcolor rgb '#444444'
  set label 108 '1.19 (0.9585), random, flash 1.34 (0.9977), random, staged 1.97 (0.9990).' at screen 0.01875, screen 0.03532 left font ',11' textcolor rgb '#444444'
  set label 109 'Nearly linear, time a token and largest deviation from it: block_local, flash 0.663 µs ± 21 % (R² of a line 0.9887), block_local, staged 0.826 µs' at screen 0.01875, screen 0.03032 left font ',11' textcolor rgb '#444444'
  set label 110 '± 10 % (R² of a line 0.9901), global, flash 0.723 µs ± 2 % (R² of a line 0.9996), longformer, flash 1.64 µs ± 48 % (R² of a line 0.9584).' at screen 0.01875, screen 0.02532 left font ',11' textcolor rgb '#444444'
  set label 111 'Published: final report of the CMU 15-618 project Sparse Attention in CUDA (2023), one GeForce RTX 2080 against one CPU thread, f32, 8 heads of' at screen 0.01875, screen 0.02032 left font ',11' textcolor rgb '#444444'
  set label 112 '64, no spread given. Not comparable: its public code divides by the row sum without an exponential, does not check launches, and launches the' at screen 0.01875, screen 0.01532 left font ',11' textcolor rgb '#444444'
  set label 113 'softmax of full attention with an empty grid below N = 1024; the same cell differs between its tables by up to 42 %. The axes compare, the numbers' at screen 0.01875, screen 0.01032 left font ',11' textcolor rgb '#444444'
  set label 114 'do not. Its colours are those of our nearest masks.' at screen 0.01875, screen 0.00531 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.96561
  set bmargin at screen 0.88434
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.03892384276218107:14.517489824773037]
  set ytics nomirror out ('0.1' 0.1, '1' 1, '10' 10, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time (ms)'
  set label 1 'time, flash' at screen 0.09062, screen 0.97062 left font ',13'
  plot data every ::0::3 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::0::3 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.96561
  set bmargin at screen 0.88434
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.08093145745034501:20.25655521171509]
  set ytics nomirror out ('0.1' 0.1, '1' 1, '10' 10, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'time (ms)'
  set label 1 'time, staged' at screen 0.47323, screen 0.97062 left font ',13'
  plot data every ::20::23 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::20::23 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::28::31 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::28::31 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::32::35 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::32::35 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::36::39 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::36::39 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.85308
  set bmargin at screen 0.77180
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.7987561367568754:17.988661494769445]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'dense time / time'
  set label 1 'speed-up over dense, flash' at screen 0.09062, screen 0.85808 left font ',13'
  plot data every ::40::43 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::40::43 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::44::47 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::44::47 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::48::51 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::48::51 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::52::55 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::52::55 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::56::59 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::56::59 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::60::61 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.85308
  set bmargin at screen 0.77180
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.5400462017678457:16.889952637831655]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'dense time / time'
  set label 1 'speed-up over dense, staged' at screen 0.47323, screen 0.85808 left font ',13'
  plot data every ::62::65 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::62::65 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::66::69 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::66::69 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::70::73 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::70::73 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::74::77 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::74::77 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::78::81 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::78::81 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::82::83 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.74054
  set bmargin at screen 0.65927
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.3374117786287895:12.77724064504367]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time / N (µs)'
  set label 1 'time a token, flash' at screen 0.09062, screen 0.74555 left font ',13'
  plot data every ::84::87 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::84::87 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::88::91 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::88::91 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::92::95 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::92::95 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::96::99 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::96::99 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::100::103 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::100::103 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.74054
  set bmargin at screen 0.65927
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.6129197971854664:17.943385416584345]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time / N (µs)'
  set label 1 'time a token, staged' at screen 0.47323, screen 0.74555 left font ',13'
  plot data every ::104::107 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::104::107 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::108::111 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::108::111 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::112::115 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::112::115 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::116::119 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::116::119 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::120::123 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::120::123 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.62801
  set bmargin at screen 0.54673
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.8637885485664143:12.453698807736775]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time / (dense time × pairs kept)'
  set label 1 'time over the ideal, flash' at screen 0.09062, screen 0.63301 left font ',13'
  plot data every ::124::127 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::124::127 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::128::131 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::128::131 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::132::135 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::132::135 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::136::139 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::136::139 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::140::143 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::140::143 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::144::145 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.62801
  set bmargin at screen 0.54673
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.8027054726885072:100.99951717321596]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'time / (dense time × pairs kept)'
  set label 1 'time over the ideal, staged' at screen 0.47323, screen 0.63301 left font ',13'
  plot data every ::146::149 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::146::149 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::150::153 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::150::153 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::154::157 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::154::157 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::158::161 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#af799e' notitle, \
       data every ::158::161 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::162::165 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::162::165 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::166::167 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 9
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.50735
  set bmargin at screen 0.42607
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9523809523809523:2.3744]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2)
  set ylabel 'executed / useful pairs'
  set label 1 'work beyond the mask, flash' at screen 0.09062, screen 0.52048 left font ',13'
  set label 2 'full = block_local = global = random,' at screen 0.09062, screen 0.51641 left font ',11' textcolor rgb '#000000'
  set label 3 'flash' at screen 0.09062, screen 0.51235 left font ',11' textcolor rgb '#000000'
  plot data every ::168::171 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::180::183 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle
  unset label
  unset key

  # panel 10
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.50735
  set bmargin at screen 0.42607
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.8213655847652626:62.33521461047386]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '30' 30, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1)
  set ylabel 'executed / useful pairs'
  set label 1 'work beyond the mask, staged' at screen 0.47323, screen 0.51641 left font ',13'
  set label 2 'full = block_local = global, staged' at screen 0.47323, screen 0.51235 left font ',11' textcolor rgb '#000000'
  plot data every ::188::191 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::200::203 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::204::207 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' notitle
  unset label
  unset key

  # panel 11
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.38668
  set bmargin at screen 0.30541
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.40612619817811774:39.39662122703732]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '30' 30, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'peak memory of a device (MiB)'
  set label 1 'memory, flash' at screen 0.09062, screen 0.39981 left font ',13'
  set label 2 'full = block_local = global =' at screen 0.09062, screen 0.39575 left font ',11' textcolor rgb '#000000'
  set label 3 'longformer = random, flash' at screen 0.09062, screen 0.39168 left font ',11' textcolor rgb '#000000'
  plot data every ::208::211 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::228::231 using (num('n_tokens')):(num('y')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 12
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.38668
  set bmargin at screen 0.30541
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.4016044782913976:49.83914792274052]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '30' 30, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1)
  set ylabel 'peak memory of a device (MiB)'
  set label 1 'memory, staged' at screen 0.47323, screen 0.39575 left font ',13'
  set label 2 'full = random, staged' at screen 0.47323, screen 0.39168 left font ',11' textcolor rgb '#000000'
  plot data every ::232::235 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::236::239 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::240::243 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::244::247 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' notitle, \
       data every ::252::255 using (num('n_tokens')):(num('y')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 13
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.27415
  set bmargin at screen 0.19287
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.01997153628354174:11.024179931587879]
  set ytics nomirror out ('0.1' 0.1, '1' 1, '10' 10, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time (ms)'
  set label 1 'time, published: one RTX 2080' at screen 0.09062, screen 0.27915 left font ',13'
  plot data every ::256::259 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle, \
       data every ::260::263 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::264::267 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 10 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::268::271 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#1174b7' notitle
  unset label
  unset key

  # panel 14
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.27415
  set bmargin at screen 0.19287
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [6.057394123700186:476.7554961795876]
  set ytics nomirror out ('10' 10, '30' 30, '100' 100, '300' 300, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1)
  set ylabel 'time (ms)'
  set label 1 'time, published: one CPU thread' at screen 0.47323, screen 0.27915 left font ',13'
  plot data every ::272::275 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle
  unset label
  unset key

  # panel 15
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.16161
  set bmargin at screen 0.08034
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9297475133267151:162.67444154599247]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'dense time / time'
  set label 1 'speed-up over dense, published: one RTX 2080' at screen 0.09062, screen 0.16661 left font ',13'
  plot data every ::276::279 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::280::283 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 10 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::284::287 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#1174b7' notitle
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
  set key at screen 0.78396, screen 0.96561 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'full, flash', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' title 'block_local, flash', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' title 'global, flash', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' title 'longformer, flash', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' title 'random, flash', \
       NaN with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'full, staged', \
       NaN with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' title 'block_local, staged', \
       NaN with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#259f78' title 'global, staged', \
       NaN with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#af799e' title 'longformer, staged', \
       NaN with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#f2b00d' title 'random, staged', \
       NaN with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' title 'all N × N scores, f32', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published: 15-618', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'as fast as dense', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'the ideal'
  unset multiplot
}
unset output
