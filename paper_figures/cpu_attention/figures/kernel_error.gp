# Draws kernel_error.svg, kernel_error.pdf and kernel_error.png from kernel_error.csv: gnuplot kernel_error.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'kernel_error.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,859 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'kernel_error' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.948in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1718 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'kernel_error.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Error of kernels against float64' at screen 0.01875, screen 0.97206 left font ',16'
  set label 102 'B = 1, H = 8, cpu, serial ranks; 5 to 6 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 7f9ccb82d904; 2026-11-24;' at screen 0.01875, screen 0.94645 left font ',11' textcolor rgb '#444444'
  set label 103 'beside it PyTorch SDPA (torch 2.15.0+cu132; 2026-11-24)' at screen 0.01875, screen 0.92782 left font ',11' textcolor rgb '#444444'
  set label 104 'Each length shows the case that comes nearest to its tolerance, of 160 cases that also differ in head dim and threads. A tolerance follows from' at screen 0.01875, screen 0.05704 left font ',11' textcolor rgb '#444444'
  set label 105 'the error of a naive computation in the type of the inputs.' at screen 0.01875, screen 0.03842 left font ',11' textcolor rgb '#444444'
  set label 106 'The case that comes nearest to its tolerance uses 34 % of it: torch_sdpa, bf16, full mask, N = 8,192, d = 64.' at screen 0.01875, screen 0.01979 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.87194
  set bmargin at screen 0.56927
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [7.16778433893498e-08:0.03838420608997981]
  set ytics nomirror out ('10⁻⁷' 1e-07, '10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 8e-08 1, '' 9e-08 1, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1)
  set ylabel 'largest error of an output'
  set label 1 'bf16, causal mask' at screen 0.09062, screen 0.89057 left font ',13'
  plot data every ::0::4 using (num('n_tokens')):(num('max_error')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('max_error')) with linespoints dt (7,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::10::14 using (num('n_tokens')):(num('max_error')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::15::19 using (num('n_tokens')):(num('max_error')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.87194
  set bmargin at screen 0.56927
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.7334269460403446e-08:0.009707016999249422]
  set ytics nomirror out ('10⁻⁷' 1e-07, '10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '' 2e-08 1, '' 3.0000000000000004e-08 1, '' 4e-08 1, '' 5e-08 1, '' 6.000000000000001e-08 1, '' 7e-08 1, '' 8e-08 1, '' 9e-08 1, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'largest error of an output'
  set label 1 'bf16, full mask' at screen 0.45010, screen 0.89057 left font ',13'
  plot data every ::20::24 using (num('n_tokens')):(num('max_error')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::25::29 using (num('n_tokens')):(num('max_error')) with linespoints dt (7,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::30::34 using (num('n_tokens')):(num('max_error')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::35::39 using (num('n_tokens')):(num('max_error')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.45285
  set bmargin at screen 0.15017
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.4798190940171593e-07:3.232648639415921e-06]
  set ytics nomirror out ('3×10⁻⁷' 3e-07, '10⁻⁶' 1e-06, '3×10⁻⁶' 3e-06, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1)
  set ylabel 'largest error of an output'
  set label 1 'f32, causal mask' at screen 0.09062, screen 0.47148 left font ',13'
  plot data every ::40::44 using (num('n_tokens')):(num('max_error')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::45::49 using (num('n_tokens')):(num('max_error')) with linespoints dt (7,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::50::54 using (num('n_tokens')):(num('max_error')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::55::59 using (num('n_tokens')):(num('max_error')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.45285
  set bmargin at screen 0.15017
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [5.710573632426014e-08:3.5789018704851533e-06]
  set ytics nomirror out ('10⁻⁷' 1e-07, '3×10⁻⁷' 3e-07, '10⁻⁶' 1e-06, '3×10⁻⁶' 3e-06, '' 6.000000000000001e-08 1, '' 7e-08 1, '' 8e-08 1, '' 9e-08 1, '' 2e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1)
  set ylabel 'largest error of an output'
  set label 1 'f32, full mask' at screen 0.45010, screen 0.47148 left font ',13'
  plot data every ::60::64 using (num('n_tokens')):(num('max_error')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::65::69 using (num('n_tokens')):(num('max_error')) with linespoints dt (7,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::70::74 using (num('n_tokens')):(num('max_error')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::75::79 using (num('n_tokens')):(num('max_error')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle
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
  set key at screen 0.73771, screen 0.87194 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' title 'flash', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'torch_sdpa', \
       NaN with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'tolerance of the same cases'
  unset multiplot
}
unset output
