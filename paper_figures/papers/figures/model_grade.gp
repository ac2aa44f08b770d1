# Draws model_grade.svg, model_grade.pdf and model_grade.png from model_grade.csv: gnuplot model_grade.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'model_grade.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,415 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'model_grade' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,4.323in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,830 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'model_grade.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Published measurements beside the cost model' at screen 0.01875, screen 0.94217 left font ',16'
  set label 102 'Published and predicted times differ by a factor of 1.25 in the median of 134, and of 15.67 at worst: dense, rtx_2080, N = 1,024, W = 1, 8 heads' at screen 0.01875, screen 0.11807 left font ',11' textcolor rgb '#444444'
  set label 103 'of 64, full (sparse_attention_15618_table_1_main.csv, line 9).' at screen 0.01875, screen 0.07952 left font ',11' textcolor rgb '#444444'
  set label 104 'Right of 1 the published case took longer than the model says. No device was made from the rows that are drawn.' at screen 0.01875, screen 0.04096 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.14458
  set rmargin at screen 0.71729
  set tmargin at screen 0.86024
  set bmargin at screen 0.31084
  set logscale x
  set xrange [0.8149211680937268:18.04314162255986]
  set xtics nomirror out ('1' 1, '3' 3, '10' 10, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1)
  set xlabel 'published / predicted time'
  unset logscale y
  set yrange [5.8:-0.8]
  set ytics nomirror out ('all_gather_kv' 0, 'ring' 1, 'dense' 2, 'zigzag' 3, 'striped' 4, 'decode' 5)
  set ylabel ''
  plot data every ::0::1 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::2::3 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 8 ps 0.9 lc rgb '#8a520d' notitle, \
       data every ::4::9 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::10::15 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 8 ps 0.9 lc rgb '#2572aa' notitle, \
       data every ::16::75 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#000000' notitle, \
       data every ::76::79 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#000000' notitle, \
       data every ::80::102 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 8 ps 0.9 lc rgb '#000000' notitle, \
       data every ::103::110 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 10 ps 0.9 lc rgb '#000000' notitle, \
       data every ::111::116 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#409877' notitle, \
       data every ::117::122 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 8 ps 0.9 lc rgb '#409877' notitle, \
       data every ::123::126 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 6 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::127::130 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 8 ps 0.9 lc rgb '#e6a216' notitle, \
       data every ::131::133 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 4 ps 0.9 lc rgb '#6a6967' notitle, \
       data every ::134::135 using (num('published_over_predicted_time')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#8a520d' notitle, \
       data every ::136::137 using (num('published_over_predicted_time')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#2572aa' notitle, \
       data every ::138::139 using (num('published_over_predicted_time')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#000000' notitle, \
       data every ::140::141 using (num('published_over_predicted_time')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#409877' notitle, \
       data every ::142::143 using (num('published_over_predicted_time')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#e6a216' notitle, \
       data every ::144::145 using (num('published_over_predicted_time')):(num('algorithm_index')) with lines lw 1.8 lc rgb '#6a6967' notitle, \
       data every ::146::151 using (num('published_over_predicted_time')):(num('algorithm_index')) with points pt 13 ps 0.9 lc rgb '#000000' notitle, \
       data every ::152::153 using (num('published_over_predicted_time')):(num('algorithm_index')) with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.74542, screen 0.86024 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with points pt 13 ps 0.9 lc rgb '#000000' title 'median', \
       NaN with lines dt (7,3) lw 0.6 lc rgb '#6e6e6e' title 'published = predicted', \
       NaN with points pt 6 ps 0.9 lc rgb '#6e6e6e' title 'a published case, a100', \
       NaN with points pt 4 ps 0.9 lc rgb '#6e6e6e' title 'a published case, h100', \
       NaN with points pt 8 ps 0.9 lc rgb '#6e6e6e' title 'a published case, h800', \
       NaN with points pt 10 ps 0.9 lc rgb '#6e6e6e' title 'a published case, rtx_2080'
  unset multiplot
}
unset output
