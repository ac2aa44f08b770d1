# Draws scheme_comparison.svg, scheme_comparison.pdf and scheme_comparison.png from scheme_comparison.csv: gnuplot scheme_comparison.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'scheme_comparison.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1087 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'scheme_comparison' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,11.323in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2174 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'scheme_comparison.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Schemes of splitting exact attention at one length' at screen 0.01875, screen 0.97792 left font ',16'
  set label 102 'N = 8,192, no link limit; B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 |' at screen 0.01875, screen 0.95768 left font ',11' textcolor rgb '#444444'
  set label 103 '24 GiB; qb 0.1.0; commit 05810fb56efb with changes; 2026-11-20' at screen 0.01875, screen 0.94296 left font ',11' textcolor rgb '#444444'
  set label 104 'Drawn: N = 8,192, no link limit.' at screen 0.01875, screen 0.08924 left font ',11' textcolor rgb '#444444'
  set label 105 'Slowest worker: query-key pairs of the slowest worker of each round, summed over rounds, over unmasked pairs / W; 1 is perfect balance and no pair' at screen 0.01875, screen 0.07452 left font ',11' textcolor rgb '#444444'
  set label 106 'in vain. cqs scatters from one root and gathers there; cqs_sharded begins and ends sharded, as the others do.' at screen 0.01875, screen 0.05980 left font ',11' textcolor rgb '#444444'
  set label 107 'Pairs and bytes follow from the plan. Memory is measured where a case measured it, else predicted.' at screen 0.01875, screen 0.04508 left font ',11' textcolor rgb '#444444'
  set label 108 'Marks are medians; bars are 95 % order-statistic intervals of the median.' at screen 0.01875, screen 0.03036 left font ',11' textcolor rgb '#444444'
  set label 109 'Without a point: 4 of 48 cases (4 unsupported).' at screen 0.01875, screen 0.01564 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.89880
  set bmargin at screen 0.71481
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.9562553399243257:1.9186378615891615]
  set ytics nomirror out ('1.0' 1, '1.2' 1.2000000000000002, '1.4' 1.4000000000000001, '1.6' 1.6, '1.8' 1.8)
  set ylabel 'slowest / ideal'
  set label 1 'pairs of the slowest worker' at screen 0.09062, screen 0.91352 left font ',13'
  plot data every ::0::1 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::2::3 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::4::6 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::7::9 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::10::12 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::13::15 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::16::18 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::19::20 using (num('workers')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.89880
  set bmargin at screen 0.71481
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0.9688026363969242:1.6551446356645918]
  set ytics nomirror out ('1.0' 1, '1.2' 1.2000000000000002, '1.4' 1.4000000000000001, '1.6' 1.6)
  set ylabel 'executed / unmasked'
  set label 1 'pairs of all workers' at screen 0.50406, screen 0.91352 left font ',13'
  plot data every ::21::22 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::23::24 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::25::27 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::28::30 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::31::33 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::34::36 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::37::39 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::40::41 using (num('workers')):(num('y')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.62282
  set bmargin at screen 0.43882
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:29.74625]
  set ytics nomirror out ('0' 0, '10' 10, '20' 20)
  set ylabel 'sent (MiB)'
  set label 1 'sent by the busiest worker' at screen 0.09062, screen 0.63753 left font ',13'
  plot data every ::42::43 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::44::45 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::46::48 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::49::51 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::52::54 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::55::57 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::58::60 using (num('workers')):(num('y')) with linespoints dt (2,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.62282
  set bmargin at screen 0.43882
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:101.89262939453126]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'peak memory (MiB)'
  set label 1 'memory of the fullest worker' at screen 0.50406, screen 0.63753 left font ',13'
  plot data every ::61::62 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::63::64 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::65::67 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::68::70 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::71::73 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::74::76 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::77::79 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::80::81 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::82::83 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::84::86 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::87::89 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::90::92 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::93::95 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::96::98 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.40406
  set tmargin at screen 0.34683
  set bmargin at screen 0.16283
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:65.54374423671106]
  set ytics nomirror out ('0' 0, '20' 20, '40' 40, '60' 60)
  set ylabel 'exposed (ms)'
  set label 1 'exposed communication, longest' at screen 0.09062, screen 0.36155 left font ',13'
  plot data every ::99::100 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::101::102 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::103::105 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::106::108 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::109::111 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::112::114 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::115::117 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::118::119 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::120::121 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::122::124 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::125::127 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::128::130 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::131::133 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::134::136 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle
  unset label
  unset key

  # panel 6
  set lmargin at screen 0.50406
  set rmargin at screen 0.81750
  set tmargin at screen 0.34683
  set bmargin at screen 0.16283
  set logscale x
  set xrange [1.8660659830736148:8.574187700290345]
  set xtics nomirror out ('2' 2, '4' 4, '8' 8)
  set xlabel 'workers W'
  unset logscale y
  set yrange [0:751.2454959603929]
  set ytics nomirror out ('0' 0, '200' 200, '400' 400, '600' 600)
  set ylabel 'wall clock (ms)'
  set label 1 'wall clock' at screen 0.50406, screen 0.36155 left font ',13'
  plot data every ::137::138 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::137::138 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::139::140 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#882255' notitle, \
       data every ::139::140 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::141::143 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::141::143 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::144::146 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::144::146 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::147::149 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::147::149 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::150::152 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::150::152 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::153::155 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8c510a' notitle, \
       data every ::153::155 using (num('workers')):(num('y')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle, \
       data every ::156::157 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::156::157 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' notitle, \
       data every ::158::159 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#882255' notitle, \
       data every ::158::159 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#882255' notitle, \
       data every ::160::162 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::160::162 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' notitle, \
       data every ::163::165 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::163::165 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' notitle, \
       data every ::166::168 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::166::168 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' notitle, \
       data every ::169::171 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::169::171 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' notitle, \
       data every ::172::174 using (num('workers')):(num('y_low')):(0):(num('y_high') - num('y_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8c510a' notitle, \
       data every ::172::174 using (num('workers')):(num('y')) with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' notitle
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
  set key at screen 0.84562, screen 0.89880 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with linespoints lw 1.8 pt 13 ps 0.75 lc rgb '#d55e00' title 'cqs', \
       NaN with linespoints dt (7,3) lw 1.8 pt 13 ps 0.75 lc rgb '#882255' title 'cqs_sharded', \
       NaN with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#0072b2' title 'ring', \
       NaN with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#e69f00' title 'striped', \
       NaN with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#009e73' title 'zigzag', \
       NaN with linespoints lw 1.8 pt 15 ps 0.75 lc rgb '#cc79a7' title 'ulysses', \
       NaN with linespoints dt (2,3) lw 1.8 pt 7 ps 0.75 lc rgb '#8c510a' title 'all_gather_kv', \
       NaN with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' title 'mpi', \
       NaN with linespoints dt (7,3) lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' title 'threads'
  unset multiplot
}
unset output
