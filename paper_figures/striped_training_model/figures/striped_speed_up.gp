# Draws striped_speed_up.svg, striped_speed_up.pdf and striped_speed_up.png from striped_speed_up.csv: gnuplot striped_speed_up.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'striped_speed_up.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,570 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'striped_speed_up' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.938in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1140 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'striped_speed_up.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Speed-up of striped and zigzag over contiguous rings' at screen 0.01875, screen 0.95789 left font ',16'
  set label 102 'B = 1, bf16, causal mask, both passes, flash kernel, modelled; qb 0.1.0; commit e5ed69dffe4a; 2026-11-24' at screen 0.01875, screen 0.91930 left font ',11' textcolor rgb '#444444'
  set label 103 'Time of the forward pass and the backward pass, added up, in the contiguous ring over that of the same causal case, striped or zigzag: critical' at screen 0.01875, screen 0.17018 left font ',11' textcolor rgb '#444444'
  set label 104 'paths where ranks are serial, wall clocks otherwise. Error bars: quotients of the ends of the two intervals.' at screen 0.01875, screen 0.14211 left font ',11' textcolor rgb '#444444'
  set label 105 'Bounds of the critical path of a striped ring, c = N/W: by pairs [(c+1) + 2(W-1)c] / [W(c+1)], by tiles the same in n = c/tile; published tiles:' at screen 0.01875, screen 0.11404 left font ',11' textcolor rgb '#444444'
  set label 106 '2048 query rows.' at screen 0.01875, screen 0.08596 left font ',11' textcolor rgb '#444444'
  set label 107 'Published: Striped Attention (arXiv 2311.09431), tables 3 to 5; W is the sequence-parallel side of the mesh. Those are whole training steps, with' at screen 0.01875, screen 0.05789 left font ',11' textcolor rgb '#444444'
  set label 108 'projections and feed-forward layers, which no layout makes faster: they lie below what the two passes of attention alone gain.' at screen 0.01875, screen 0.02982 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.35010
  set tmargin at screen 0.76667
  set bmargin at screen 0.31053
  set logscale x
  set xrange [3444.311716879215:155871.75497763665]
  set xtics nomirror out ('10,000' 10000, '30,000' 30000, '100,000' 1e+05, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'tokens a worker N/W'
  unset logscale y
  set yrange [0.8722500000000001:1.92275]
  set ytics nomirror out ('1.00' 1, '1.25' 1.25, '1.50' 1.5, '1.75' 1.75)
  set ylabel 'ring time / time'
  set label 1 'W = 4 A100_TF32' at screen 0.09062, screen 0.86316 left font ',13'
  set label 2 'striped, H = 16, d = 100 and' at screen 0.09062, screen 0.84035 left font ',11' textcolor rgb '#e4a116'
  set label 3 'striped, H = 16, d = 128 and' at screen 0.09062, screen 0.81754 left font ',11' textcolor rgb '#e4a116'
  set label 4 'striped, H = 8, d = 128' at screen 0.09062, screen 0.79474 left font ',11' textcolor rgb '#e4a116'
  plot data every ::0::4 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e4a116' notitle, \
       data every ::0::4 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e4a116' notitle, \
       data every ::15::18 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::19::25 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::26::32 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::33::39 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::40::104 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 0.6 lc rgb '#000000' notitle, \
       data every ::105::169 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::170::171 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.45010
  set rmargin at screen 0.70958
  set tmargin at screen 0.76667
  set bmargin at screen 0.31053
  set logscale x
  set xrange [3444.311716879215:155871.75497763665]
  set xtics nomirror out ('10,000' 10000, '30,000' 30000, '100,000' 1e+05, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1)
  set xlabel 'tokens a worker N/W'
  unset logscale y
  set yrange [0.8722500000000001:1.92275]
  set ytics nomirror out ('1.00' 1, '1.25' 1.25, '1.50' 1.5, '1.75' 1.75)
  set ylabel 'ring time / time'
  set label 1 'W = 8 TPU_V4' at screen 0.45010, screen 0.84035 left font ',13'
  set label 2 'striped, H = 16, d = 128 and' at screen 0.45010, screen 0.81754 left font ',11' textcolor rgb '#9d6f0f'
  set label 3 'striped, H = 8, d = 128' at screen 0.45010, screen 0.79474 left font ',11' textcolor rgb '#9d6f0f'
  plot data every ::172::176 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e4a116' notitle, \
       data every ::172::176 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e4a116' notitle, \
       data every ::177::181 using (num('tokens_per_worker')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9d6f0f' notitle, \
       data every ::177::181 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#9d6f0f' notitle, \
       data every ::187::190 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#e6a216' notitle, \
       data every ::191::197 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::198::204 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::205::210 using (num('tokens_per_worker')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::211::275 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (7,3) lw 0.6 lc rgb '#000000' notitle, \
       data every ::276::340 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt (2,3) lw 1.8 lc rgb '#6e6e6e' notitle, \
       data every ::341::342 using (num('tokens_per_worker')):(num('speed_up_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.73771, screen 0.76667 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e4a116' title 'striped, H = 16, d = 100', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#9d6f0f' title 'striped, H = 16, d = 128', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#5a4009' title 'striped, H = 8, d = 128', \
       NaN with lines dt (7,3) lw 0.6 lc rgb '#000000' title 'bound, pairs', \
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
