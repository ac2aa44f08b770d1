# Draws scheme_comparison.svg, scheme_comparison.pdf and scheme_comparison.png from scheme_comparison.csv: gnuplot scheme_comparison.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'scheme_comparison.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1810 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'scheme_comparison' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,18.854in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,3620 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'scheme_comparison.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Schemes of splitting exact attention at one length' at screen 0.01875, screen 0.98674 left font ',16'
  set label 102 'N = 1,048,576, links of 1.25 GB/s, 30 µs and 12.5 GB/s, 5 µs and 300 GB/s, 2 µs; B = 1, H = 32, d = 128, bf16, causal mask, flash kernel, modelled' at screen 0.01875, screen 0.97459 left font ',11' textcolor rgb '#444444'
  set label 103 'A100; qb 0.1.0; commit 9b741e1ba2e7; 2026-11-21' at screen 0.01875, screen 0.96575 left font ',11' textcolor rgb '#444444'
  set label 104 'Drawn: N = 1,048,576, links of 1.25 GB/s, 30 µs and 12.5 GB/s, 5 µs and 300 GB/s, 2 µs, modelled A100.' at screen 0.01875, screen 0.07127 left font ',11' textcolor rgb '#444444'
  set label 105 'Not drawn: 7 schemes (N = 131,072, 1.25 GB/s, 30 µs); 7 schemes (N = 131,072, 12.5 GB/s, 5 µs); 7 schemes (N = 131,072, 300 GB/s, 2 µs); 12 of 210' at screen 0.01875, screen 0.06243 left font ',11' textcolor rgb '#444444'
  set label 106 'cases (unsupported: ulysses deals whole heads to workers).' at screen 0.01875, screen 0.05359 left font ',11' textcolor rgb '#444444'
  set label 107 'Slowest worker: query-key pairs of the slowest worker of each round, summed over rounds, over unmasked pairs / W; 1 is perfect balance and no pair' at screen 0.01875, screen 0.04475 left font ',11' textcolor rgb '#444444'
  set label 108 'in vain. cqs scatters from one root and gathers there; cqs_sharded begins and ends sharded, as the others do.' at screen 0.01875, screen 0.03591 left font ',11' textcolor rgb '#444444'
  set label 109 'Pairs and bytes follow from the plan. Memory is measured where a case measured it, else predicted.' at screen 0.01875, screen 0.02707 left font ',11' textcolor rgb '#444444'
  set label 110 'Pairs, bytes and memory are drawn once for all links, where they differ those of the fastest.' at screen 0.01875, screen 0.01823 left font ',11' textcolor rgb '#444444'
  set label 111 'model: predicted by the calibrated cost model; nothing was timed.' at screen 0.01875, screen 0.00939 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09833
  set rmargin at screen 0.40406
  set tmargin at screen 0.91768
  set bmargin at screen 0.80718
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.9500488757621043:2.0489736089958104]
  set ytics nomirror out ('1.00' 1, '1.25' 1.25, '1.50' 1.5, '1.75' 1.75, '2.00' 2)
  set ylabel 'slowest / ideal'
  set label 1 'pairs of the slowest worker' at screen 0.09833, screen 0.94807 left font ',13'
  set label 2 'cqs = cqs_sharded' at screen 0.09833, screen 0.94088 left font ',11' textcolor rgb '#d46207'
  set label 3 'striped = zigzag = all_gather_kv = ulysses' at screen 0.09833, screen 0.93370 left font ',11' textcolor rgb '#e6a216'
  set label 4 '(4 to 32)' at screen 0.09833, screen 0.92652 left font ',11' textcolor rgb '#e6a216'
  plot data every ::0::4 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::10::14 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::15::19 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::33::34 using (num('workers')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.51177
  set rmargin at screen 0.81750
  set tmargin at screen 0.91768
  set bmargin at screen 0.80718
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.9687988578807278:1.6552239845047145]
  set ytics nomirror out ('1.0' 1, '1.2' 1.2000000000000002, '1.4' 1.4000000000000001, '1.6' 1.6)
  set ylabel 'executed / unmasked'
  set label 1 'pairs of all workers' at screen 0.51177, screen 0.94088 left font ',13'
  set label 2 'cqs = cqs_sharded = ring = zigzag =' at screen 0.51177, screen 0.93370 left font ',11' textcolor rgb '#d46207'
  set label 3 'all_gather_kv = ulysses (4 to 32)' at screen 0.51177, screen 0.92652 left font ',11' textcolor rgb '#d46207'
  plot data every ::35::39 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::50::54 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::68::69 using (num('workers')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09833
  set rmargin at screen 0.40406
  set tmargin at screen 0.74475
  set bmargin at screen 0.63425
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.5217100742327127:18.871331230134082]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'sent (GiB)'
  set label 1 'sent by the busiest device' at screen 0.09833, screen 0.76077 left font ',13'
  set label 2 'ring = striped = zigzag = all_gather_kv' at screen 0.09833, screen 0.75359 left font ',11' textcolor rgb '#2572aa'
  plot data every ::70::74 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::75::79 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::80::84 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::95::97 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.51177
  set rmargin at screen 0.81750
  set tmargin at screen 0.74475
  set bmargin at screen 0.63425
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.06315066368920932:98.06574196335276]
  set ytics nomirror out ('0.1' 0.1, '1' 1, '10' 10, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'peak memory (GiB)'
  set label 1 'memory of the fullest device' at screen 0.51177, screen 0.76077 left font ',13'
  set label 2 'ring = striped = zigzag, modelled A100' at screen 0.51177, screen 0.75359 left font ',11' textcolor rgb '#2572aa'
  plot data every ::103::107 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::108::112 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::113::117 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::128::130 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::131::135 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09833
  set rmargin at screen 0.40406
  set tmargin at screen 0.57182
  set bmargin at screen 0.46133
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [446.56663921238305:17479.322921491163]
  set ytics nomirror out ('1,000' 1000, '3,000' 3000, '10,000' 10000, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1)
  set ylabel 'exposed (ms)'
  set label 1 'exposed communication, longest, 1.25 GB/s, 30 µs' at screen 0.09833, screen 0.58785 left font ',13'
  set label 2 'striped = zigzag, modelled A100' at screen 0.09833, screen 0.58066 left font ',11' textcolor rgb '#e6a216'
  plot data every ::136::140 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::141::145 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::146::150 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::151::155 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::161::163 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::164::168 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.51177
  set rmargin at screen 0.81750
  set tmargin at screen 0.57182
  set bmargin at screen 0.46133
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [958.8373650140541:1108668.2453194791]
  set ytics nomirror out ('10³' 1000, '10⁴' 10000, '10⁵' 1e+05, '10⁶' 1e+06, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1, '' 4e+05 1, '' 5e+05 1, '' 6e+05 1, '' 7e+05 1, '' 8e+05 1, '' 9e+05 1)
  set ylabel 'wall clock (ms)'
  set label 1 'wall clock, 1.25 GB/s, 30 µs' at screen 0.51177, screen 0.58785 left font ',13'
  set label 2 'striped = zigzag, modelled A100' at screen 0.51177, screen 0.58066 left font ',11' textcolor rgb '#e6a216'
  plot data every ::169::173 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::169::173 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::174::178 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::174::178 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::179::183 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::179::183 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::184::188 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::184::188 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::194::196 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::194::196 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::197::201 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::197::201 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.09833
  set rmargin at screen 0.40406
  set tmargin at screen 0.39890
  set bmargin at screen 0.28840
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [1.5165745358318623:3193.8762877774025]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1)
  set ylabel 'exposed (ms)'
  set label 1 'exposed communication, longest, 12.5 GB/s, 5 µs' at screen 0.09833, screen 0.40773 left font ',13'
  plot data every ::202::206 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::207::211 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::212::216 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::217::221 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::222::226 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::227::229 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::230::234 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.51177
  set rmargin at screen 0.81750
  set tmargin at screen 0.39890
  set bmargin at screen 0.28840
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [124.95115483052328:109527.99876267943]
  set ytics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set ylabel 'wall clock (ms)'
  set label 1 'wall clock, 12.5 GB/s, 5 µs' at screen 0.51177, screen 0.41492 left font ',13'
  set label 2 'striped = zigzag, modelled A100' at screen 0.51177, screen 0.40773 left font ',11' textcolor rgb '#e6a216'
  plot data every ::235::239 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::235::239 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::240::244 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::240::244 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::245::249 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::245::249 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::250::254 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::250::254 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::260::262 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::260::262 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::263::267 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::263::267 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle
  unset label
  unset key

  # panel 9
  set lmargin at screen 0.09833
  set rmargin at screen 0.40406
  set tmargin at screen 0.22597
  set bmargin at screen 0.11547
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [0.06000058798348992:169.7799601964099]
  set ytics nomirror out ('0.1' 0.1, '1' 1, '10' 10, '100' 100, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'exposed (ms)'
  set label 1 'exposed communication, longest, 300 GB/s, 2 µs' at screen 0.09833, screen 0.23481 left font ',13'
  plot data every ::268::272 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::273::277 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::278::282 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::283::287 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::288::292 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::293::295 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::296::300 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle
  unset label
  unset key

  # panel 10
  set lmargin at screen 0.51177
  set rmargin at screen 0.81750
  set tmargin at screen 0.22597
  set bmargin at screen 0.11547
  set logscale x
  set xrange [3.0314331330207964:1351.1761006314437]
  set xtics nomirror out ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '' 8 1, '' 32 1, '' 128 1, '' 512 1)
  set xlabel 'workers W'
  set logscale y
  set yrange [35.33637051325285:23035.1035596649]
  set ytics nomirror out ('100' 100, '1,000' 1000, '10,000' 10000, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1)
  set ylabel 'wall clock (ms)'
  set label 1 'wall clock, 300 GB/s, 2 µs' at screen 0.51177, screen 0.24199 left font ',13'
  set label 2 'striped = ulysses (4 to 32), modelled A100' at screen 0.51177, screen 0.23481 left font ',11' textcolor rgb '#e6a216'
  plot data every ::301::305 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::301::305 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::306::310 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::306::310 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::311::315 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::311::315 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::316::320 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::316::320 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::321::325 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::321::325 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::329::333 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::329::333 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle
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
  set key at screen 0.84562, screen 0.91768 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' title 'cqs', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' title 'ulysses', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' title 'all_gather_kv'
  unset multiplot
}
unset output
