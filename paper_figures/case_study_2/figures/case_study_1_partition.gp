# Draws case_study_1_partition.svg, case_study_1_partition.pdf and case_study_1_partition.png from case_study_1_partition.csv: gnuplot case_study_1_partition.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'case_study_1_partition.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 671,617 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'case_study_1_partition' }
  if (format eq 'pdf') { set terminal pdfcairo size 6.990in,6.427in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1342,1234 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'case_study_1_partition.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Case study 1: which worker computes which pair' at screen 0.02683, screen 0.96110 left font ',16'
  set label 102 'N = 10, W = 7, interest set {0, 1, 3}' at screen 0.02683, screen 0.92545 left font ',11' textcolor rgb '#444444'
  set label 103 'Colour: the worker that computes the pair. White: no pair.' at screen 0.02683, screen 0.02788 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.12966
  set rmargin at screen 0.79404
  set tmargin at screen 0.88006
  set bmargin at screen 0.15754
  unset logscale x
  set xrange [0:10]
  set xtics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6, '8' 8, '10' 10)
  set xlabel 'key token'
  unset logscale y
  set yrange [10:0]
  set ytics nomirror out ('0' 0, '2' 2, '4' 4, '6' 6, '8' 8, '10' 10)
  set ylabel 'query token'
  plot data every ::0::6 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#72ceff' notitle, \
       data every ::0::6 using (num('key_token')):(num('query_token')):('0') with labels font ',11' notitle, \
       data every ::7::13 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#eaa601' notitle, \
       data every ::7::13 using (num('key_token')):(num('query_token')):('1') with labels font ',11' notitle, \
       data every ::14::20 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#47b792' notitle, \
       data every ::14::20 using (num('key_token')):(num('query_token')):('2') with labels font ',11' notitle, \
       data every ::21::27 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f5e93a' notitle, \
       data every ::21::27 using (num('key_token')):(num('query_token')):('3') with labels font ',11' notitle, \
       data every ::28::34 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d77a38' notitle, \
       data every ::28::34 using (num('key_token')):(num('query_token')):('4') with labels font ',11' notitle, \
       data every ::35::41 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d19fc2' notitle, \
       data every ::35::41 using (num('key_token')):(num('query_token')):('5') with labels font ',11' notitle, \
       data every ::42::48 using (num('key_token')):(num('query_token')):(num('key_token_low')):(num('key_token_high')):(num('query_token_low')):(num('query_token_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#9e8fdc' notitle, \
       data every ::42::48 using (num('key_token')):(num('query_token')):('6') with labels font ',11' notitle
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
  set key at screen 0.83428, screen 0.88006 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#72ceff' title 'worker 0', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#eaa601' title 'worker 1', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#47b792' title 'worker 2', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f5e93a' title 'worker 3', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d77a38' title 'worker 4', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d19fc2' title 'worker 5', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#9e8fdc' title 'worker 6'
  unset multiplot
}
unset output
