# Draws wall_clock.svg, wall_clock.pdf and wall_clock.png from wall_clock.csv: gnuplot wall_clock.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'wall_clock.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1031 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'wall_clock' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,10.740in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2062 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'wall_clock.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Time against sequence length' at screen 0.01875, screen 0.97672 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, materialized kernel, cpu, serial ranks, all cores; 5 repeats; AMD EPYC, family 25 model 17 | 2 cores |' at screen 0.01875, screen 0.95538 left font ',11' textcolor rgb '#444444'
  set label 103 'avx512 | 24 GiB; qb 0.1.0; commit fff30970ba19; 2026-11-23' at screen 0.01875, screen 0.93986 left font ',11' textcolor rgb '#444444'
  set label 104 'Marks: medians; error bars: min to max of 5 repeats (93.8 % interval of the median).' at screen 0.01875, screen 0.07856 left font ',11' textcolor rgb '#444444'
  set label 105 'Published: CQS-Attention, IEEE Access 13 (2025), case study 2, one A100 80 GB, f16, mean without outliers; its N is 10 times ours.' at screen 0.01875, screen 0.06305 left font ',11' textcolor rgb '#444444'
  set label 106 'It has axes of its own. Its host clock was read without synchronising the device, its inputs were made inside the timed region, and its W = 1' at screen 0.01875, screen 0.04753 left font ',11' textcolor rgb '#444444'
  set label 107 'takes 28.7 times as long at N = 45,000 as at 40,000, for 1.27 times the scores: its milliseconds do not compare with this machine''s, and its' at screen 0.01875, screen 0.03201 left font ',11' textcolor rgb '#444444'
  set label 108 'speed-ups only below that jump.' at screen 0.01875, screen 0.01649 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.41948
  set tmargin at screen 0.89331
  set bmargin at screen 0.57323
  unset logscale x
  set xrange [805:5095]
  set xtics nomirror out ('1,000' 1000, '2,000' 2000, '3,000' 3000, '4,000' 4000, '5,000' 5000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.5373356437758721:521.3966771827337]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1)
  set ylabel 'time (ms)'
  set label 1 'longest subsequence (the paper''s time)' at screen 0.09062, screen 0.90883 left font ',13'
  plot data every ::0::8 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::0::8 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::9::17 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#ebb68c' notitle, \
       data every ::9::17 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ebb68c' notitle, \
       data every ::18::26 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d97424' notitle, \
       data every ::18::26 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d97424' notitle, \
       data every ::27::35 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b4805' notitle, \
       data every ::27::35 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b4805' notitle, \
       data every ::36::44 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#572803' notitle, \
       data every ::36::44 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#572803' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.51948
  set rmargin at screen 0.84833
  set tmargin at screen 0.89331
  set bmargin at screen 0.57323
  unset logscale x
  set xrange [805:5095]
  set xtics nomirror out ('1,000' 1000, '2,000' 2000, '3,000' 3000, '4,000' 4000, '5,000' 5000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.5373356437758721:521.3966771827337]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1)
  set ylabel 'time (ms)'
  set label 1 'critical path, with gather and merge' at screen 0.51948, screen 0.90883 left font ',13'
  plot data every ::45::53 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::45::53 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::54::62 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#ebb68c' notitle, \
       data every ::54::62 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ebb68c' notitle, \
       data every ::63::71 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d97424' notitle, \
       data every ::63::71 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d97424' notitle, \
       data every ::72::80 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#9b4805' notitle, \
       data every ::72::80 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b4805' notitle, \
       data every ::81::89 using (num('n_tokens')):(num('time_ms_low')):(0):(num('time_ms_high') - num('time_ms_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#572803' notitle, \
       data every ::81::89 using (num('n_tokens')):(num('time_ms')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#572803' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.41948
  set tmargin at screen 0.47624
  set bmargin at screen 0.15616
  unset logscale x
  set xrange [8050:50950]
  set xtics nomirror out ('10,000' 10000, '20,000' 20000, '30,000' 30000, '40,000' 40000, '50,000' 50000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.8074335456294144:1380.389995027174]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '1,000' 1000, '' 0.9 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set ylabel 'time (ms)'
  set label 1 'published: A100 80 GB, at the paper''s N' at screen 0.09062, screen 0.49176 left font ',13'
  plot data every ::90::98 using (num('n_tokens')):(num('time_ms')) with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#000000' notitle, \
       data every ::99::107 using (num('n_tokens')):(num('time_ms')) with linespoints dt 2 lw 1.4 pt 12 ps 0.75 lc rgb '#ebb68c' notitle, \
       data every ::108::116 using (num('n_tokens')):(num('time_ms')) with linespoints dt 2 lw 1.4 pt 12 ps 0.75 lc rgb '#d97424' notitle, \
       data every ::117::125 using (num('n_tokens')):(num('time_ms')) with linespoints dt 2 lw 1.4 pt 12 ps 0.75 lc rgb '#9b4805' notitle, \
       data every ::126::134 using (num('n_tokens')):(num('time_ms')) with linespoints dt 2 lw 1.4 pt 12 ps 0.75 lc rgb '#572803' notitle
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
  set key at screen 0.87646, screen 0.89331 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' title 'W = 1', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#ebb68c' title 'W = 4', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d97424' title 'W = 7', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#9b4805' title 'W = 8', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#572803' title 'W = 31', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published'
  unset multiplot
}
unset output
