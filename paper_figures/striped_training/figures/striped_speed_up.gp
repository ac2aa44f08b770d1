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
  set label 102 'B = 1, H = 2, d = 64, f32, causal mask, both passes, flash kernel, cpu; W = 2 on 2 cores; 3 to 15 repeats; AMD EPYC, family 25 model 1 | 2 cores |' at screen 0.01875, screen 0.95016 left font ',11' textcolor rgb '#444444'
  set label 103 'avx2 | 24 GiB; qb 0.1.0; commit b27365e418f7; 2026-11-24' at screen 0.01875, screen 0.93283 left font ',11' textcolor rgb '#444444'
  set label 104 'Time of the forward pass and the backward pass, added up, in the contiguous ring over that of the same causal case, striped or zigzag: critical' at screen 0.01875, screen 0.12243 left font ',11' textcolor rgb '#444444'
  set label 105 'paths where ranks are serial, wall clocks otherwise. Error bars: quotients of the ends of the two intervals.' at screen 0.01875, screen 0.10509 left font ',11' textcolor rgb '#444444'
  set label 106 'Bounds of the critical path of a striped ring, c = N/W: by pairs [(c+1) + 2(W-1)c] / [W(c+1)], by tiles the same in n = c/tile; our tiles, in' at screen 0.01875, screen 0.08776 left font ',11' textcolor rgb '#444444'
  set label 107 'tokens a side: 736 (W = 2, 4, 8, from the executed pairs of the longest ring case); published tiles: 2048 query rows.' at screen 0.01875, screen 0.07042 left font ',11' textcolor rgb '#444444'
  set label 108 'Published: Striped Attention (arXiv 2311.09431), tables 3 to 5; W is the sequence-parallel side of the mesh. Those are whole training steps, with' at screen 0.01875, screen 0.05309 left font ',11' textcolor rgb '#444444'
  set label 109 'projections and feed-forward layers, which no layout makes faster: they lie below what the two passes of attention alone gain.' at screen 0.01875, screen 0.03575 left font ',11' textcolor rgb '#444444'
  set label 110 'Hollow: 2 marks of measurements that something disturbed: measure again.' at screen 0.01875, screen 0.01842 left font ',11' textcolor rgb '#444444'

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
  set yrange [0.6981178421743723:2.206779969274402]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2)
  set ylabel 'ring time / time'
  set label 1 'W = 2' at screen 0.09062, screen 0.89816 left font ',13'
  plot data every ::0::4 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc8f13' notitle, \
       data every ::0::4 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#cc8f13' notitle, \
       data every ::0::4 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::5::9 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#704f0b' notitle, \
       data every ::5::9 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#704f0b' notitle, \
       data every ::5::9 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::10::14 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#60a98e' notitle, \
       data every ::10::14 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#60a98e' notitle, \
       data every ::10::14 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::15::19 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#285e4a' notitle, \
       data every ::15::19 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#285e4a' notitle, \
       data every ::15::19 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::20::23 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::20::23 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::24::88 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 0.6 lc rgb '#000000' notitle, \
       data every ::89::153 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 1.8 lc rgb '#000000' notitle, \
       data every ::154::218 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::219::220 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set yrange [0.6981178421743723:2.206779969274402]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2)
  set ylabel 'ring time / time'
  set label 1 'W = 4' at screen 0.45010, screen 0.89816 left font ',13'
  plot data every ::221::225 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::221::225 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::221::225 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::226::230 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::226::230 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::226::230 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::231::234 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::231::234 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::235::241 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::235::241 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::242::248 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::242::248 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::249::255 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::249::255 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::256::320 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 0.6 lc rgb '#000000' notitle, \
       data every ::321::385 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 1.8 lc rgb '#000000' notitle, \
       data every ::386::450 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::451::452 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set yrange [0.6981178421743723:2.206779969274402]
  set ytics nomirror out ('1.0' 1, '1.5' 1.5, '2.0' 2)
  set ylabel 'ring time / time'
  set label 1 'W = 8' at screen 0.09062, screen 0.50813 left font ',13'
  plot data every ::453::457 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e6a216' notitle, \
       data every ::453::457 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::453::457 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::458::462 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#409877' notitle, \
       data every ::458::462 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#409877' notitle, \
       data every ::458::462 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 11 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::463::466 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::463::466 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::467::473 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::467::473 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 7 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::474::480 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::474::480 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 5 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::481::486 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::481::486 using (num('tokens_per_worker')):(column('disturbed') > 0 ? (num('speed_up_ratio')) : NaN) with points pt 9 ps 0.4 lc rgb '#ffffff' notitle, \
       data every ::487::551 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 0.6 lc rgb '#000000' notitle, \
       data every ::552::616 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 1.8 lc rgb '#000000' notitle, \
       data every ::617::681 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::682::683 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  plot NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#cc8f13' title 'striped, serial', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#704f0b' title 'striped, threads', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#60a98e' title 'zigzag, serial', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#285e4a' title 'zigzag, threads', \
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
