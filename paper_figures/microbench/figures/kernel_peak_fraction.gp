# Draws kernel_peak_fraction.svg, kernel_peak_fraction.pdf and kernel_peak_fraction.png from kernel_peak_fraction.csv: gnuplot kernel_peak_fraction.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'kernel_peak_fraction.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,843 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'kernel_peak_fraction' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.781in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1686 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'kernel_peak_fraction.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Share of the measured peak against sequence length' at screen 0.01875, screen 0.97153 left font ',16'
  set label 102 'AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 7f9ccb82d904; 2026-11-24' at screen 0.01875, screen 0.94543 left font ',11' textcolor rgb '#444444'
  set label 103 'Ceiling: f32: FMA peak of the instruction set, bf16: of vdpbf16ps, both measured beside each repeat. f16 and materialized multiply in f32. Filled' at screen 0.01875, screen 0.05813 left font ',11' textcolor rgb '#444444'
  set label 104 'diamonds: flash; thin lines with hollow squares: materialized.' at screen 0.01875, screen 0.03915 left font ',11' textcolor rgb '#444444'
  set label 105 'Marks: medians; error bars: min to max of 4 repeats (87.5 % interval of the median) in 194 of 209 points, of 8 repeats (99.2 %) in 15.' at screen 0.01875, screen 0.02017 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.34625
  set tmargin at screen 0.88849
  set bmargin at screen 0.58007
  set logscale x
  set xrange [100.42676453078408:20882.401317998792]
  set xtics nomirror out ('128' 128, '512' 512, '2,048' 2048, '8,192' 8192, '' 256 1, '' 1024 1, '' 4096 1, '' 16384 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100)
  set ylabel 'share of the measured peak (%)'
  set label 1 'd = 64, causal mask' at screen 0.09062, screen 0.90747 left font ',13'
  plot data every ::0::7 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::0::7 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::8::15 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::8::15 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::16::23 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#60a98e' notitle, \
       data every ::16::23 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#60a98e' notitle, \
       data every ::24::31 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#285e4a' notitle, \
       data every ::24::31 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#285e4a' notitle, \
       data every ::32::39 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#aea9d1' notitle, \
       data every ::32::39 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#aea9d1' notitle, \
       data every ::40::47 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#413693' notitle, \
       data every ::40::47 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#413693' notitle, \
       data every ::48::54 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2e2388' notitle, \
       data every ::48::54 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 0.8 pt 4 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::55::56 using (num('n_tokens')):(num('peak_fraction_percent')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.44625
  set rmargin at screen 0.70187
  set tmargin at screen 0.88849
  set bmargin at screen 0.58007
  set logscale x
  set xrange [100.42676453078408:20882.401317998792]
  set xtics nomirror out ('128' 128, '512' 512, '2,048' 2048, '8,192' 8192, '' 256 1, '' 1024 1, '' 4096 1, '' 16384 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100)
  set ylabel 'share of the measured peak (%)'
  set label 1 'd = 64, full mask' at screen 0.44625, screen 0.90747 left font ',13'
  plot data every ::57::64 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::57::64 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::65::72 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::65::72 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::73::80 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#60a98e' notitle, \
       data every ::73::80 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#60a98e' notitle, \
       data every ::81::88 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#285e4a' notitle, \
       data every ::81::88 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#285e4a' notitle, \
       data every ::89::96 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#aea9d1' notitle, \
       data every ::89::96 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#aea9d1' notitle, \
       data every ::97::99 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#766fb1' notitle, \
       data every ::97::99 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#766fb1' notitle, \
       data every ::100::107 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#413693' notitle, \
       data every ::100::107 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#413693' notitle, \
       data every ::108::114 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#2e2388' notitle, \
       data every ::108::114 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 0.8 pt 4 ps 0.75 lc rgb '#2e2388' notitle, \
       data every ::115::116 using (num('n_tokens')):(num('peak_fraction_percent')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.34625
  set tmargin at screen 0.46145
  set bmargin at screen 0.15302
  set logscale x
  set xrange [100.42676453078408:20882.401317998792]
  set xtics nomirror out ('128' 128, '512' 512, '2,048' 2048, '8,192' 8192, '' 256 1, '' 1024 1, '' 4096 1, '' 16384 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100)
  set ylabel 'share of the measured peak (%)'
  set label 1 'd = 128, causal mask' at screen 0.09062, screen 0.48043 left font ',13'
  plot data every ::117::124 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::117::124 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::125::132 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::125::132 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::133::140 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#60a98e' notitle, \
       data every ::133::140 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#60a98e' notitle, \
       data every ::141::148 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#285e4a' notitle, \
       data every ::141::148 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#285e4a' notitle, \
       data every ::149::156 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#aea9d1' notitle, \
       data every ::149::156 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#aea9d1' notitle, \
       data every ::157::164 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#413693' notitle, \
       data every ::157::164 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#413693' notitle, \
       data every ::165::166 using (num('n_tokens')):(num('peak_fraction_percent')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.44625
  set rmargin at screen 0.70187
  set tmargin at screen 0.46145
  set bmargin at screen 0.15302
  set logscale x
  set xrange [100.42676453078408:20882.401317998792]
  set xtics nomirror out ('128' 128, '512' 512, '2,048' 2048, '8,192' 8192, '' 256 1, '' 1024 1, '' 4096 1, '' 16384 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100)
  set ylabel 'share of the measured peak (%)'
  set label 1 'd = 128, full mask' at screen 0.44625, screen 0.48043 left font ',13'
  plot data every ::167::174 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::167::174 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::175::182 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::175::182 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::183::190 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#60a98e' notitle, \
       data every ::183::190 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#60a98e' notitle, \
       data every ::191::198 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#285e4a' notitle, \
       data every ::191::198 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#285e4a' notitle, \
       data every ::199::206 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#aea9d1' notitle, \
       data every ::199::206 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#aea9d1' notitle, \
       data every ::207::214 using (num('n_tokens')):(num('peak_fraction_percent_low')):(0):(num('peak_fraction_percent_high') - num('peak_fraction_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#413693' notitle, \
       data every ::207::214 using (num('n_tokens')):(num('peak_fraction_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#413693' notitle, \
       data every ::215::216 using (num('n_tokens')):(num('peak_fraction_percent')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.73000, screen 0.88849 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#cc8f13' title 'bf16, 1 thread', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#704f0b' title 'bf16, 2 threads', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#60a98e' title 'f16, 1 thread', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#285e4a' title 'f16, 2 threads', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#aea9d1' title 'f32, 1 thread, avx2', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#413693' title 'f32, 2 threads', \
       NaN with linespoints lw 0.8 pt 4 ps 0.75 lc rgb '#2e2388' title 'materialized, f32, 2 threads', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#766fb1' title 'f32, 1 thread, sse4', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'measured peak'
  unset multiplot
}
unset output
