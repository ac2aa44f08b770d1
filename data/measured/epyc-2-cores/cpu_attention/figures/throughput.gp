# Draws throughput.svg, throughput.pdf and throughput.png from throughput.csv: gnuplot throughput.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'throughput.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,843 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'throughput' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.781in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1686 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'throughput.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Throughput against sequence length' at screen 0.01875, screen 0.97153 left font ',16'
  set label 102 'B = 1, H = 8, cpu, serial ranks; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit 117222098e21 with changes; 2026-11-20;' at screen 0.01875, screen 0.94543 left font ',11' textcolor rgb '#444444'
  set label 103 'beside it torchrun (torch 2.15.0+cu132; 2026-11-20)' at screen 0.01875, screen 0.92645 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks are medians; bars span all repeats, at least 5, which holds the median with 93.8 % confidence.' at screen 0.01875, screen 0.03915 left font ',11' textcolor rgb '#444444'
  set label 105 'FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole call; what a kernel computes beyond the mask counts for nothing.' at screen 0.01875, screen 0.02017 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.35396
  set tmargin at screen 0.86951
  set bmargin at screen 0.56109
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('500' 500, '1,000' 1000, '2,000' 2000, '5,000' 5000, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 3000 1, '' 4000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [24.986737631414538:468.300507733568]
  set ytics nomirror out ('30' 30, '100' 100, '300' 300, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, causal mask' at screen 0.09062, screen 0.88849 left font ',13'
  plot data every ::0::4 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::0::4 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::5::9 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::10::14 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::10::14 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::15::19 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::15::19 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::20::24 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::20::24 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::25::29 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::25::29 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::30::34 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::30::34 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::35::39 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::35::39 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#cc79a7' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.45396
  set rmargin at screen 0.71729
  set tmargin at screen 0.86951
  set bmargin at screen 0.56109
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('500' 500, '1,000' 1000, '2,000' 2000, '5,000' 5000, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 3000 1, '' 4000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [24.986737631414538:468.300507733568]
  set ytics nomirror out ('30' 30, '100' 100, '300' 300, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 64, full mask' at screen 0.45396, screen 0.88849 left font ',13'
  plot data every ::40::44 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::40::44 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::45::49 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::45::49 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::50::54 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::50::54 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::55::59 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::55::59 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::60::64 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::60::64 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::65::69 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::65::69 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::70::74 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::70::74 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::75::79 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::75::79 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#cc79a7' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.35396
  set tmargin at screen 0.44247
  set bmargin at screen 0.13405
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('500' 500, '1,000' 1000, '2,000' 2000, '5,000' 5000, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 3000 1, '' 4000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [24.986737631414538:468.300507733568]
  set ytics nomirror out ('30' 30, '100' 100, '300' 300, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 128, causal mask' at screen 0.09062, screen 0.46145 left font ',13'
  plot data every ::80::84 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::80::84 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::85::89 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::85::89 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::90::94 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::90::94 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::95::99 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::95::99 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::100::104 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::100::104 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::105::109 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::105::109 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::110::114 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::110::114 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::115::119 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::115::119 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#cc79a7' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.45396
  set rmargin at screen 0.71729
  set tmargin at screen 0.44247
  set bmargin at screen 0.13405
  set logscale x
  set xrange [445.72188840761555:9410.136924135712]
  set xtics nomirror out ('500' 500, '1,000' 1000, '2,000' 2000, '5,000' 5000, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 3000 1, '' 4000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [24.986737631414538:468.300507733568]
  set ytics nomirror out ('30' 30, '100' 100, '300' 300, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1)
  set ylabel 'achieved GFLOP/s'
  set label 1 'd = 128, full mask' at screen 0.45396, screen 0.46145 left font ',13'
  plot data every ::120::124 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::120::124 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::125::129 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::125::129 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::130::134 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::130::134 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::135::139 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::135::139 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::140::144 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::140::144 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::145::149 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::145::149 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::150::154 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::150::154 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::155::159 using (num('n_tokens')):(num('achieved_gflop_per_s_low')):(0):(num('achieved_gflop_per_s_high') - num('achieved_gflop_per_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::155::159 using (num('n_tokens')):(num('achieved_gflop_per_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#cc79a7' notitle
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
  set key at screen 0.74542, screen 0.86951 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#d55e00' title 'flash bf16, 1 thread', \
       NaN with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' title 'flash bf16, 2 threads', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#d55e00' title 'flash f32, 1 thread', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#009e73' title 'flash f32, 2 threads', \
       NaN with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#0072b2' title 'torch_sdpa bf16, 1 thread', \
       NaN with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#cc79a7' title 'torch_sdpa bf16, 2 threads', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#0072b2' title 'torch_sdpa f32, 1 thread', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#cc79a7' title 'torch_sdpa f32, 2 threads'
  unset multiplot
}
unset output
