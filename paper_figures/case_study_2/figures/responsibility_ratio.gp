# Draws responsibility_ratio.svg, responsibility_ratio.pdf and responsibility_ratio.png from responsibility_ratio.csv: gnuplot responsibility_ratio.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'responsibility_ratio.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,936 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'responsibility_ratio' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.750in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1872 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'responsibility_ratio.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Responsibility ratio against sequence length' at screen 0.01875, screen 0.97436 left font ',16'
  set label 102 'qb 0.1.0; commit 1fe5046ed490; 2026-11-24' at screen 0.01875, screen 0.95085 left font ',11' textcolor rgb '#444444'
  set label 103 'RR = N² / (query-key pairs of the most loaded worker), the greatest speed-up that the split allows. Thin: every N. Marks: means over whole' at screen 0.01875, screen 0.05235 left font ',11' textcolor rgb '#444444'
  set label 104 'intervals [jW, (j+1)W), at their middle; asym-RR is the one of j = 40. The sets with the greatest and the least mean have colours, the others are' at screen 0.01875, screen 0.03526 left font ',11' textcolor rgb '#444444'
  set label 105 'grey. +1: another set has the same ratios.' at screen 0.01875, screen 0.01816 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.48125
  set tmargin at screen 0.89957
  set bmargin at screen 0.57906
  set logscale x
  set xrange [3.3231780503226522:196.1977330515578]
  set xtics nomirror out ('10' 10, '30' 30, '100' 100, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [2.3939285714285714:3.6275000000000004]
  set ytics nomirror out ('2.50' 2.5, '2.75' 2.75, '3.00' 3, '3.25' 3.25, '3.50' 3.5)
  set ylabel 'responsibility ratio'
  set label 1 'W = 4: 2 interest sets of the least size' at screen 0.09062, screen 0.91667 left font ',13'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::0::159 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#91b8d4' notitle, \
       data every ::160::319 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#e9b082' notitle, \
       data every ::320::359 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title '{0 1 2}', \
       data every ::360::399 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#d46207' title '{0 1 3}', \
       data every ::400::401 using (num('n_tokens')):(num('responsibility_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'published asym-RR 3.1963'
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.58125
  set rmargin at screen 0.97188
  set tmargin at screen 0.89957
  set bmargin at screen 0.57906
  set logscale x
  set xrange [5.814798106684296:344.2939829155267]
  set xtics nomirror out ('10' 10, '30' 30, '100' 100, '300' 300, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [3.9025:7.1475]
  set ytics nomirror out ('4' 4, '5' 5, '6' 6, '7' 7)
  set ylabel 'responsibility ratio'
  set label 1 'W = 7: 2 interest sets of the least size' at screen 0.58125, screen 0.91667 left font ',13'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::402::681 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#91b8d4' notitle, \
       data every ::682::721 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title '{0 1 3} = {0 1 5}', \
       data every ::722::723 using (num('n_tokens')):(num('responsibility_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'published asym-RR 6.9095'
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.48125
  set tmargin at screen 0.45833
  set bmargin at screen 0.13782
  set logscale x
  set xrange [6.645338359081431:393.65941335778774]
  set xtics nomirror out ('10' 10, '30' 30, '100' 100, '300' 300, '' 7 1, '' 8 1, '' 9 1, '' 20 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [4.543452380952381:7.865277777777778]
  set ytics nomirror out ('5' 5, '6' 6, '7' 7)
  set ylabel 'responsibility ratio'
  set label 1 'W = 8: 10 interest sets of the least size' at screen 0.09062, screen 0.47543 left font ',13'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::724::1043 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#e9b082' notitle, \
       data every ::1044::1363 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#b6b6b6' notitle, \
       data every ::1364::1683 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#b6b6b6' notitle, \
       data every ::1684::2003 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#b6b6b6' notitle, \
       data every ::2004::2323 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#b6b6b6' notitle, \
       data every ::2324::2643 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#b6b6b6' notitle, \
       data every ::2644::2963 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#b6b6b6' notitle, \
       data every ::2964::3283 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#b6b6b6' notitle, \
       data every ::3284::3603 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#b6b6b6' notitle, \
       data every ::3604::3923 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#91b8d4' notitle, \
       data every ::3924::3963 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#d46207' title '{0 1 2 4}', \
       data every ::3964::4003 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::4004::4043 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::4044::4083 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::4084::4123 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::4124::4163 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::4164::4203 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::4204::4243 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::4244::4283 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#6e6e6e' notitle, \
       data every ::4284::4323 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title '{0 1 5 7}', \
       data every ::4324::4325 using (num('n_tokens')):(num('responsibility_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'published asym-RR 7.0752'
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.58125
  set rmargin at screen 0.97188
  set tmargin at screen 0.45833
  set bmargin at screen 0.13782
  set logscale x
  set xrange [25.7477683088592:1529.064559216719]
  set xtics nomirror out ('30' 30, '100' 100, '300' 300, '1,000' 1000, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 200 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [16.080232558139535:31.71046511627907]
  set ytics nomirror out ('20' 20, '25' 25, '30' 30)
  set ylabel 'responsibility ratio'
  set label 1 'W = 31: 10 interest sets of the least size' at screen 0.58125, screen 0.48932 left font ',13'
  set label 2 '{0 1 11 19 26 28} +1 = {0 1 3 10 14 26} +1' at screen 0.58125, screen 0.47543 left font ',11' textcolor rgb '#2572aa'
  set key inside bottom right Left reverse samplen 2 spacing 1.1 font ',11'
  plot data every ::4326::5565 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#91b8d4' notitle, \
       data every ::5566::6805 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#e9b082' notitle, \
       data every ::6806::8045 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#9fcbba' notitle, \
       data every ::8046::9285 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#e3bad1' notitle, \
       data every ::9286::10525 using (num('n_tokens')):(num('responsibility_ratio')) with lines lw 0.6 lc rgb '#f2d08a' notitle, \
       data every ::10526::10565 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 7 ps 0.75 lc rgb '#2572aa' title '{0 1 11 19 26 28} +1 = {0 1 3 10 14 26} +1', \
       data every ::10566::10605 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 5 ps 0.75 lc rgb '#d46207' title '{0 1 14 20 24 29} +1', \
       data every ::10606::10645 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 9 ps 0.75 lc rgb '#409877' title '{0 1 15 19 21 24} +1', \
       data every ::10646::10685 using (num('n_tokens')):(num('responsibility_ratio')) with linespoints lw 1.8 pt 11 ps 0.75 lc rgb '#c877a5' title '{0 1 15 20 22 28} +1', \
       data every ::10726::10727 using (num('n_tokens')):(num('responsibility_ratio')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'published asym-RR 30.5982'
  unset label
  unset key
  unset multiplot
}
unset output
