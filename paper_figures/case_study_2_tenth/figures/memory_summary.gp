# Draws memory_summary.svg, memory_summary.pdf and memory_summary.png from memory_summary.csv: gnuplot memory_summary.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'memory_summary.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,779 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'memory_summary' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.115in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1558 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'memory_summary.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Subsequence lengths of the workers' at screen 0.01875, screen 0.96919 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, materialized kernel, cpu, serial ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.94095 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit fff30970ba19; 2026-11-23' at screen 0.01875, screen 0.92041 left font ',11' textcolor rgb '#444444'
  set label 104 'First panel: light bar from the shortest to the longest subsequence, mark and whiskers are mean and standard deviation over workers. Peak memory' at screen 0.01875, screen 0.06290 left font ',11' textcolor rgb '#444444'
  set label 105 'of a materialized score matrix grows with the square of the longest.' at screen 0.01875, screen 0.04236 left font ',11' textcolor rgb '#444444'
  set label 106 'Other panels: how many workers hold how many tokens.' at screen 0.01875, screen 0.02182 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.31771
  set tmargin at screen 0.85879
  set bmargin at screen 0.57638
  unset logscale x
  set xrange [-0.53:4.529999999999999]
  set xtics nomirror out ('1' 0, '4' 1, '7' 2, '8' 3, '31' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:105.99999999999999]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'subsequence length (% of N)'
  set label 1 'N = 4,900' at screen 0.09062, screen 0.87933 left font ',13'
  plot data every ::0::0 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::1::1 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::1::1 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::2::2 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::3::3 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::3::3 using (num('x')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::4::4 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::5::5 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::5::5 using (num('x')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::6::6 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::7::7 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::7::7 using (num('x')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::8::8 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::9::9 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::9::9 using (num('x')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.41771
  set rmargin at screen 0.64479
  set tmargin at screen 0.85879
  set bmargin at screen 0.57638
  unset logscale x
  set xrange [2387.1:3759.9]
  set xtics nomirror out ('2,500' 2500, '3,000' 3000, '3,500' 3500)
  set xlabel 'subsequence length (tokens)'
  unset logscale y
  set yrange [0:2.12]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2)
  set ylabel 'workers'
  set label 1 'W = 4' at screen 0.41771, screen 0.87933 left font ',13'
  plot data every ::10::11 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e69f00' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.74479
  set rmargin at screen 0.97188
  set tmargin at screen 0.85879
  set bmargin at screen 0.57638
  unset logscale x
  set xrange [2097.5:2102.5]
  set xtics nomirror out ('2,100' 2100)
  set xlabel 'subsequence length (tokens)'
  unset logscale y
  set yrange [0:7.42]
  set ytics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6)
  set ylabel 'workers'
  set label 1 'W = 7' at screen 0.74479, screen 0.87933 left font ',13'
  plot data every ::12::12 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#0072b2' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.31771
  set tmargin at screen 0.44801
  set bmargin at screen 0.16560
  unset logscale x
  set xrange [2447.5:2452.5]
  set xtics nomirror out ('2,449' 2449, '2,450' 2450, '2,451' 2451)
  set xlabel 'subsequence length (tokens)'
  unset logscale y
  set yrange [0:3.18]
  set ytics nomirror out ('0' 0, '1' 1, '2' 2, '3' 3)
  set ylabel 'workers'
  set label 1 'W = 8' at screen 0.09062, screen 0.46855 left font ',13'
  plot data every ::13::15 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#009e73' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.41771
  set rmargin at screen 0.64479
  set tmargin at screen 0.44801
  set bmargin at screen 0.16560
  unset logscale x
  set xrange [946.5:951.5]
  set xtics nomirror out ('948' 948, '949' 949, '950' 950)
  set xlabel 'subsequence length (tokens)'
  unset logscale y
  set yrange [0:21.200000000000003]
  set ytics nomirror out ('0' 0, '5' 5, '10' 10, '15' 15, '20' 20)
  set ylabel 'workers'
  set label 1 'W = 31' at screen 0.41771, screen 0.46855 left font ',13'
  plot data every ::16::18 using (num('x')):(num('y')):(num('x_low')):(num('x_high')):(num('y_low')):(num('y_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d55e00' notitle
  unset label
  unset key
  unset multiplot
}
unset output
