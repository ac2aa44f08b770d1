# Draws speed_up.svg, speed_up.pdf and speed_up.png from speed_up.csv: gnuplot speed_up.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'speed_up.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,617 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'speed_up' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,6.427in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1234 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'speed_up.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Speed-up over one worker' at screen 0.01875, screen 0.96110 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f16, full mask, materialized kernel, cpu, serial ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.92545 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit 7152e59a18ab; 2026-11-20' at screen 0.01875, screen 0.89951 left font ',11' textcolor rgb '#444444'
  set label 104 'Base case: dense, materialized, W = 1, of the same N. Left: time of the whole sequence over kernel time of the longest subsequence, the paper''s S,' at screen 0.01875, screen 0.15721 left font ',11' textcolor rgb '#444444'
  set label 105 'without gather and merge. Right: critical path over critical path, with both. Bars: quotients of the ends of the two intervals.' at screen 0.01875, screen 0.13128 left font ',11' textcolor rgb '#444444'
  set label 106 '22 cases that ran have no point because the base case of that N has no time.' at screen 0.01875, screen 0.10535 left font ',11' textcolor rgb '#444444'
  set label 107 'Published: CQS-Attention, IEEE Access 13 (2025), case study 2, one A100 80 GB, f16, mean without outliers.' at screen 0.01875, screen 0.07942 left font ',11' textcolor rgb '#444444'
  set label 108 'Its host clock was read without synchronising the device, its inputs were made inside the timed region, and its W = 1 jumps where the GPU' at screen 0.01875, screen 0.05348 left font ',11' textcolor rgb '#444444'
  set label 109 'allocator must free and retry: those milliseconds and this machine''s are not comparable, the shapes are.' at screen 0.01875, screen 0.02755 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.39250
  set tmargin at screen 0.82172
  set bmargin at screen 0.28687
  unset logscale x
  set xrange [8050:50950]
  set xtics nomirror out ('10,000' 10000, '20,000' 20000, '30,000' 30000, '40,000' 40000, '50,000' 50000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.5129886362439101:409.41144876269783]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1)
  set ylabel 'speed-up'
  set label 1 'the paper''s S: longest subsequence' at screen 0.09062, screen 0.84765 left font ',13'
  plot data every ::0::1 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::0::1 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::2::3 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::2::3 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::4::5 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::4::5 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::6::7 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::6::7 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::8::16 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::17::25 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::26::34 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 10 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::35::43 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 12 ps 0.75 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.49250
  set rmargin at screen 0.79438
  set tmargin at screen 0.82172
  set bmargin at screen 0.28687
  unset logscale x
  set xrange [8050:50950]
  set xtics nomirror out ('10,000' 10000, '20,000' 20000, '30,000' 30000, '40,000' 40000, '50,000' 50000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.5129886362439101:409.41144876269783]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1)
  set ylabel 'speed-up'
  set label 1 'critical path, with gather and merge' at screen 0.49250, screen 0.84765 left font ',13'
  plot data every ::44::45 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::44::45 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::46::47 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::46::47 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::48::49 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::48::49 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::50::51 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::50::51 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle
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
  set key at screen 0.82250, screen 0.82172 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' title 'W = 4', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' title 'W = 7', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' title 'W = 8', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' title 'W = 31', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published (A100)'
  unset multiplot
}
unset output
