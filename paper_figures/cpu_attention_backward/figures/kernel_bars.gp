# Draws kernel_bars.svg, kernel_bars.pdf and kernel_bars.png from kernel_bars.csv: gnuplot kernel_bars.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'kernel_bars.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1315 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'kernel_bars' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,13.698in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2630 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'kernel_bars.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Speed of kernels in percent of the machine''s peak' at screen 0.01875, screen 0.98175 left font ',16'
  set label 102 'B = 1, H = 8, backward pass, flash kernel, cpu, serial ranks; 6 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.96502 left font ',11' textcolor rgb '#444444'
  set label 103 'b27365e418f7; 2026-11-24' at screen 0.01875, screen 0.95285 left font ',11' textcolor rgb '#444444'
  set label 104 'The number above a bar is its value: medians of useful FLOP/s over the peak that the same machine reached in matrix products of the type, measured' at screen 0.01875, screen 0.04943 left font ',11' textcolor rgb '#444444'
  set label 105 'beside the run.' at screen 0.01875, screen 0.03726 left font ',11' textcolor rgb '#444444'
  set label 106 'Drawn: 2 threads.' at screen 0.01875, screen 0.02510 left font ',11' textcolor rgb '#444444'
  set label 107 '* Something disturbed the measurement: measure again.' at screen 0.01875, screen 0.01293 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.83292
  set tmargin at screen 0.91635
  set bmargin at screen 0.77186
  unset logscale x
  set xrange [-0.623:3.623]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 64, causal mask, backward pass' at screen 0.09062, screen 0.92852 left font ',13'
  plot data every ::0::3 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::4::7 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::8::8 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::8::8 using (num('n_tokens_index')):(num('peak_percent')):('51') with labels font ',11' notitle, \
       data every ::9::9 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::9::9 using (num('n_tokens_index')):(num('peak_percent')):('59') with labels font ',11' notitle, \
       data every ::10::10 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::10::10 using (num('n_tokens_index')):(num('peak_percent')):('65') with labels font ',11' notitle, \
       data every ::11::11 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::11::11 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::12::12 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::12::12 using (num('n_tokens_index')):(num('peak_percent')):('51') with labels font ',11' notitle, \
       data every ::13::13 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::13::13 using (num('n_tokens_index')):(num('peak_percent')):('64') with labels font ',11' notitle, \
       data every ::14::14 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::14::14 using (num('n_tokens_index')):(num('peak_percent')):('64') with labels font ',11' notitle, \
       data every ::15::15 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::15::15 using (num('n_tokens_index')):(num('peak_percent')):('69') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.83292
  set tmargin at screen 0.69582
  set bmargin at screen 0.55133
  unset logscale x
  set xrange [-0.623:3.623]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 64, full mask, backward pass' at screen 0.09062, screen 0.70798 left font ',13'
  plot data every ::16::19 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::20::23 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::24::24 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::24::24 using (num('n_tokens_index')):(num('peak_percent')):('65') with labels font ',11' notitle, \
       data every ::25::25 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::25::25 using (num('n_tokens_index')):(num('peak_percent')):('66') with labels font ',11' notitle, \
       data every ::26::26 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::26::26 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::27::27 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::27::27 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('peak_percent')):('65') with labels font ',11' notitle, \
       data every ::29::29 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::29::29 using (num('n_tokens_index')):(num('peak_percent')):('64*') with labels font ',11' notitle, \
       data every ::30::30 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::30::30 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::31::31 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::31::31 using (num('n_tokens_index')):(num('peak_percent')):('71') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.83292
  set tmargin at screen 0.47529
  set bmargin at screen 0.33080
  unset logscale x
  set xrange [-0.623:3.623]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 128, causal mask, backward pass' at screen 0.09062, screen 0.48745 left font ',13'
  plot data every ::32::35 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::36::39 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::40::40 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::40::40 using (num('n_tokens_index')):(num('peak_percent')):('52') with labels font ',11' notitle, \
       data every ::41::41 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::41::41 using (num('n_tokens_index')):(num('peak_percent')):('59') with labels font ',11' notitle, \
       data every ::42::42 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::42::42 using (num('n_tokens_index')):(num('peak_percent')):('66') with labels font ',11' notitle, \
       data every ::43::43 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::43::43 using (num('n_tokens_index')):(num('peak_percent')):('74') with labels font ',11' notitle, \
       data every ::44::44 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::44::44 using (num('n_tokens_index')):(num('peak_percent')):('55') with labels font ',11' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('peak_percent')):('61') with labels font ',11' notitle, \
       data every ::46::46 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::46::46 using (num('n_tokens_index')):(num('peak_percent')):('69') with labels font ',11' notitle, \
       data every ::47::47 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::47::47 using (num('n_tokens_index')):(num('peak_percent')):('77') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.83292
  set tmargin at screen 0.25475
  set bmargin at screen 0.11027
  unset logscale x
  set xrange [-0.623:3.623]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 128, full mask, backward pass' at screen 0.09062, screen 0.26692 left font ',13'
  plot data every ::48::51 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::52::55 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('peak_percent')):('63') with labels font ',11' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('peak_percent')):('72') with labels font ',11' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('peak_percent')):('76') with labels font ',11' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('peak_percent')):('72') with labels font ',11' notitle, \
       data every ::61::61 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::61::61 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::62::62 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::62::62 using (num('n_tokens_index')):(num('peak_percent')):('76') with labels font ',11' notitle, \
       data every ::63::63 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::63::63 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle
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
  set key at screen 0.86104, screen 0.91635 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#d46207' title 'flash, bf16', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#e9b082' title 'flash, f32'
  unset multiplot
}
unset output
