# Draws exposed_time.svg, exposed_time.pdf and exposed_time.png from exposed_time.csv: gnuplot exposed_time.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'exposed_time.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,630 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'exposed_time' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,6.562in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1260 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'exposed_time.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Communication that computing does not hide' at screen 0.01875, screen 0.96190 left font ',16'
  set label 102 'N = 4,096, W = 4, B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, mpi ranks, 1 thread; W = 4 on 2 cores; 6 to 11 repeats; AMD EPYC,' at screen 0.01875, screen 0.92698 left font ',11' textcolor rgb '#444444'
  set label 103 'family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.90159 left font ',11' textcolor rgb '#444444'
  set label 104 'Time in which a worker waited for data on its way, summed over steps: of the one that ends last, before schema 11 of the one with most of it;' at screen 0.01875, screen 0.15397 left font ',11' textcolor rgb '#444444'
  set label 105 'median. Thin: what the busiest worker sends over the link''s bandwidth, which is what would be exposed if nothing were hidden behind computing. A' at screen 0.01875, screen 0.12857 left font ',11' textcolor rgb '#444444'
  set label 106 'line below its thin one hides the difference; one above it waits for more than the link.' at screen 0.01875, screen 0.10317 left font ',11' textcolor rgb '#444444'
  set label 107 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median) in 38 of 42 points, 98.8 % interval of the median of 11' at screen 0.01875, screen 0.07778 left font ',11' textcolor rgb '#444444'
  set label 108 'repeats in 4.' at screen 0.01875, screen 0.05238 left font ',11' textcolor rgb '#444444'
  set label 109 'Hollow: 8 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.02698 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.78667
  set tmargin at screen 0.80476
  set bmargin at screen 0.28095
  set logscale x
  set xrange [0.0014158915687682758:2.8250750892455088]
  set xtics nomirror out ('0.01' 0.01, '0.1' 0.1, '1' 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1)
  set xlabel 'link bandwidth (GB/s)'
  set logscale y
  set yrange [3.4121556634956095e-06:17.89621249420214]
  set ytics nomirror out ('10⁻⁵' 1e-05, '10⁻⁴' 1e-04, '10⁻³' 0.001, '10⁻²' 0.01, '10⁻¹' 0.1, '1' 1, '10' 10, '' 4e-06 1, '' 4.9999999999999996e-06 1, '' 6e-06 1, '' 7e-06 1, '' 8e-06 1, '' 9e-06 1, '' 2e-05 1, '' 3.0000000000000004e-05 1, '' 4e-05 1, '' 5e-05 1, '' 6.000000000000001e-05 1, '' 7.000000000000001e-05 1, '' 8e-05 1, '' 9e-05 1, '' 2e-04 1, '' 0.00030000000000000003 1, '' 4e-04 1, '' 5e-04 1, '' 0.0006000000000000001 1, '' 7e-04 1, '' 8e-04 1, '' 0.0009000000000000001 1, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009000000000000001 1, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set ylabel 'exposed communication (s)'
  set label 1 'N = 4,096, W = 4, mpi' at screen 0.09062, screen 0.85079 left font ',13'
  set label 2 'ring = striped = zigzag = all_gather_kv, bytes / bandwidth' at screen 0.09062, screen 0.83016 left font ',11' textcolor rgb '#2572aa'
  plot data every ::0::6 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s_low')):(0):(num('exposed_communication_s_high') - num('exposed_communication_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8a520d' notitle, \
       data every ::0::6 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' notitle, \
       data every ::0::6 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::7::13 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s_low')):(0):(num('exposed_communication_s_high') - num('exposed_communication_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#801a4d' notitle, \
       data every ::7::13 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::7::13 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::14::20 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s_low')):(0):(num('exposed_communication_s_high') - num('exposed_communication_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::14::20 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::14::20 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::21::27 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s_low')):(0):(num('exposed_communication_s_high') - num('exposed_communication_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::21::27 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::21::27 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::28::34 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s_low')):(0):(num('exposed_communication_s_high') - num('exposed_communication_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::28::34 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::28::34 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::35::41 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s_low')):(0):(num('exposed_communication_s_high') - num('exposed_communication_s_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::35::41 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::35::41 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::49::55 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 12 ps 0.75 lc rgb '#801a4d' notitle, \
       data every ::49::55 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 13 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::56::62 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 8 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::56::62 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::70::76 using (num('link_bandwidth_gb_per_s')):(num('exposed_communication_s')) with linespoints dt (2,3) lw 0.8 pt 14 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::70::76 using (num('link_bandwidth_gb_per_s')):(column('disturbed') > 0 ? (num('exposed_communication_s')) : NaN) with points pt 15 ps 0.4 lc rgb '#ffffff' notitle
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
  set key at screen 0.81479, screen 0.80476 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#801a4d' title 'cqs_sharded', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#2572aa' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#c877a5' title 'ulysses', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8a520d' title 'all_gather_kv', \
       NaN with linespoints dt (2,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'bytes / bandwidth'
  unset multiplot
}
unset output
