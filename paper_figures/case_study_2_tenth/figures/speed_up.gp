# Draws speed_up.svg, speed_up.pdf and speed_up.png from speed_up.csv: gnuplot speed_up.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'speed_up.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,633 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'speed_up' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,6.594in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1266 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'speed_up.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Speed-up over one worker' at screen 0.01875, screen 0.96209 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, materialized kernel, cpu, serial ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.92733 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit fff30970ba19; 2026-11-23' at screen 0.01875, screen 0.90205 left font ',11' textcolor rgb '#444444'
  set label 104 'Base case: dense, materialized, W = 1, of the same N. Left: time of the whole sequence over kernel time of the longest subsequence, the paper''s S,' at screen 0.01875, screen 0.17852 left font ',11' textcolor rgb '#444444'
  set label 105 'without gather and merge. Right: critical path over critical path, with both. Bars: quotients of the ends of the two intervals.' at screen 0.01875, screen 0.15324 left font ',11' textcolor rgb '#444444'
  set label 106 'A slow base: 7 base cases are below 60 % of the machine''s measured peak (54 to 59 %), so that speed-ups over them look better than they are.' at screen 0.01875, screen 0.12796 left font ',11' textcolor rgb '#444444'
  set label 107 'Published: CQS-Attention, IEEE Access 13 (2025), case study 2, one A100 80 GB, f16, mean without outliers; its N is 10 times ours and is drawn at' at screen 0.01875, screen 0.10269 left font ',11' textcolor rgb '#444444'
  set label 108 'N/10.' at screen 0.01875, screen 0.07741 left font ',11' textcolor rgb '#444444'
  set label 109 'Its host clock was read without synchronising the device, its inputs were made inside the timed region, and its W = 1 jumps where the GPU' at screen 0.01875, screen 0.05213 left font ',11' textcolor rgb '#444444'
  set label 110 'allocator must free and retry: those milliseconds and this machine''s are not comparable, the shapes are.' at screen 0.01875, screen 0.02686 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.38479
  set tmargin at screen 0.82622
  set bmargin at screen 0.30490
  unset logscale x
  set xrange [805:5095]
  set xtics nomirror out ('1,000' 1000, '2,000' 2000, '3,000' 3000, '4,000' 4000, '5,000' 5000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9208384242023608:398.16322076935154]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set ylabel 'speed-up'
  set label 1 'the paper''s S: longest subsequence' at screen 0.09062, screen 0.85150 left font ',13'
  plot data every ::0::8 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::0::8 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::9::17 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::9::17 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::18::26 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::18::26 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::27::35 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::27::35 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::36::44 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 4 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::45::53 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 8 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::54::62 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 10 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::63::71 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints dt 2 lw 1.4 pt 12 ps 0.75 lc rgb '#d55e00' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.48479
  set rmargin at screen 0.77896
  set tmargin at screen 0.82622
  set bmargin at screen 0.30490
  unset logscale x
  set xrange [805:5095]
  set xtics nomirror out ('1,000' 1000, '2,000' 2000, '3,000' 3000, '4,000' 4000, '5,000' 5000)
  set xlabel 'sequence length N (tokens)'
  set logscale y
  set yrange [0.9208384242023608:398.16322076935154]
  set ytics nomirror out ('1' 1, '10' 10, '100' 100, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 300 1)
  set ylabel 'speed-up'
  set label 1 'critical path, with gather and merge' at screen 0.48479, screen 0.85150 left font ',13'
  plot data every ::72::80 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::72::80 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::81::89 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::81::89 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::90::98 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::90::98 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::99::107 using (num('n_tokens')):(num('speed_up_ratio_low')):(0):(num('speed_up_ratio_high') - num('speed_up_ratio_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::99::107 using (num('n_tokens')):(num('speed_up_ratio')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle
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
  set key at screen 0.80708, screen 0.82622 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' title 'W = 4', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' title 'W = 7', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' title 'W = 8', \
       NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' title 'W = 31', \
       NaN with linespoints dt 2 lw 1.4 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'published, at N/10'
  unset multiplot
}
unset output
