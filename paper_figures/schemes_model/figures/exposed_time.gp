# Draws exposed_time.svg, exposed_time.pdf and exposed_time.png from exposed_time.csv: gnuplot exposed_time.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'exposed_time.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1323 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'exposed_time' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.781in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2646 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'exposed_time.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Communication that computing does not hide' at screen 0.01875, screen 0.98186 left font ',16'
  set label 102 'B = 1, H = 32, d = 128, bf16, causal mask, flash kernel, modelled A100; qb 0.1.0; commit 9b741e1ba2e7; 2026-11-21' at screen 0.01875, screen 0.96523 left font ',11' textcolor rgb '#444444'
  set label 103 'Time in which a worker waited for data on its way, summed over steps: of the one that ends last, before schema 11 of the one with most of it;' at screen 0.01875, screen 0.04913 left font ',11' textcolor rgb '#444444'
  set label 104 'median. Thin: what the busiest worker sends over the link''s bandwidth, which is what would be exposed if nothing were hidden behind computing. A' at screen 0.01875, screen 0.03704 left font ',11' textcolor rgb '#444444'
  set label 105 'line below its thin one hides the difference; one above it waits for more than the link.' at screen 0.01875, screen 0.02494 left font ',11' textcolor rgb '#444444'
  set label 106 'Not drawn: 4 of 10 panels (beyond 6 spread over N, W and ranks); 12 of 210 cases (unsupported).' at screen 0.01875, screen 0.01285 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.38865
  set tmargin at screen 0.89947
  set bmargin at screen 0.70295
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  set logscale y
  set yrange [1.0388037122333959e-05:29.05095760708001]
  set ytics nomirror out ('10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '1' 1, '10' 10, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'exposed communication (s)'
  set label 1 'N = 131,072, W = 4, model' at screen 0.09062, screen 0.94104 left font ',13'
  set label 2 'cqs = ring = striped = zigzag =' at screen 0.09062, screen 0.93122 left font ',11' textcolor rgb '#d46207'
  set label 3 'all_gather_kv, bytes / bandwidth' at screen 0.09062, screen 0.92139 left font ',11' textcolor rgb '#d46207'
  set label 4 'striped = zigzag' at screen 0.09062, screen 0.91156 left font ',11' textcolor rgb '#e6a216'
  plot data every ::0::2 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::3::5 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::6::8 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::9::11 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::12::14 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::15::17 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::24::26 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::27::29 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::36::38 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 14 ps 0.75 lc rgb '#c877a5' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.48865
  set rmargin at screen 0.78667
  set tmargin at screen 0.89947
  set bmargin at screen 0.70295
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  set logscale y
  set yrange [1.0388037122333959e-05:29.05095760708001]
  set ytics nomirror out ('10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '1' 1, '10' 10, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'exposed communication (s)'
  set label 1 'N = 131,072, W = 8, model' at screen 0.48865, screen 0.94104 left font ',13'
  set label 2 'cqs_sharded = ring = striped = zigzag =' at screen 0.48865, screen 0.93122 left font ',11' textcolor rgb '#801a4d'
  set label 3 'all_gather_kv, bytes / bandwidth' at screen 0.48865, screen 0.92139 left font ',11' textcolor rgb '#801a4d'
  set label 4 'striped = zigzag' at screen 0.48865, screen 0.91156 left font ',11' textcolor rgb '#e6a216'
  plot data every ::42::44 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::45::47 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::48::50 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::51::53 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::54::56 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::57::59 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::66::68 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::69::71 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::78::80 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 14 ps 0.75 lc rgb '#c877a5' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.38865
  set tmargin at screen 0.59788
  set bmargin at screen 0.40136
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  set logscale y
  set yrange [1.0388037122333959e-05:29.05095760708001]
  set ytics nomirror out ('10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '1' 1, '10' 10, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'exposed communication (s)'
  set label 1 'N = 131,072, W = 128, model' at screen 0.09062, screen 0.62963 left font ',13'
  set label 2 'ring = striped = zigzag = all_gather_kv,' at screen 0.09062, screen 0.61980 left font ',11' textcolor rgb '#2572aa'
  set label 3 'bytes / bandwidth' at screen 0.09062, screen 0.60998 left font ',11' textcolor rgb '#2572aa'
  plot data every ::84::86 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::87::89 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::90::92 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::93::95 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::96::98 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::99::101 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::105::107 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::108::110 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::111::113 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.48865
  set rmargin at screen 0.78667
  set tmargin at screen 0.59788
  set bmargin at screen 0.40136
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  set logscale y
  set yrange [1.0388037122333959e-05:29.05095760708001]
  set ytics nomirror out ('10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '1' 1, '10' 10, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'exposed communication (s)'
  set label 1 'N = 1,048,576, W = 4, model' at screen 0.48865, screen 0.63946 left font ',13'
  set label 2 'cqs = ring = striped = zigzag =' at screen 0.48865, screen 0.62963 left font ',11' textcolor rgb '#d46207'
  set label 3 'all_gather_kv, bytes / bandwidth' at screen 0.48865, screen 0.61980 left font ',11' textcolor rgb '#d46207'
  set label 4 'striped = zigzag' at screen 0.48865, screen 0.60998 left font ',11' textcolor rgb '#e6a216'
  plot data every ::120::122 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::123::125 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::126::128 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::129::131 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::132::134 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::135::137 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::144::146 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::147::149 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::156::158 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 14 ps 0.75 lc rgb '#c877a5' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.38865
  set tmargin at screen 0.30612
  set bmargin at screen 0.10960
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  set logscale y
  set yrange [1.0388037122333959e-05:29.05095760708001]
  set ytics nomirror out ('10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '1' 1, '10' 10, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'exposed communication (s)'
  set label 1 'N = 1,048,576, W = 32, model' at screen 0.09062, screen 0.33787 left font ',13'
  set label 2 'ring = striped = zigzag = all_gather_kv,' at screen 0.09062, screen 0.32804 left font ',11' textcolor rgb '#2572aa'
  set label 3 'bytes / bandwidth' at screen 0.09062, screen 0.31822 left font ',11' textcolor rgb '#2572aa'
  plot data every ::162::164 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::165::167 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::168::170 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::171::173 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::174::176 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::177::179 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::180::182 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::186::188 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::189::191 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::192::194 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::198::200 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 14 ps 0.75 lc rgb '#c877a5' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.48865
  set rmargin at screen 0.78667
  set tmargin at screen 0.30612
  set bmargin at screen 0.10960
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  set logscale y
  set yrange [1.0388037122333959e-05:29.05095760708001]
  set ytics nomirror out ('10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '1' 1, '10' 10, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'exposed communication (s)'
  set label 1 'N = 1,048,576, W = 1,024, model' at screen 0.48865, screen 0.33787 left font ',13'
  set label 2 'ring = striped = zigzag = all_gather_kv,' at screen 0.48865, screen 0.32804 left font ',11' textcolor rgb '#2572aa'
  set label 3 'bytes / bandwidth' at screen 0.48865, screen 0.31822 left font ',11' textcolor rgb '#2572aa'
  plot data every ::204::206 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::207::209 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::210::212 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::213::215 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::216::218 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::219::221 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::225::227 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::228::230 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::231::233 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle
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
  set key at screen 0.81479, screen 0.89947 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' title 'cqs', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' title 'ulysses', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' title 'all_gather_kv', \
       NaN with linespoints dt (2,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'bytes / bandwidth'
  unset multiplot
}
unset output
