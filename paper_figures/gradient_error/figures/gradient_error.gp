# Draws gradient_error.svg, gradient_error.pdf and gradient_error.png from gradient_error.csv: gnuplot gradient_error.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'gradient_error.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1321 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'gradient_error' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.760in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2642 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'gradient_error.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Error of gradients against float64' at screen 0.01875, screen 0.98183 left font ',16'
  set label 102 'B = 1, H = 4, d = 64, causal mask, backward pass, flash kernel, cpu, serial ranks, all cores; 1 repeat; Intel(R) Xeon(R) Processor, family 6 model' at screen 0.01875, screen 0.96518 left font ',11' textcolor rgb '#444444'
  set label 103 '207 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit ed7b24d445fa; 2026-11-26' at screen 0.01875, screen 0.95307 left font ',11' textcolor rgb '#444444'
  set label 104 'The L2 norm of the error over that of the float64 gradients, over the compared rows (dQ) and keys (dK, dV).' at screen 0.01875, screen 0.02498 left font ',11' textcolor rgb '#444444'
  set label 105 'The largest error that comes nearest to its tolerance uses 50 % of it: dK of ring, W = 4, N = 2,048, f32, causal mask.' at screen 0.01875, screen 0.01287 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.10604
  set rmargin at screen 0.22000
  set tmargin at screen 0.85768
  set bmargin at screen 0.68357
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.0015517781435392117:0.002530710163960466]
  set ytics nomirror out ('0.0016' 0.0016, '0.0018' 0.0018000000000000002, '0.0020' 0.002, '0.0022' 0.0022, '0.0024' 0.0024000000000000002)
  set ylabel 'relative L2 error'
  set label 1 'dQ, bf16' at screen 0.10604, screen 0.92884 left font ',13'
  set label 2 'dense, W = 1 and' at screen 0.10604, screen 0.91900 left font ',11' textcolor rgb '#000000'
  set label 3 'ring, W = 4,' at screen 0.10604, screen 0.90916 left font ',11' textcolor rgb '#000000'
  set label 4 'sums sent in' at screen 0.10604, screen 0.89932 left font ',11' textcolor rgb '#000000'
  set label 5 'bf16 and ring, W' at screen 0.10604, screen 0.88948 left font ',11' textcolor rgb '#000000'
  set label 6 '= 4' at screen 0.10604, screen 0.87964 left font ',11' textcolor rgb '#000000'
  set label 7 'and 1 more on one another' at screen 0.10604, screen 0.86980 left font ',11' textcolor rgb '#000000'
  plot data every ::0::4 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::15::19 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::20::24 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::25::29 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle, \
       data every ::35::39 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.33542
  set rmargin at screen 0.44938
  set tmargin at screen 0.85768
  set bmargin at screen 0.68357
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.001544197737633198:0.00717384444807552]
  set ytics nomirror out ('0.002' 0.002, '0.003' 0.003, '0.004' 0.004, '0.005' 0.005, '0.006' 0.006, '0.007' 0.007)
  set ylabel 'relative L2 error'
  set label 1 'dK' at screen 0.33542, screen 0.89932 left font ',13'
  set label 2 'dense, W = 1 and' at screen 0.33542, screen 0.88948 left font ',11' textcolor rgb '#000000'
  set label 3 'cqs, W = 7 and' at screen 0.33542, screen 0.87964 left font ',11' textcolor rgb '#000000'
  set label 4 'ring, W = 4' at screen 0.33542, screen 0.86980 left font ',11' textcolor rgb '#000000'
  plot data every ::40::44 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::45::49 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::55::59 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::65::69 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle, \
       data every ::70::74 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#123753' notitle, \
       data every ::75::79 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.56479
  set rmargin at screen 0.67875
  set tmargin at screen 0.85768
  set bmargin at screen 0.68357
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.0011122218684325958:0.007805594065629868]
  set ytics nomirror out ('0.002' 0.002, '0.003' 0.003, '0.004' 0.004, '0.005' 0.005, '0.006' 0.006, '0.007' 0.007)
  set ylabel 'relative L2 error'
  set label 1 'dV' at screen 0.56479, screen 0.90916 left font ',13'
  set label 2 'dense, W = 1 and' at screen 0.56479, screen 0.89932 left font ',11' textcolor rgb '#000000'
  set label 3 'cqs, W = 7 and' at screen 0.56479, screen 0.88948 left font ',11' textcolor rgb '#000000'
  set label 4 'ring, W = 4 and' at screen 0.56479, screen 0.87964 left font ',11' textcolor rgb '#000000'
  set label 5 'ring, W = 16' at screen 0.56479, screen 0.86980 left font ',11' textcolor rgb '#000000'
  plot data every ::80::84 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::85::89 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::95::99 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::105::109 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle, \
       data every ::115::119 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.10604
  set rmargin at screen 0.22000
  set tmargin at screen 0.55867
  set bmargin at screen 0.38456
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.3902521262845306e-07:0.0002887399856657445]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1)
  set ylabel 'relative L2 error'
  set label 1 'dQ, f16' at screen 0.10604, screen 0.58062 left font ',13'
  set label 2 'and 1 more on one another' at screen 0.10604, screen 0.57078 left font ',11' textcolor rgb '#000000'
  plot data every ::120::124 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::135::139 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::140::144 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::155::159 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.33542
  set rmargin at screen 0.44938
  set tmargin at screen 0.55867
  set bmargin at screen 0.38456
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.9791300387971732e-07:0.010766707742934391]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dK' at screen 0.33542, screen 0.61998 left font ',13'
  set label 2 'dense, W = 1 and' at screen 0.33542, screen 0.61014 left font ',11' textcolor rgb '#000000'
  set label 3 'ring, W = 4 and' at screen 0.33542, screen 0.60030 left font ',11' textcolor rgb '#000000'
  set label 4 'ring, W = 16' at screen 0.33542, screen 0.59046 left font ',11' textcolor rgb '#000000'
  set label 5 'cqs, W = 7 and' at screen 0.33542, screen 0.58062 left font ',11' textcolor rgb '#de863f'
  set label 6 'cqs, W = 31' at screen 0.33542, screen 0.57078 left font ',11' textcolor rgb '#de863f'
  plot data every ::160::164 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::165::169 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::175::179 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::180::184 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::185::189 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.56479
  set rmargin at screen 0.67875
  set tmargin at screen 0.55867
  set bmargin at screen 0.38456
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.365418192167341e-07:0.0121567643557007]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dV' at screen 0.56479, screen 0.61998 left font ',13'
  set label 2 'dense, W = 1 and' at screen 0.56479, screen 0.61014 left font ',11' textcolor rgb '#000000'
  set label 3 'ring, W = 4 and' at screen 0.56479, screen 0.60030 left font ',11' textcolor rgb '#000000'
  set label 4 'ring, W = 16' at screen 0.56479, screen 0.59046 left font ',11' textcolor rgb '#000000'
  set label 5 'cqs, W = 7 and' at screen 0.56479, screen 0.58062 left font ',11' textcolor rgb '#de863f'
  set label 6 'cqs, W = 31' at screen 0.56479, screen 0.57078 left font ',11' textcolor rgb '#de863f'
  plot data every ::200::204 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::205::209 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::215::219 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::220::224 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::225::229 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.10604
  set rmargin at screen 0.22000
  set tmargin at screen 0.25965
  set bmargin at screen 0.08554
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [3.205722236704646e-07:4.808426334250712e-07]
  set ytics nomirror out ('3.5×10⁻⁷' 3.5e-07, '4.0×10⁻⁷' 4e-07, '4.5×10⁻⁷' 4.5e-07)
  set ylabel 'relative L2 error'
  set label 1 'dQ, f32' at screen 0.10604, screen 0.32097 left font ',13'
  set label 2 'ring, W = 4,' at screen 0.10604, screen 0.31113 left font ',11' textcolor rgb '#a6c5dc'
  set label 3 'sums sent in' at screen 0.10604, screen 0.30129 left font ',11' textcolor rgb '#a6c5dc'
  set label 4 'bf16 and ring, W' at screen 0.10604, screen 0.29145 left font ',11' textcolor rgb '#a6c5dc'
  set label 5 '= 4' at screen 0.10604, screen 0.28160 left font ',11' textcolor rgb '#a6c5dc'
  set label 6 'and 1 more on one another' at screen 0.10604, screen 0.27176 left font ',11' textcolor rgb '#000000'
  plot data every ::240::244 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::245::249 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::255::259 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::260::264 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::265::269 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle, \
       data every ::275::279 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#894005' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.33542
  set rmargin at screen 0.44938
  set tmargin at screen 0.25965
  set bmargin at screen 0.08554
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.0845774476760336e-07:0.010686779813900751]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dK' at screen 0.33542, screen 0.31113 left font ',13'
  set label 2 'dense, W = 1 and' at screen 0.33542, screen 0.30129 left font ',11' textcolor rgb '#000000'
  set label 3 'ring, W = 4 and' at screen 0.33542, screen 0.29145 left font ',11' textcolor rgb '#000000'
  set label 4 'ring, W = 16' at screen 0.33542, screen 0.28160 left font ',11' textcolor rgb '#000000'
  set label 5 'and 1 more on one another' at screen 0.33542, screen 0.27176 left font ',11' textcolor rgb '#000000'
  plot data every ::280::284 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::285::289 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::300::304 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
       data every ::305::309 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#216596' notitle
  unset label
  unset key

  # panel 9
  set lmargin at screen 0.56479
  set rmargin at screen 0.67875
  set tmargin at screen 0.25965
  set bmargin at screen 0.08554
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('512' 512, '2,048' 2048, '8,192' 8192, '' 1024 1, '' 4096 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [1.4801740269257469e-07:0.01216463806551898]
  set ytics nomirror out ('10⁻⁶' 1e-06, '10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '' 2e-07 1, '' 3e-07 1, '' 4e-07 1, '' 5e-07 1, '' 6e-07 1, '' 7e-07 1, '' 8e-07 1, '' 9e-07 1, '' 2e-06 1, '' 3e-06 1, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1)
  set ylabel 'relative L2 error'
  set label 1 'dV' at screen 0.56479, screen 0.31113 left font ',13'
  set label 2 'dense, W = 1 and' at screen 0.56479, screen 0.30129 left font ',11' textcolor rgb '#000000'
  set label 3 'ring, W = 4 and' at screen 0.56479, screen 0.29145 left font ',11' textcolor rgb '#000000'
  set label 4 'ring, W = 16' at screen 0.56479, screen 0.28160 left font ',11' textcolor rgb '#000000'
  set label 5 'and 1 more on one another' at screen 0.56479, screen 0.27176 left font ',11' textcolor rgb '#000000'
  plot data every ::320::324 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::325::329 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#a6c5dc' notitle, \
       data every ::340::344 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#de863f' notitle, \
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
  set key at screen 0.70688, screen 0.85768 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
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
