# Draws layer_time.svg, layer_time.pdf and layer_time.png from layer_time.csv: gnuplot layer_time.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'layer_time.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,483 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'layer_time' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.031in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,966 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'layer_time.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Time of a transformer layer' at screen 0.01875, screen 0.95031 left font ',16'
  set label 102 'B = 1, H = 12, d = 64, f32, full mask, both passes, flash kernel, cpu, serial ranks, all cores; 6 repeats; AMD EPYC, family 25 model 1 | 2 cores |' at screen 0.01875, screen 0.90476 left font ',11' textcolor rgb '#444444'
  set label 103 'avx2 | 24 GiB; qb 0.1.0; commit d0c284855df0; 2026-11-23' at screen 0.01875, screen 0.87164 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 6 repeats (96.9 % interval of the median).' at screen 0.01875, screen 0.06832 left font ',11' textcolor rgb '#444444'
  set label 105 'Dashed: the attention kernel alone, of the plain layer.' at screen 0.01875, screen 0.03520 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.37323
  set tmargin at screen 0.77226
  set bmargin at screen 0.23395
  set logscale x
  set xrange [107.63474115247547:4870.992343051145]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [2.0902311008415184:6120.102672371144]
  set ytics nomirror out ('10' 10, '100' 100, '1,000' 1000, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1)
  set ylabel 'time (ms)'
  set label 1 'Time' at screen 0.09062, screen 0.80538 left font ',13'
  plot data every ::0::5 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2572aa' notitle, \
       data every ::0::5 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::6::11 using (num('n_tokens')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::12::13 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::12::13 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.47323
  set rmargin at screen 0.75583
  set tmargin at screen 0.77226
  set bmargin at screen 0.23395
  set logscale x
  set xrange [1950.4761904761904:4300.8]
  set xtics nomirror out ('2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0.6934626037669074:1.3457242620910899]
  set ytics nomirror out ('0.8' 0.8, '1.0' 1, '1.2' 1.2000000000000002)
  set ylabel 'time in blocks / time plain'
  set label 1 'In blocks over plain' at screen 0.47323, screen 0.80538 left font ',13'
  plot data every ::14::15 using (num('n_tokens')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::14::15 using (num('n_tokens')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' notitle, \
       data every ::16::17 using (num('n_tokens')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.78396, screen 0.77226 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title 'plain', \
       NaN with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#d55e00' title 'attention, plain', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' title 'blocks of 1024 tokens', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'as long as plain'
  unset multiplot
}
unset output
