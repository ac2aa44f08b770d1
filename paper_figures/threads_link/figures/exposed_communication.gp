# Draws exposed_communication.svg, exposed_communication.pdf and exposed_communication.png from exposed_communication.csv: gnuplot exposed_communication.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'exposed_communication.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,569 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'exposed_communication' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.927in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1138 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'exposed_communication.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Communication that computing does not hide' at screen 0.01875, screen 0.95782 left font ',16'
  set label 102 'N = 4,096, W = 4, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, 4 threads; W = 4 on 2 cores; 6 repeats; AMD EPYC,' at screen 0.01875, screen 0.91916 left font ',11' textcolor rgb '#444444'
  set label 103 'family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.89104 left font ',11' textcolor rgb '#444444'
  set label 104 'Time in which the worker with most of it waited for data on its way, summed over steps, over the median wall clock of the case, so that an error' at screen 0.01875, screen 0.08612 left font ',11' textcolor rgb '#444444'
  set label 105 'bar may end above 100 %. Waiting for a peer that is not ready is not in it.' at screen 0.01875, screen 0.05800 left font ',11' textcolor rgb '#444444'
  set label 106 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median).' at screen 0.01875, screen 0.02988 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.81750
  set tmargin at screen 0.80668
  set bmargin at screen 0.22671
  set logscale x
  set xrange [0.0014158915687682758:2.8250750892455088]
  set xtics nomirror out ('0.01' 0.01, '0.1' 0.1, '1' 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1)
  set xlabel 'link bandwidth (GB/s)'
  unset logscale y
  set yrange [0:105.20599572944533]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'exposed communication (% of wall)'
  set label 1 'N = 4,096, W = 4, threads' at screen 0.09062, screen 0.83480 left font ',13'
  plot data every ::0::6 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent_low')):(0):(num('exposed_communication_percent_high') - num('exposed_communication_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::0::6 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::7::13 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent_low')):(0):(num('exposed_communication_percent_high') - num('exposed_communication_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::7::13 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::14::20 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent_low')):(0):(num('exposed_communication_percent_high') - num('exposed_communication_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::14::20 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::21::27 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent_low')):(0):(num('exposed_communication_percent_high') - num('exposed_communication_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::21::27 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::28::34 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent_low')):(0):(num('exposed_communication_percent_high') - num('exposed_communication_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::28::34 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::35::41 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent_low')):(0):(num('exposed_communication_percent_high') - num('exposed_communication_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::35::41 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_percent')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle
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
  set key at screen 0.84562, screen 0.80668 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' title 'ulysses', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' title 'all_gather_kv'
  unset multiplot
}
unset output
