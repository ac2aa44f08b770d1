# Draws memory_summary.svg, memory_summary.pdf and memory_summary.png from memory_summary.csv: gnuplot memory_summary.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'memory_summary.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,585 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'memory_summary' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,6.094in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1170 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'memory_summary.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Subsequence lengths of the workers' at screen 0.01875, screen 0.95897 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f16, full mask, materialized kernel, cpu, serial ranks, all cores; 3 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 |' at screen 0.01875, screen 0.92137 left font ',11' textcolor rgb '#444444'
  set label 103 '24 GiB; qb 0.1.0; commit 1fe5046ed490; 2026-11-24' at screen 0.01875, screen 0.89402 left font ',11' textcolor rgb '#444444'
  set label 104 'First panel: light bar from the shortest to the longest subsequence, mark and whiskers are mean and standard deviation over workers. Peak memory' at screen 0.01875, screen 0.11111 left font ',11' textcolor rgb '#444444'
  set label 105 'of a materialized score matrix grows with the square of the longest.' at screen 0.01875, screen 0.08376 left font ',11' textcolor rgb '#444444'
  set label 106 'Other panels: how many workers hold how many tokens.' at screen 0.01875, screen 0.05641 left font ',11' textcolor rgb '#444444'
  set label 107 'Not drawn: 3 histograms (at most 3 lengths, whose range is in the first panel).' at screen 0.01875, screen 0.02906 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.48125
  set tmargin at screen 0.81197
  set bmargin at screen 0.24786
  unset logscale x
  set xrange [-0.53:4.529999999999999]
  set xtics nomirror out ('1' 0, '4' 1, '7' 2, '8' 3, '31' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'subsequence length (% of N)'
  set label 1 'N = 30,000' at screen 0.09062, screen 0.83932 left font ',13'
  plot data every ::0::0 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::1::1 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::1::1 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::2::2 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::3::3 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::3::3 using (num('x')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::4::4 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::5::5 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::5::5 using (num('x')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::6::6 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::7::7 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::7::7 using (num('x')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::8::8 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::9::9 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::9::9 using (num('x')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.58125
  set rmargin at screen 0.97188
  set tmargin at screen 0.81197
  set bmargin at screen 0.24786
  unset logscale x
  set xrange [9481.25:9486.75]
  set xtics nomirror out ('9,482' 9482, '9,484' 9484, '9,486' 9486)
  set xlabel 'subsequence length (tokens)'
  unset logscale y
  set yrange [0:10.600000000000001]
  set ytics nomirror out ('0' 0, '3' 3, '6' 6, '9' 9)
  set ylabel 'workers'
  set label 1 'W = 31, N = 49,000' at screen 0.58125, screen 0.83932 left font ',13'
  plot data every ::10::14 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle
  unset label
  unset key
  unset multiplot
}
unset output
