# Draws distillation_ratio.svg, distillation_ratio.pdf and distillation_ratio.png from distillation_ratio.csv: gnuplot distillation_ratio.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'distillation_ratio.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,811 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'distillation_ratio' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.448in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1622 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'distillation_ratio.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Responsibility ratio against sequence length' at screen 0.01875, screen 0.97041 left font ',16'
  set label 102 'RR = N² / (query-key pairs of the most loaded worker), the greatest speed-up that the split allows, for the published interest set at every N from' at screen 0.01875, screen 0.04069 left font ',11' textcolor rgb '#444444'
  set label 103 'W to 41 W.' at screen 0.01875, screen 0.02096 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.48125
  set tmargin at screen 0.90382
  set bmargin at screen 0.58323
  unset logscale x
  set xrange [4:163]
  set xtics nomirror out ('50' 50, '100' 100, '150' 150)
  set xlabel 'N'
  unset logscale y
  set yrange [2.3725:4.0775]
  set ytics nomirror out ('2.5' 2.5, '3.0' 3, '3.5' 3.5, '4.0' 4)
  set ylabel 'responsibility ratio'
  set label 1 'W = 4' at screen 0.09062, screen 0.92355 left font ',13'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::0::159 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 1.8 lc rgb '#d46207' title 'published', \
       data every ::160::319 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 1.8 lc rgb '#2572aa' title 'balanced'
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.58125
  set rmargin at screen 0.97188
  set tmargin at screen 0.90382
  set bmargin at screen 0.58323
  unset logscale x
  set xrange [7:286]
  set xtics nomirror out ('100' 100, '200' 200)
  set xlabel 'N'
  unset logscale y
  set yrange [3.9025:7.1475]
  set ytics nomirror out ('4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'responsibility ratio'
  set label 1 'W = 7' at screen 0.58125, screen 0.92355 left font ',13'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::320::599 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 1.8 lc rgb '#2572aa' title 'published = balanced'
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.48125
  set tmargin at screen 0.45993
  set bmargin at screen 0.13933
  unset logscale x
  set xrange [8:327]
  set xtics nomirror out ('100' 100, '200' 200, '300' 300)
  set xlabel 'N'
  unset logscale y
  set yrange [4.529166666666667:8.165277777777778]
  set ytics nomirror out ('5' 5, '6' 6, '7' 7, '8' 8)
  set ylabel 'responsibility ratio'
  set label 1 'W = 8' at screen 0.09062, screen 0.47965 left font ',13'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::600::919 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 1.8 lc rgb '#d46207' title 'published', \
       data every ::920::1239 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 1.8 lc rgb '#2572aa' title 'balanced'
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.58125
  set rmargin at screen 0.97188
  set tmargin at screen 0.45993
  set bmargin at screen 0.13933
  unset logscale x
  set xrange [32:1311]
  set xtics nomirror out ('500' 500, '1,000' 1000)
  set xlabel 'N'
  unset logscale y
  set yrange [16.45:32.74047619047619]
  set ytics nomirror out ('20' 20, '25' 25, '30' 30)
  set ylabel 'responsibility ratio'
  set label 1 'W = 32' at screen 0.58125, screen 0.47965 left font ',13'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::1240::2519 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 1.8 lc rgb '#d46207' title 'published', \
       data every ::2520::3799 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 1.8 lc rgb '#2572aa' title 'balanced'
  unset label
  unset key
  unset multiplot
}
unset output
