# Draws longest_context.svg, longest_context.pdf and longest_context.png from longest_context.csv: gnuplot longest_context.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'longest_context.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,549 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'longest_context' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.719in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1098 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'longest_context.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'The longest sequence that a memory budget carries' at screen 0.01875, screen 0.95628 left font ',16'
  set label 102 'B = 1, H = 2, d = 64, f32, causal mask, flash kernel, cpu, serial ranks, 1 thread; 3 to 15 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 |' at screen 0.01875, screen 0.91621 left font ',11' textcolor rgb '#444444'
  set label 103 '24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.88707 left font ',11' textcolor rgb '#444444'
  set label 104 'Peak memory of the fullest device, as the ledger counts it. Between two cases that ran, N is interpolated on log axes. Predicted: one of the two' at screen 0.01875, screen 0.08925 left font ',11' textcolor rgb '#444444'
  set label 105 'did not run and its peak is computed from the plan, or the budget is beyond the last case and the line through the last two is continued, to 8' at screen 0.01875, screen 0.06011 left font ',11' textcolor rgb '#444444'
  set label 106 'times its memory. Schemes joined by = differ by less than 2 %.' at screen 0.01875, screen 0.03097 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09833
  set rmargin at screen 0.68646
  set tmargin at screen 0.83607
  set bmargin at screen 0.23497
  set logscale x
  set xrange [1.5691681957935013:326.28752059373113]
  set xtics nomirror out ('2' 2, '8' 8, '32' 32, '128' 128)
  set xlabel 'memory budget of a device (MiB)'
  set logscale y
  set yrange [534.7556542126464:659044.2180904115]
  set ytics nomirror out ('1,000' 1000, '10,000' 10000, '100,000' 1e+05, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 2e+05 1, '' 3e+05 1, '' 4e+05 1, '' 5e+05 1, '' 6e+05 1)
  set ylabel 'longest N (tokens)'
  plot data every ::0::4 using (num('memory_budget_mib')):(num('n_tokens')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#8ab3d1' notitle, \
       data every ::5::8 using (num('memory_budget_mib')):(num('n_tokens')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#8ab3d1' notitle, \
       data every ::9::13 using (num('memory_budget_mib')):(num('n_tokens')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#357cb0' notitle, \
       data every ::14::17 using (num('memory_budget_mib')):(num('n_tokens')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#357cb0' notitle, \
       data every ::18::22 using (num('memory_budget_mib')):(num('n_tokens')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#17486b' notitle, \
       data every ::23::26 using (num('memory_budget_mib')):(num('n_tokens')) with linespoints dt (7,3) lw 0.8 pt 8 ps 0.75 lc rgb '#17486b' notitle
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
  set key at screen 0.71458, screen 0.83607 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#8ab3d1' title 'ring = zigzag = striped, W = 2', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#357cb0' title 'ring = zigzag = striped, W = 4', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#17486b' title 'ring = zigzag = striped, W = 8', \
       NaN with linespoints dt (7,3) lw 0.8 pt 6 ps 0.75 lc rgb '#6e6e6e' title 'predicted'
  unset multiplot
}
unset output
