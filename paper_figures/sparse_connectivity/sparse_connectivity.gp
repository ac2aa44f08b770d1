# Draws sparse_connectivity.svg, sparse_connectivity.pdf and sparse_connectivity.png from sparse_connectivity.csv: gnuplot sparse_connectivity.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'sparse_connectivity.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1411 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'sparse_connectivity' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,14.698in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2822 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'sparse_connectivity.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Which pairs of tokens each pattern keeps' at screen 0.01875, screen 0.98299 left font ',16'
  set label 102 'Coloured: the query sees the key.' at screen 0.01875, screen 0.05741 left font ',11' textcolor rgb '#444444'
  set label 103 'Row by row: {block_local: {block: 8}}; {sliding_window: {left: 4, right: 3}}; {variable_window: {sizes: [4, 32, 16, 12]}}; {dilated_window: {left:' at screen 0.01875, screen 0.04607 left font ',11' textcolor rgb '#444444'
  set label 104 '4, right: 4, dilation: 4}}; {global: {tokens: 4}}; {random: {fraction: 0.1, block: 1}}; {random: {blocks: 2, block: 8}}; {strided: {stride: 8}};' at screen 0.01875, screen 0.03473 left font ',11' textcolor rgb '#444444'
  set label 105 '{fixed: {block: 8, summary: 2}}; {longformer: {left: 4, right: 3, tokens: 4}}; {bigbird: {left: 4, right: 3, tokens: 4, random_blocks: 2, block:' at screen 0.01875, screen 0.02339 left font ',11' textcolor rgb '#444444'
  set label 106 '4}}; {all_of: [causal, {longformer: {left: 8, right: 0, tokens: 4}}]}.' at screen 0.01875, screen 0.01205 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.31771
  set tmargin at screen 0.94472
  set bmargin at screen 0.79022
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'block_local: 12.5 % kept' at screen 0.09062, screen 0.95606 left font ',13'
  plot data every ::0::7 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#1174b7' lw 0.5 fc rgb '#1174b7' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.41771
  set rmargin at screen 0.64479
  set tmargin at screen 0.94472
  set bmargin at screen 0.79022
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'sliding_window: 12.1 % kept' at screen 0.41771, screen 0.95606 left font ',13'
  plot data every ::8::71 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#bb5b05' lw 0.5 fc rgb '#bb5b05' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.74479
  set rmargin at screen 0.97188
  set tmargin at screen 0.94472
  set bmargin at screen 0.79022
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'variable_window: 35.2 % kept' at screen 0.74479, screen 0.95606 left font ',13'
  plot data every ::72::75 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#35208a' lw 0.5 fc rgb '#35208a' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.31771
  set tmargin at screen 0.71935
  set bmargin at screen 0.56485
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'dilated_window: 12.1 % kept' at screen 0.09062, screen 0.73069 left font ',13'
  plot data every ::76::571 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#6a1342' lw 0.5 fc rgb '#6a1342' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.41771
  set rmargin at screen 0.64479
  set tmargin at screen 0.71935
  set bmargin at screen 0.56485
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'global: 12.1 % kept' at screen 0.41771, screen 0.73069 left font ',13'
  plot data every ::572::573 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#259f78' lw 0.5 fc rgb '#259f78' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.74479
  set rmargin at screen 0.97188
  set tmargin at screen 0.71935
  set bmargin at screen 0.56485
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'random: 9.38 % kept' at screen 0.74479, screen 0.73069 left font ',13'
  plot data every ::574::909 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2b00d' lw 0.5 fc rgb '#f2b00d' notitle
  unset label
  unset key

  # panel 7
  set lmargin at screen 0.09062
  set rmargin at screen 0.31771
  set tmargin at screen 0.49398
  set bmargin at screen 0.33948
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'random: 25 % kept' at screen 0.09062, screen 0.50532 left font ',13'
  plot data every ::910::920 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2b00d' lw 0.5 fc rgb '#f2b00d' notitle
  unset label
  unset key

  # panel 8
  set lmargin at screen 0.41771
  set rmargin at screen 0.64479
  set tmargin at screen 0.49398
  set bmargin at screen 0.33948
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'strided: 33 % kept' at screen 0.41771, screen 0.50532 left font ',13'
  plot data every ::921::1320 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#a39a43' lw 0.5 fc rgb '#a39a43' notitle
  unset label
  unset key

  # panel 9
  set lmargin at screen 0.74479
  set rmargin at screen 0.97188
  set tmargin at screen 0.49398
  set bmargin at screen 0.33948
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'fixed: 34.4 % kept' at screen 0.74479, screen 0.50532 left font ',13'
  plot data every ::1321::1341 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#824504' lw 0.5 fc rgb '#824504' notitle
  unset label
  unset key

  # panel 10
  set lmargin at screen 0.09062
  set rmargin at screen 0.31771
  set tmargin at screen 0.26860
  set bmargin at screen 0.11410
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'longformer: 23.4 % kept' at screen 0.09062, screen 0.27994 left font ',13'
  plot data every ::1342::1403 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#af799e' lw 0.5 fc rgb '#af799e' notitle
  unset label
  unset key

  # panel 11
  set lmargin at screen 0.41771
  set rmargin at screen 0.64479
  set tmargin at screen 0.26860
  set bmargin at screen 0.11410
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'bigbird: 33.3 % kept' at screen 0.41771, screen 0.27994 left font ',13'
  plot data every ::1404::1485 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#33b5f3' lw 0.5 fc rgb '#33b5f3' notitle
  unset label
  unset key

  # panel 12
  set lmargin at screen 0.74479
  set rmargin at screen 0.97188
  set tmargin at screen 0.26860
  set bmargin at screen 0.11410
  unset logscale x
  set xrange [0:64]
  set xtics nomirror out ('0' 0, '32' 32, '64' 64)
  set xlabel 'key token'
  unset logscale y
  set yrange [64:0]
  set ytics nomirror out ('0' 0, '32' 32, '64' 64)
  set ylabel 'query token'
  set label 1 'causal longformer: 18.4 % kept' at screen 0.74479, screen 0.27994 left font ',13'
  plot data every ::1486::1550 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#3d7248' lw 0.5 fc rgb '#3d7248' notitle
  unset label
  unset key
  unset multiplot
}
unset output
