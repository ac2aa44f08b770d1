# Draws layer_memory.svg, layer_memory.pdf and layer_memory.png from layer_memory.csv: gnuplot layer_memory.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'layer_memory.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,549 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'layer_memory' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.719in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1098 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'layer_memory.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Peak active memory of a transformer layer' at screen 0.01875, screen 0.95628 left font ',16'
  set label 102 'B = 1, H = 12, d = 64, f32, full mask, both passes, flash kernel, cpu, serial ranks, all cores; 6 repeats; AMD EPYC, family 25 model 1 | 2 cores |' at screen 0.01875, screen 0.91621 left font ',11' textcolor rgb '#444444'
  set label 103 'avx2 | 24 GiB; qb 0.1.0; commit d0c284855df0; 2026-11-23' at screen 0.01875, screen 0.88707 left font ',11' textcolor rgb '#444444'
  set label 104 'Weights, hidden states, output and every buffer alive at the worst moment, as the memory ledger counts them; 8 of 8 peaks are the predicted ones' at screen 0.01875, screen 0.08925 left font ',11' textcolor rgb '#444444'
  set label 105 'to the byte.' at screen 0.01875, screen 0.06011 left font ',11' textcolor rgb '#444444'
  set label 106 'At N = 4,096 plain takes 1.48 × the memory of blocks of 1024 tokens.' at screen 0.01875, screen 0.03097 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.83607
  set bmargin at screen 0.23497
  set logscale x
  set xrange [107.63474115247547:4870.992343051145]
  set xtics nomirror out ('128' 128, '256' 256, '512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:325.8319921875]
  set ytics nomirror out ('0' 0, '100' 100, '200' 200, '300' 300)
  set ylabel 'peak active memory (MiB)'
  plot data every ::0::5 using (num('n_tokens')):(num('active_memory_peak_mib')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' notitle, \
       data every ::6::7 using (num('n_tokens')):(num('active_memory_peak_mib')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' notitle
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
  set key at screen 0.78396, screen 0.83607 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title 'plain', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' title 'blocks of 1024 tokens'
  unset multiplot
}
unset output
