# Draws gradient_error.svg, gradient_error.pdf and gradient_error.png from gradient_error.csv: gnuplot gradient_error.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gradient_error.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1324 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gradient_error' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.792in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2648 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gradient_error.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Error of gradients against float64' at screen 0.01875, screen 0.98187 left font ',16'
  set label 102 'B = 1, H = 4, d = 64, causal mask, backward pass, flash kernel, cpu, serial ranks, all cores; 1 repeat; AMD EPYC, family 25 model 1 | 2 cores |' at screen 0.01875, screen 0.96526 left font ',11' textcolor rgb '#444444'
  set label 103 'avx2 | 24 GiB; qb 0.1.0; commit b27365e418f7; 2026-11-24' at screen 0.01875, screen 0.95317 left font ',11' textcolor rgb '#444444'
  set label 104 'The L2 norm of the error over that of the float64 gradients, over the compared rows (dQ) and keys (dK, dV). The float64 gradients begin with the O' at screen 0.01875, screen 0.03701 left font ',11' textcolor rgb '#444444'
  set label 105 'and LSE that the forward pass left, so that its own error is not in them.' at screen 0.01875, screen 0.02492 left font ',11' textcolor rgb '#444444'
  set label 106 'The largest error that comes nearest to its tolerance uses 50 % of it: dK of ring, W = 4, N = 2,048, f32, causal mask.' at screen 0.01875, screen 0.01284 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.11375
  set rmargin at screen 0.22000
  set tmargin at screen 0.86782
  set bmargin at screen 0.69411
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.554378708654372e-07:0.0026002447903542866]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1)
  set ylabel 'relative L2 error'
  set label 1 'dQ, bf16' at screen 0.11375, screen 0.88973 left font ',13'
  set label 2 'and 1 more on one another' at screen 0.11375, screen 0.87991 left font ',11' textcolor rgb '#000000'
  plot data every ::0::4 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::15::19 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::35::39 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.34313
  set rmargin at screen 0.44938
  set tmargin at screen 0.86782
  set bmargin at screen 0.69411
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.410220445905813e-07:0.010611877331531799]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dK' at screen 0.34313, screen 0.88973 left font ',13'
  set label 2 'and 1 more on one another' at screen 0.34313, screen 0.87991 left font ',11' textcolor rgb '#000000'
  plot data every ::40::44 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::45::49 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::55::59 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::65::69 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.57250
  set rmargin at screen 0.67875
  set tmargin at screen 0.86782
  set bmargin at screen 0.69411
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.2055571122938626e-07:0.011850642286042077]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dV' at screen 0.57250, screen 0.92900 left font ',13'
  set label 2 'dense, W = 1' at screen 0.57250, screen 0.91918 left font ',11' textcolor rgb '#000000'
  set label 3 'and cqs, W = 7' at screen 0.57250, screen 0.90937 left font ',11' textcolor rgb '#000000'
  set label 4 'and ring, W = 4' at screen 0.57250, screen 0.89955 left font ',11' textcolor rgb '#000000'
  set label 5 'and ring, W =' at screen 0.57250, screen 0.88973 left font ',11' textcolor rgb '#000000'
  set label 6 '16' at screen 0.57250, screen 0.87991 left font ',11' textcolor rgb '#000000'
  plot data every ::80::84 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::85::89 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::95::99 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::105::109 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle, \
       data every ::115::119 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.11375
  set rmargin at screen 0.22000
  set tmargin at screen 0.56949
  set bmargin at screen 0.39577
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.5493611502746146e-07:0.00028785257112962125]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1)
  set ylabel 'relative L2 error'
  set label 1 'dQ, f16' at screen 0.11375, screen 0.59139 left font ',13'
  set label 2 'and 2 more on one another' at screen 0.11375, screen 0.58157 left font ',11' textcolor rgb '#000000'
  plot data every ::120::124 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::135::139 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::145::149 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle, \
       data every ::155::159 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.34313
  set rmargin at screen 0.44938
  set tmargin at screen 0.56949
  set bmargin at screen 0.39577
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.1370442921547045e-07:0.010735794895949209]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dK' at screen 0.34313, screen 0.59139 left font ',13'
  set label 2 'and 1 more on one another' at screen 0.34313, screen 0.58157 left font ',11' textcolor rgb '#000000'
  plot data every ::160::164 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::165::169 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::175::179 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::185::189 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.57250
  set rmargin at screen 0.67875
  set tmargin at screen 0.56949
  set bmargin at screen 0.39577
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.6710672611939342e-07:0.0120403988456567]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dV' at screen 0.57250, screen 0.63066 left font ',13'
  set label 2 'dense, W = 1' at screen 0.57250, screen 0.62085 left font ',11' textcolor rgb '#000000'
  set label 3 'and ring, W = 4' at screen 0.57250, screen 0.61103 left font ',11' textcolor rgb '#000000'
  set label 4 'and ring, W =' at screen 0.57250, screen 0.60121 left font ',11' textcolor rgb '#000000'
  set label 5 '16' at screen 0.57250, screen 0.59139 left font ',11' textcolor rgb '#000000'
  set label 6 'and 1 more on one another' at screen 0.57250, screen 0.58157 left font ',11' textcolor rgb '#000000'
  plot data every ::200::204 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::205::209 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::215::219 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::220::224 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::225::229 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.11375
  set rmargin at screen 0.22000
  set tmargin at screen 0.27115
  set bmargin at screen 0.09743
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [3.537798757024953e-07:4.730073105072327e-07]
  set ytics nomirror out ('3.75×10⁻⁷' 3.75e-07, '4.00×10⁻⁷' 4e-07, '4.25×10⁻⁷' 4.2499999999999995e-07, '4.50×10⁻⁷' 4.5e-07)
  set ylabel 'relative L2 error'
  set label 1 'dQ, f32' at screen 0.11375, screen 0.33233 left font ',13'
  set label 2 'ring, W = 4,' at screen 0.11375, screen 0.32251 left font ',11' textcolor rgb '#a6c5dc'
  set label 3 'sums sent in' at screen 0.11375, screen 0.31269 left font ',11' textcolor rgb '#a6c5dc'
  set label 4 'bf16 and ring,' at screen 0.11375, screen 0.30287 left font ',11' textcolor rgb '#a6c5dc'
  set label 5 'W = 4' at screen 0.11375, screen 0.29305 left font ',11' textcolor rgb '#a6c5dc'
  set label 6 'and 1 more on one another' at screen 0.11375, screen 0.28323 left font ',11' textcolor rgb '#000000'
  plot data every ::240::244 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::245::249 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::255::259 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::260::264 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::265::269 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle, \
       data every ::275::279 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.34313
  set rmargin at screen 0.44938
  set tmargin at screen 0.27115
  set bmargin at screen 0.09743
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.2005710963259175e-07:0.01065924901524121]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dK' at screen 0.34313, screen 0.29305 left font ',13'
  set label 2 'and 1 more on one another' at screen 0.34313, screen 0.28323 left font ',11' textcolor rgb '#000000'
  plot data every ::280::284 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::285::289 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::305::309 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle
  unset label
  unset key

  # panel 9
  set lmargin at screen 0.57250
  set rmargin at screen 0.67875
  set tmargin at screen 0.27115
  set bmargin at screen 0.09743
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.8226921518339165e-07:0.012043404107903456]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dV' at screen 0.57250, screen 0.29305 left font ',13'
  set label 2 'and 1 more on one another' at screen 0.57250, screen 0.28323 left font ',11' textcolor rgb '#000000'
  plot data every ::320::324 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::325::329 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::345::349 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle
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
  set key at screen 0.70688, screen 0.86782 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'dense, W = 1', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' title 'cqs, W = 7', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' title 'cqs, W = 31', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' title 'ring, W = 4, sums sent in bf16', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#5a94bf' title 'ring, W = 4', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' title 'ring, W = 16, sums sent in bf16', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#123753' title 'ring, W = 16', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' title 'ulysses, W = 4'
  unset multiplot
}
unset output
