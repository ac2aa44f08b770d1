# Draws sparse_ablation.svg, sparse_ablation.pdf and sparse_ablation.png from sparse_ablation.csv: gnuplot sparse_ablation.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'sparse_ablation.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1377 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'sparse_ablation' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,14.344in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2754 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'sparse_ablation.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'One parameter of a pattern at a time' at screen 0.01875, screen 0.98257 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, flash kernel, cpu, serial ranks, all cores; 3 to 9 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.96659 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit 0c2cd2bb93d1; 2026-11-21' at screen 0.01875, screen 0.95497 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: 96.1 % interval of the median of 9 repeats in 40 of 52 points, min to max of 3 repeats (75.0 % interval of the median)' at screen 0.01875, screen 0.09368 left font ',11' textcolor rgb '#444444'
  set label 105 'in 5, of 6 repeats (96.9 %) in 4, of 4 repeats (87.5 %) in 1, of 5 repeats (93.8 %) in 1, of 7 repeats (98.4 %) in 1.' at screen 0.01875, screen 0.08206 left font ',11' textcolor rgb '#444444'
  set label 106 'Thin, left: the ideal, the time of dense flash at the same N × the share of pairs kept.' at screen 0.01875, screen 0.07044 left font ',11' textcolor rgb '#444444'
  set label 107 'Thin, right: the share of pairs that the kernel executes, tiles being all or nothing.' at screen 0.01875, screen 0.05882 left font ',11' textcolor rgb '#444444'
  set label 108 'Published: final report of the CMU 15-618 project Sparse Attention in CUDA (2023), one GeForce RTX 2080 against one CPU thread, f32, 8 heads of' at screen 0.01875, screen 0.04720 left font ',11' textcolor rgb '#444444'
  set label 109 '64, no spread given. Not comparable: its public code divides by the row sum without an exponential, does not check launches, and launches the' at screen 0.01875, screen 0.03558 left font ',11' textcolor rgb '#444444'
  set label 110 'softmax of full attention with an empty grid below N = 1024; the same cell differs between its tables by up to 42 %. The axes compare, the numbers' at screen 0.01875, screen 0.02397 left font ',11' textcolor rgb '#444444'
  set label 111 'do not.' at screen 0.01875, screen 0.01235 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.90123
  set bmargin at screen 0.71242
  set logscale x
  set xrange [13.928809012737986:294.066778879241]
  set xtics nomirror out ('20' 20, '50' 50, '100' 100, '200' 200, '' 30 1, '' 40 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set xlabel 'window (tokens)'
  set logscale y
  set yrange [0.04252928139877263:40.838550742403854]
  set ytics nomirror out ('0.1' 0.1, '1' 1, '10' 10, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1)
  set ylabel 'time (ms)'
  set label 1 'time against window (tokens)' at screen 0.09062, screen 0.93174 left font ',13'
  set label 2 'block_local and sliding_window, N =' at screen 0.09062, screen 0.92229 left font ',11' textcolor rgb '#1174b7'
  set label 3 '8,192, ideal' at screen 0.09062, screen 0.91285 left font ',11' textcolor rgb '#1174b7'
  plot data every ::0::4 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::0::4 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::5::9 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::10::14 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#1174b7' notitle, \
       data every ::10::14 using (num('x')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::15::19 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 4 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::20::24 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bb5b05' notitle, \
       data every ::20::24 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::25::29 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::30::34 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#bb5b05' notitle, \
       data every ::30::34 using (num('x')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::40::42 using (num('x')):(num('y')) with linespoints dt 2 lw 1.4 pt 14 ps 0.75 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.90123
  set bmargin at screen 0.71242
  set logscale x
  set xrange [13.928809012737986:294.066778879241]
  set xtics nomirror out ('20' 20, '50' 50, '100' 100, '200' 200, '' 30 1, '' 40 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set xlabel 'window (tokens)'
  set logscale y
  set yrange [0.1524431157197638:35.166593300184374]
  set ytics nomirror out ('0.3' 0.30000000000000004, '1' 1, '3' 3, '10' 10, '30' 30, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1)
  set ylabel 'share of all pairs (%)'
  set label 1 'pairs kept against window (tokens)' at screen 0.43854, screen 0.93174 left font ',13'
  set label 2 'block_local and sliding_window, N =' at screen 0.43854, screen 0.92229 left font ',11' textcolor rgb '#1174b7'
  set label 3 '8,192' at screen 0.43854, screen 0.91285 left font ',11' textcolor rgb '#1174b7'
  plot data every ::43::47 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::48::52 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::53::57 using (num('x')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::58::62 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 4 ps 0.75 lc rgb '#1174b7' notitle, \
       data every ::63::67 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::68::72 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#bb5b05' notitle, \
       data every ::78::82 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 4 ps 0.75 lc rgb '#bb5b05' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.60203
  set bmargin at screen 0.41322
  set logscale x
  set xrange [0.01687228617338621:0.7112254899355848]
  set xtics nomirror out ('0.03' 0.03, '0.1' 0.1, '0.3' 0.30000000000000004, '' 0.02 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1)
  set xlabel 'fraction of random keys'
  set logscale y
  set yrange [0.13584720988543933:1061.8439358409762]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '1,000' 1000, '' 0.2 1, '' 0.30000000000000004 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'time (ms)'
  set label 1 'time against fraction of random keys' at screen 0.09062, screen 0.61365 left font ',13'
  plot data every ::83::87 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::83::87 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::88::92 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::93::97 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#f2b00d' notitle, \
       data every ::93::97 using (num('x')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::98::102 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 4 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::103::107 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::103::107 using (num('x')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::108::112 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::113::117 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#c877a5' notitle, \
       data every ::113::117 using (num('x')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::118::122 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 10 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::123::127 using (num('x')):(num('y')) with linespoints dt 2 lw 1.4 pt 14 ps 0.75 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.60203
  set bmargin at screen 0.41322
  set logscale x
  set xrange [0.01687228617338621:0.7112254899355848]
  set xtics nomirror out ('0.03' 0.03, '0.1' 0.1, '0.3' 0.30000000000000004, '' 0.02 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1)
  set xlabel 'fraction of random keys'
  set logscale y
  set yrange [1.6042296577446533:121.74846603608177]
  set ytics nomirror out ('3' 3, '10' 10, '30' 30, '100' 100, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set ylabel 'share of all pairs (%)'
  set label 1 'pairs kept against fraction of random keys' at screen 0.43854, screen 0.65142 left font ',13'
  set label 2 'random, N = 1,024 and random, N =' at screen 0.43854, screen 0.64198 left font ',11' textcolor rgb '#f2b00d'
  set label 3 '8,192' at screen 0.43854, screen 0.63253 left font ',11' textcolor rgb '#f2b00d'
  set label 4 'random, N = 1,024, executed and' at screen 0.43854, screen 0.62309 left font ',11' textcolor rgb '#f2b00d'
  set label 5 'random, N = 8,192, executed' at screen 0.43854, screen 0.61365 left font ',11' textcolor rgb '#f2b00d'
  plot data every ::128::132 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::133::137 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#f2b00d' notitle, \
       data every ::148::152 using (num('x')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::153::157 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::158::162 using (num('x')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#c877a5' notitle, \
       data every ::163::167 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 10 ps 0.75 lc rgb '#c877a5' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.33854
  set tmargin at screen 0.34060
  set bmargin at screen 0.15178
  set logscale x
  set xrange [13.928809012737986:294.066778879241]
  set xtics nomirror out ('20' 20, '50' 50, '100' 100, '200' 200, '' 30 1, '' 40 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set xlabel 'global tokens'
  set logscale y
  set yrange [0.25324154025156603:57.75560663413548]
  set ytics nomirror out ('0.3' 0.30000000000000004, '1' 1, '3' 3, '10' 10, '30' 30, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1)
  set ylabel 'time (ms)'
  set label 1 'time against global tokens' at screen 0.09062, screen 0.35221 left font ',13'
  plot data every ::168::172 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::168::172 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::173::177 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::178::182 using (num('x')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#259f78' notitle, \
       data every ::178::182 using (num('x')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::183::187 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 4 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::188::190 using (num('x')):(num('y')) with linespoints dt 2 lw 1.4 pt 14 ps 0.75 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.43854
  set rmargin at screen 0.68646
  set tmargin at screen 0.34060
  set bmargin at screen 0.15178
  set logscale x
  set xrange [13.928809012737986:294.066778879241]
  set xtics nomirror out ('20' 20, '50' 50, '100' 100, '200' 200, '' 30 1, '' 40 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set xlabel 'global tokens'
  set logscale y
  set yrange [0.3082148748336075:55.39367448985057]
  set ytics nomirror out ('1' 1, '3' 3, '10' 10, '30' 30, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1)
  set ylabel 'share of all pairs (%)'
  set label 1 'pairs kept against global tokens' at screen 0.43854, screen 0.35221 left font ',13'
  plot data every ::191::195 using (num('x')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::196::200 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::201::205 using (num('x')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#259f78' notitle, \
       data every ::206::210 using (num('x')):(num('y')) with linespoints dt (7,3) lw 0.8 pt 4 ps 0.75 lc rgb '#259f78' notitle
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
  set key at screen 0.71458, screen 0.90123 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#1174b7' title 'block_local, N = 1,024', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#1174b7' title 'block_local, N = 8,192', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#bb5b05' title 'sliding_window, N = 1,024', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#bb5b05' title 'sliding_window, N = 8,192', \
       NaN with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'ideal: dense time × pairs kept', \
       NaN with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'pairs executed', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#f2b00d' title 'random, N = 1,024', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#f2b00d' title 'random, N = 8,192', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#c877a5' title 'random, block: 64, N = 1,024', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#c877a5' title 'random, block: 64, N = 8,192', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#259f78' title 'global, N = 1,024', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#259f78' title 'global, N = 8,192', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published: 15-618, RTX 2080'
  unset multiplot
}
unset output
