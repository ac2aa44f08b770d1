# Draws striped_speed_up.svg, striped_speed_up.pdf and striped_speed_up.png from striped_speed_up.csv: gnuplot striped_speed_up.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'striped_speed_up.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,923 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'striped_speed_up' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.615in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1846 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'striped_speed_up.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Speed-up of striped and zigzag over contiguous rings' at screen 0.01875, screen 0.97400 left font ',16'
  set label 102 'B = 1, H = 2, d = 64, f32, causal mask, flash kernel, cpu, serial ranks, 1 thread; 3 to 15 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 |' at screen 0.01875, screen 0.95016 left font ',11' textcolor rgb '#444444'
  set label 103 '24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.93283 left font ',11' textcolor rgb '#444444'
  set label 104 'Time of the forward pass in the contiguous ring over that of the same causal case, striped or zigzag: critical paths where ranks are serial, wall' at screen 0.01875, screen 0.12243 left font ',11' textcolor rgb '#444444'
  set label 105 'clocks otherwise. Error bars: quotients of the ends of the two intervals.' at screen 0.01875, screen 0.10509 left font ',11' textcolor rgb '#444444'
  set label 106 '1 of 36 marks lies above the limit with the whole error bar; the limit counts query-key pairs alone.' at screen 0.01875, screen 0.08776 left font ',11' textcolor rgb '#444444'
  set label 107 'Bounds of the critical path of a striped ring, c = N/W: by pairs [(c+1) + 2(W-1)c] / [W(c+1)], by tiles the same in n = c/tile; our tiles, in' at screen 0.01875, screen 0.07042 left font ',11' textcolor rgb '#444444'
  set label 108 'tokens a side: 752 (W = 2, 4, 8, from the executed pairs of the longest ring case); published tiles: 2048 query rows.' at screen 0.01875, screen 0.05309 left font ',11' textcolor rgb '#444444'
  set label 109 'Published: Striped Attention (arXiv 2311.09431), tables 3 to 5; W is the sequence-parallel side of the mesh. Those are whole training steps,' at screen 0.01875, screen 0.03575 left font ',11' textcolor rgb '#444444'
  set label 110 'backward pass, projections and feed-forward layers included, so they lie below what attention alone gains and are not comparable with ours.' at screen 0.01875, screen 0.01842 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.88082
  set bmargin at screen 0.59913
  set logscale x
  set xrange [190.1180731634065:132369.44589886503]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'tokens a worker N/W'
  unset logscale y
  set yrange [0.8569347697994312:2.244369834211946]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2)
  set ylabel 'ring time / time'
  set label 1 'W = 2' at screen 0.09062, screen 0.89816 left font ',13'
  plot data every ::0::5 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::0::5 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::6::11 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::6::11 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::12::15 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::16::80 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 0.6 lc rgb '#000000' notitle, \
       data every ::81::145 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 1.8 lc rgb '#000000' notitle, \
       data every ::146::210 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::211::212 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.88082
  set bmargin at screen 0.59913
  set logscale x
  set xrange [190.1180731634065:132369.44589886503]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'tokens a worker N/W'
  unset logscale y
  set yrange [0.8569347697994312:2.244369834211946]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2)
  set ylabel 'ring time / time'
  set label 1 'W = 4' at screen 0.45010, screen 0.89816 left font ',13'
  plot data every ::213::218 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::213::218 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::219::224 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::219::224 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::225::228 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::229::235 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::236::242 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::243::249 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::250::314 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 0.6 lc rgb '#000000' notitle, \
       data every ::315::379 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 1.8 lc rgb '#000000' notitle, \
       data every ::380::444 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::445::446 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.49079
  set bmargin at screen 0.20910
  set logscale x
  set xrange [190.1180731634065:132369.44589886503]
  set xtics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'tokens a worker N/W'
  unset logscale y
  set yrange [0.8569347697994312:2.244369834211946]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2)
  set ylabel 'ring time / time'
  set label 1 'W = 8' at screen 0.09062, screen 0.50813 left font ',13'
  plot data every ::447::452 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::447::452 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::453::458 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::453::458 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::459::462 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::463::469 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::470::476 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::477::482 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::483::547 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 0.6 lc rgb '#000000' notitle, \
       data every ::548::612 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 1.8 lc rgb '#000000' notitle, \
       data every ::613::677 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::678::679 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.73771, screen 0.88082 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' title 'zigzag', \
       NaN with lines dt (7,3) lw 0.6 lc rgb '#000000' title 'bound, pairs', \
       NaN with lines dt (7,3) lw 1.8 lc rgb '#000000' title 'bound, our tiles', \
       NaN with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' title 'bound, published tiles', \
       NaN with lines dt 2 lw 1.8 lc rgb '#e6a216' title 'published, A100 80GB NVLink', \
       NaN with lines dt 2 lw 1.8 lc rgb '#6e6e6e' title 'published, TPU v4', \
       NaN with points pt 6 ps 0.9 lc rgb '#6e6e6e' title 'published, 1B parameters', \
       NaN with points pt 4 ps 0.9 lc rgb '#6e6e6e' title 'published, 3B parameters', \
       NaN with points pt 8 ps 0.9 lc rgb '#6e6e6e' title 'published, 7B parameters', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'limit 2 - 1/W'
  unset multiplot
}
unset output
