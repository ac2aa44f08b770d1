# Draws memory_summary.svg, memory_summary.pdf and memory_summary.png from memory_summary.csv: gnuplot memory_summary.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'memory_summary.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,569 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'memory_summary' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.927in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1138 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'memory_summary.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Subsequence lengths of the workers' at screen 0.01875, screen 0.95782 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, full mask, materialized kernel, cpu, serial ranks, all cores; 5 repeats; AMD EPYC, family 25 model 17 | 2 cores |' at screen 0.01875, screen 0.91916 left font ',11' textcolor rgb '#444444'
  set label 103 'avx512 | 24 GiB; qb 0.1.0; commit fff30970ba19; 2026-11-23' at screen 0.01875, screen 0.89104 left font ',11' textcolor rgb '#444444'
  set label 104 'First panel: light bar from the shortest to the longest subsequence, mark and whiskers are mean and standard deviation over workers. Peak memory' at screen 0.01875, screen 0.08612 left font ',11' textcolor rgb '#444444'
  set label 105 'of a materialized score matrix grows with the square of the longest.' at screen 0.01875, screen 0.05800 left font ',11' textcolor rgb '#444444'
  set label 106 'Not drawn: 4 histograms (at most 3 lengths, whose range is in the first panel).' at screen 0.01875, screen 0.02988 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.97188
  set tmargin at screen 0.80668
  set bmargin at screen 0.22671
  unset logscale x
  set xrange [-0.53:4.529999999999999]
  set xtics nomirror out ('1' 0, '4' 1, '7' 2, '8' 3, '31' 4)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:105.99999999999999]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'subsequence length (% of N)'
  set label 1 'N = 4,900' at screen 0.09062, screen 0.83480 left font ',13'
  plot data every ::0::0 using (num('worker_count_index')):(num('length_percent')):(num('worker_count_index_low')):(num('worker_count_index_high')):(num('length_percent_low')):(num('length_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::1::1 using (num('worker_count_index')):(num('length_percent_low')):(0):(num('length_percent_high') - num('length_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#000000' notitle, \
       data every ::1::1 using (num('worker_count_index')):(num('length_percent')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#000000' notitle, \
       data every ::2::2 using (num('worker_count_index')):(num('length_percent')):(num('worker_count_index_low')):(num('worker_count_index_high')):(num('length_percent_low')):(num('length_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::3::3 using (num('worker_count_index')):(num('length_percent_low')):(0):(num('length_percent_high') - num('length_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::3::3 using (num('worker_count_index')):(num('length_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::4::4 using (num('worker_count_index')):(num('length_percent')):(num('worker_count_index_low')):(num('worker_count_index_high')):(num('length_percent_low')):(num('length_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::5::5 using (num('worker_count_index')):(num('length_percent_low')):(0):(num('length_percent_high') - num('length_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::5::5 using (num('worker_count_index')):(num('length_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::6::6 using (num('worker_count_index')):(num('length_percent')):(num('worker_count_index_low')):(num('worker_count_index_high')):(num('length_percent_low')):(num('length_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::7::7 using (num('worker_count_index')):(num('length_percent_low')):(0):(num('length_percent_high') - num('length_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::7::7 using (num('worker_count_index')):(num('length_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle, \
       data every ::8::8 using (num('worker_count_index')):(num('length_percent')):(num('worker_count_index_low')):(num('worker_count_index_high')):(num('length_percent_low')):(num('length_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cfe3f1' lw 0.5 fc rgb '#cfe3f1' notitle, \
       data every ::9::9 using (num('worker_count_index')):(num('length_percent_low')):(0):(num('length_percent_high') - num('length_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d46207' notitle, \
       data every ::9::9 using (num('worker_count_index')):(num('length_percent')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d46207' notitle
  unset label
  unset key
  unset multiplot
}
unset output
