# Draws sparse_attention.svg, sparse_attention.pdf and sparse_attention.png from sparse_attention.csv: gnuplot sparse_attention.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'sparse_attention.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1347 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'sparse_attention' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,14.031in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2694 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'sparse_attention.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Sparse attention against sequence length' at screen 0.01875, screen 0.98218 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, cpu, serial ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit 4ad755e54ced;' at screen 0.01875, screen 0.96585 left font ',11' textcolor rgb '#444444'
  set label 103 '2026-11-21' at screen 0.01875, screen 0.95397 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks are medians; bars are 95 % order-statistic intervals of the median.' at screen 0.01875, screen 0.13140 left font ',11' textcolor rgb '#444444'
  set label 105 'Dense: full mask, flash, the same N and device. Ideal: its time × the share of pairs that the mask keeps.' at screen 0.01875, screen 0.11952 left font ',11' textcolor rgb '#444444'
  set label 106 'Fitted growth a N^b over all lengths, b and its R²: full, flash 1.91 (0.9996), full, staged 1.93 (0.9995), block_local, flash 1.12 (0.9945),' at screen 0.01875, screen 0.10765 left font ',11' textcolor rgb '#444444'
  set label 107 'block_local, staged 1.00 (0.9947), global, flash 1.00 (0.9998), global, staged 0.75 (0.9686), longformer, flash 1.01 (0.9154), longformer, staged' at screen 0.01875, screen 0.09577 left font ',11' textcolor rgb '#444444'
  set label 108 '1.19 (0.9585), random, flash 1.34 (0.9977), random, staged 1.97 (0.9990).' at screen 0.01875, screen 0.08389 left font ',11' textcolor rgb '#444444'
  set label 109 'Nearly linear, time a token and largest deviation from it: block_local, flash 0.663 µs ± 21 % (R² of a line 0.9887), block_local, staged 0.826 µs' at screen 0.01875, screen 0.07201 left font ',11' textcolor rgb '#444444'
  set label 110 '± 10 % (R² of a line 0.9901), global, flash 0.723 µs ± 2 % (R² of a line 0.9996), longformer, flash 1.64 µs ± 48 % (R² of a line 0.9584).' at screen 0.01875, screen 0.06013 left font ',11' textcolor rgb '#444444'
  set label 111 'Published: final report of the CMU 15-618 project Sparse Attention in CUDA (2023), one GeForce RTX 2080 against one CPU thread, f32, 8 heads of' at screen 0.01875, screen 0.04826 left font ',11' textcolor rgb '#444444'
  set label 112 '64, no spread given. Not comparable: its public code divides by the row sum without an exponential, does not check launches, and launches the' at screen 0.01875, screen 0.03638 left font ',11' textcolor rgb '#444444'
  set label 113 'softmax of full attention with an empty grid below N = 1024; the same cell differs between its tables by up to 42 %. The axes compare, the numbers' at screen 0.01875, screen 0.02450 left font ',11' textcolor rgb '#444444'
  set label 114 'do not.' at screen 0.01875, screen 0.01262 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.91834
  set bmargin at screen 0.72532
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('200' 200, '500' 500, '1,000' 1000, '' 300 1, '' 400 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.01646991835240179:631.6359928088498]
  set ytics nomirror out ('0.1' 0.1, '1' 1, '10' 10, '100' 100, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1)
  set ylabel 'time (ms)'
  set label 1 'time' at screen 0.09062, screen 0.93022 left font ',13'
  plot data every ::0::3 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::0::3 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::4::7 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::8::11 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::12::15 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::16::19 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::20::23 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::20::23 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::24::27 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::28::31 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::28::31 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::32::35 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::32::35 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::36::39 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::36::39 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::40::43 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle, \
       data every ::44::47 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle, \
       data every ::48::51 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::52::55 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 10 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::56::59 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#0072b2' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.91834
  set bmargin at screen 0.72532
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('200' 200, '500' 500, '1,000' 1000, '' 300 1, '' 400 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.484111967275305:167.80908803290066]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'dense time / time'
  set label 1 'speed-up over dense' at screen 0.45010, screen 0.93022 left font ',13'
  plot data every ::60::63 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::60::63 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::64::67 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::64::67 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::68::71 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::68::71 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::72::75 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::72::75 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::76::79 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::76::79 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::80::83 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::80::83 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::84::87 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::84::87 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::88::91 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::88::91 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::92::95 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::92::95 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::96::99 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::96::99 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::100::103 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::104::107 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 10 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::108::111 using (num('n_tokens')):(num('y')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#0072b2' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.65108
  set bmargin at screen 0.45805
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('200' 200, '500' 500, '1,000' 1000, '' 300 1, '' 400 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.3315376364551507:18.476194251961566]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'time / N (µs)'
  set label 1 'time a token: flat is linear in N' at screen 0.09062, screen 0.66295 left font ',13'
  plot data every ::112::115 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::112::115 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::116::119 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::116::119 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::120::123 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::120::123 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::124::127 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::124::127 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::128::131 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::128::131 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::132::135 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::132::135 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::136::139 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::136::139 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::140::143 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::140::143 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::144::147 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::144::147 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::148::151 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::148::151 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.65108
  set bmargin at screen 0.45805
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('200' 200, '500' 500, '1,000' 1000, '' 300 1, '' 400 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.7817983347684462:101.12652468926194]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'time / (dense time × pairs kept)'
  set label 1 'time over the ideal' at screen 0.45010, screen 0.66295 left font ',13'
  plot data every ::152::155 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::152::155 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::156::159 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::156::159 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::160::163 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::160::163 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::164::167 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::164::167 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::168::171 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::168::171 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::172::175 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::172::175 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::176::179 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::176::179 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::180::183 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::180::183 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::184::187 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::184::187 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::188::191 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::188::191 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.38382
  set bmargin at screen 0.19079
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('200' 200, '500' 500, '1,000' 1000, '' 300 1, '' 400 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.8213655847652626:62.33521461047386]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '30' 30, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1)
  set ylabel 'executed / useful pairs'
  set label 1 'work beyond the mask' at screen 0.09062, screen 0.39569 left font ',13'
  plot data every ::192::195 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::196::199 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::200::203 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::204::207 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::208::211 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::212::215 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::216::219 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::220::223 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::224::227 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::228::231 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.38382
  set bmargin at screen 0.19079
  set logscale x
  set xrange [115.36005921418626:1136.1991393974733]
  set xtics nomirror out ('200' 200, '500' 500, '1,000' 1000, '' 300 1, '' 400 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.4016044782913976:49.83914792274052]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '30' 30, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1)
  set ylabel 'peak active memory (MiB)'
  set label 1 'memory' at screen 0.45010, screen 0.39569 left font ',13'
  plot data every ::232::235 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::236::239 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::240::243 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::244::247 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::248::251 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::252::255 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::256::259 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::260::263 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::264::267 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::268::271 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::272::275 using (num('n_tokens')):(num('y')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.73771, screen 0.91834 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'full, flash', \
       NaN with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'full, staged', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' title 'block_local, flash', \
       NaN with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#0072b2' title 'block_local, staged', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' title 'global, flash', \
       NaN with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#009e73' title 'global, staged', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' title 'longformer, flash', \
       NaN with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' title 'longformer, staged', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' title 'random, flash', \
       NaN with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#e69f00' title 'random, staged', \
       NaN with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' title 'all N × N scores, f32', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published: 15-618, RTX 2080'
  unset multiplot
}
unset output
