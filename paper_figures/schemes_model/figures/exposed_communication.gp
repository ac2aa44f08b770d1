# Draws exposed_communication.svg, exposed_communication.pdf and exposed_communication.png from exposed_communication.csv: gnuplot exposed_communication.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'exposed_communication.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1261 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'exposed_communication' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.135in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2522 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'exposed_communication.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Communication that computing does not hide' at screen 0.01875, screen 0.98097 left font ',16'
  set label 102 'B = 1, H = 32, d = 128, bf16, causal mask, flash kernel, modelled A100; qb 0.1.0; commit 9b741e1ba2e7; 2026-11-21' at screen 0.01875, screen 0.96352 left font ',11' textcolor rgb '#444444'
  set label 103 'Time in which the worker with most of it waited for data on its way, summed over steps, over the median wall clock of the case, so that an error' at screen 0.01875, screen 0.06423 left font ',11' textcolor rgb '#444444'
  set label 104 'bar may end above 100 %. Waiting for a peer that is not ready is not in it.' at screen 0.01875, screen 0.05155 left font ',11' textcolor rgb '#444444'
  set label 105 'cqs, modelled: a worker''s first step begins when the root''s link has served those before it, which is in the wall clock and not in what is' at screen 0.01875, screen 0.03886 left font ',11' textcolor rgb '#444444'
  set label 106 'exposed.' at screen 0.01875, screen 0.02617 left font ',11' textcolor rgb '#444444'
  set label 107 'Not drawn: 4 of 10 panels (beyond 6 spread over N, W and ranks); 12 of 210 cases (unsupported).' at screen 0.01875, screen 0.01348 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.91515
  set bmargin at screen 0.70896
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  unset logscale y
  set yrange [0:105.99867246998771]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'exposed communication (% of wall)'
  set label 1 'N = 131,072, W = 4, model' at screen 0.09062, screen 0.93814 left font ',13'
  set label 2 'striped = zigzag' at screen 0.09062, screen 0.92784 left font ',11' textcolor rgb '#e6a216'
  plot data every ::0::2 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::3::5 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::6::8 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::9::11 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::12::14 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::15::17 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.91515
  set bmargin at screen 0.70896
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  unset logscale y
  set yrange [0:105.99867246998771]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'exposed communication (% of wall)'
  set label 1 'N = 131,072, W = 8, model' at screen 0.50406, screen 0.92784 left font ',13'
  plot data every ::21::23 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::24::26 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::27::29 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::30::32 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::33::35 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::36::38 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::39::41 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.61935
  set bmargin at screen 0.41316
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  unset logscale y
  set yrange [0:105.99867246998771]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'exposed communication (% of wall)'
  set label 1 'N = 131,072, W = 128, model' at screen 0.09062, screen 0.63204 left font ',13'
  plot data every ::42::44 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::45::47 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::48::50 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::51::53 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::54::56 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::57::59 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.61935
  set bmargin at screen 0.41316
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  unset logscale y
  set yrange [0:105.99867246998771]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'exposed communication (% of wall)'
  set label 1 'N = 1,048,576, W = 4, model' at screen 0.50406, screen 0.64235 left font ',13'
  set label 2 'striped = zigzag' at screen 0.50406, screen 0.63204 left font ',11' textcolor rgb '#e6a216'
  plot data every ::60::62 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::63::65 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::66::68 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::69::71 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::72::74 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::75::77 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.33386
  set bmargin at screen 0.12768
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  unset logscale y
  set yrange [0:105.99867246998771]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'exposed communication (% of wall)'
  set label 1 'N = 1,048,576, W = 32, model' at screen 0.09062, screen 0.34655 left font ',13'
  plot data every ::81::83 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::84::86 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::87::89 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::90::92 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::93::95 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::96::98 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::99::101 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.33386
  set bmargin at screen 0.12768
  set logscale x
  set xrange [0.9503847324416648:394.5770456945106]
  set xtics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set xlabel 'link bandwidth (GB/s)'
  unset logscale y
  set yrange [0:105.99867246998771]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'exposed communication (% of wall)'
  set label 1 'N = 1,048,576, W = 1,024, model' at screen 0.50406, screen 0.34655 left font ',13'
  plot data every ::102::104 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::105::107 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::108::110 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::111::113 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::114::116 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::117::119 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle
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
  set key at screen 0.84562, screen 0.91515 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
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
