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
  set label 102 'B = 1, H = 8, backward pass, cpu, serial ranks; 5 to 6 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.96502 left font ',11' textcolor rgb '#444444'
  set label 103 'b27365e418f7; 2026-11-24; beside it PyTorch SDPA (torch 2.15.0+cu132; 2026-11-24)' at screen 0.01875, screen 0.95285 left font ',11' textcolor rgb '#444444'
  set label 104 'The number above a bar is its value: medians of useful FLOP/s over the peak that the same machine reached in matrix products of the type, measured' at screen 0.01875, screen 0.04943 left font ',11' textcolor rgb '#444444'
  set label 105 'beside the run.' at screen 0.01875, screen 0.03726 left font ',11' textcolor rgb '#444444'
  set label 106 'Drawn: 2 threads.' at screen 0.01875, screen 0.02510 left font ',11' textcolor rgb '#444444'
  set label 107 '* Something disturbed the measurement: measure again.' at screen 0.01875, screen 0.01293 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.79438
  set tmargin at screen 0.91635
  set bmargin at screen 0.77186
  unset logscale x
  set xrange [-0.623:3.6229999999999998]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 64, causal mask, backward pass' at screen 0.09062, screen 0.92852 left font ',13'
  plot data every ::0::3 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::4::7 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::8::11 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#2572aa' notitle, \
       data every ::12::15 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::16::16 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::16::16 using (num('n_tokens_index')):(num('peak_percent')):('51') with labels font ',11' notitle, \
       data every ::17::17 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::17::17 using (num('n_tokens_index')):(num('peak_percent')):('59') with labels font ',11' notitle, \
       data every ::18::18 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::18::18 using (num('n_tokens_index')):(num('peak_percent')):('65') with labels font ',11' notitle, \
       data every ::19::19 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::19::19 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::20::20 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::20::20 using (num('n_tokens_index')):(num('peak_percent')):('51') with labels font ',11' notitle, \
       data every ::21::21 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::21::21 using (num('n_tokens_index')):(num('peak_percent')):('64') with labels font ',11' notitle, \
       data every ::22::22 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::22::22 using (num('n_tokens_index')):(num('peak_percent')):('64') with labels font ',11' notitle, \
       data every ::23::23 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::23::23 using (num('n_tokens_index')):(num('peak_percent')):('69') with labels font ',11' notitle, \
       data every ::24::24 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::24::24 using (num('n_tokens_index')):(num('peak_percent')):('3') with labels font ',11' notitle, \
       data every ::25::25 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::25::25 using (num('n_tokens_index')):(num('peak_percent')):('5') with labels font ',11' notitle, \
       data every ::26::26 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::26::26 using (num('n_tokens_index')):(num('peak_percent')):('5') with labels font ',11' notitle, \
       data every ::27::27 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::27::27 using (num('n_tokens_index')):(num('peak_percent')):('6') with labels font ',11' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('peak_percent')):('22') with labels font ',11' notitle, \
       data every ::29::29 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::29::29 using (num('n_tokens_index')):(num('peak_percent')):('34') with labels font ',11' notitle, \
       data every ::30::30 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::30::30 using (num('n_tokens_index')):(num('peak_percent')):('47') with labels font ',11' notitle, \
       data every ::31::31 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::31::31 using (num('n_tokens_index')):(num('peak_percent')):('53') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.79438
  set tmargin at screen 0.69582
  set bmargin at screen 0.55133
  unset logscale x
  set xrange [-0.623:3.6229999999999998]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 64, full mask, backward pass' at screen 0.09062, screen 0.70798 left font ',13'
  plot data every ::32::35 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::36::39 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::40::43 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#2572aa' notitle, \
       data every ::44::47 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::48::48 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::48::48 using (num('n_tokens_index')):(num('peak_percent')):('65') with labels font ',11' notitle, \
       data every ::49::49 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::49::49 using (num('n_tokens_index')):(num('peak_percent')):('66') with labels font ',11' notitle, \
       data every ::50::50 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::50::50 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::51::51 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::51::51 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::52::52 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::52::52 using (num('n_tokens_index')):(num('peak_percent')):('65') with labels font ',11' notitle, \
       data every ::53::53 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::53::53 using (num('n_tokens_index')):(num('peak_percent')):('64*') with labels font ',11' notitle, \
       data every ::54::54 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::54::54 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('peak_percent')):('71') with labels font ',11' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('peak_percent')):('7') with labels font ',11' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('peak_percent')):('6') with labels font ',11' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('peak_percent')):('5') with labels font ',11' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('peak_percent')):('7') with labels font ',11' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('peak_percent')):('31') with labels font ',11' notitle, \
       data every ::61::61 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::61::61 using (num('n_tokens_index')):(num('peak_percent')):('55') with labels font ',11' notitle, \
       data every ::62::62 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::62::62 using (num('n_tokens_index')):(num('peak_percent')):('49') with labels font ',11' notitle, \
       data every ::63::63 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::63::63 using (num('n_tokens_index')):(num('peak_percent')):('59') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.79438
  set tmargin at screen 0.47529
  set bmargin at screen 0.33080
  unset logscale x
  set xrange [-0.623:3.6229999999999998]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 128, causal mask, backward pass' at screen 0.09062, screen 0.48745 left font ',13'
  plot data every ::64::67 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::68::71 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::72::75 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#2572aa' notitle, \
       data every ::76::79 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::80::80 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::80::80 using (num('n_tokens_index')):(num('peak_percent')):('52') with labels font ',11' notitle, \
       data every ::81::81 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::81::81 using (num('n_tokens_index')):(num('peak_percent')):('59') with labels font ',11' notitle, \
       data every ::82::82 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::82::82 using (num('n_tokens_index')):(num('peak_percent')):('66') with labels font ',11' notitle, \
       data every ::83::83 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::83::83 using (num('n_tokens_index')):(num('peak_percent')):('74') with labels font ',11' notitle, \
       data every ::84::84 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::84::84 using (num('n_tokens_index')):(num('peak_percent')):('55') with labels font ',11' notitle, \
       data every ::85::85 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::85::85 using (num('n_tokens_index')):(num('peak_percent')):('61') with labels font ',11' notitle, \
       data every ::86::86 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::86::86 using (num('n_tokens_index')):(num('peak_percent')):('69') with labels font ',11' notitle, \
       data every ::87::87 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::87::87 using (num('n_tokens_index')):(num('peak_percent')):('77') with labels font ',11' notitle, \
       data every ::88::88 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::88::88 using (num('n_tokens_index')):(num('peak_percent')):('3') with labels font ',11' notitle, \
       data every ::89::89 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::89::89 using (num('n_tokens_index')):(num('peak_percent')):('4') with labels font ',11' notitle, \
       data every ::90::90 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::90::90 using (num('n_tokens_index')):(num('peak_percent')):('5') with labels font ',11' notitle, \
       data every ::91::91 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::91::91 using (num('n_tokens_index')):(num('peak_percent')):('6') with labels font ',11' notitle, \
       data every ::92::92 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::92::92 using (num('n_tokens_index')):(num('peak_percent')):('32') with labels font ',11' notitle, \
       data every ::93::93 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::93::93 using (num('n_tokens_index')):(num('peak_percent')):('46') with labels font ',11' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('peak_percent')):('49') with labels font ',11' notitle, \
       data every ::95::95 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::95::95 using (num('n_tokens_index')):(num('peak_percent')):('57') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.79438
  set tmargin at screen 0.25475
  set bmargin at screen 0.11027
  unset logscale x
  set xrange [-0.623:3.6229999999999998]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 128, full mask, backward pass' at screen 0.09062, screen 0.26692 left font ',13'
  plot data every ::96::99 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::100::103 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::104::107 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#2572aa' notitle, \
       data every ::108::111 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::112::112 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::112::112 using (num('n_tokens_index')):(num('peak_percent')):('63') with labels font ',11' notitle, \
       data every ::113::113 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::113::113 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::114::114 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::114::114 using (num('n_tokens_index')):(num('peak_percent')):('72') with labels font ',11' notitle, \
       data every ::115::115 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::115::115 using (num('n_tokens_index')):(num('peak_percent')):('76') with labels font ',11' notitle, \
       data every ::116::116 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::116::116 using (num('n_tokens_index')):(num('peak_percent')):('72') with labels font ',11' notitle, \
       data every ::117::117 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::117::117 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::118::118 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::118::118 using (num('n_tokens_index')):(num('peak_percent')):('76') with labels font ',11' notitle, \
       data every ::119::119 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::119::119 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::120::120 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::120::120 using (num('n_tokens_index')):(num('peak_percent')):('6') with labels font ',11' notitle, \
       data every ::121::121 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::121::121 using (num('n_tokens_index')):(num('peak_percent')):('7') with labels font ',11' notitle, \
       data every ::122::122 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::122::122 using (num('n_tokens_index')):(num('peak_percent')):('7') with labels font ',11' notitle, \
       data every ::123::123 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::123::123 using (num('n_tokens_index')):(num('peak_percent')):('8') with labels font ',11' notitle, \
       data every ::124::124 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::124::124 using (num('n_tokens_index')):(num('peak_percent')):('52') with labels font ',11' notitle, \
       data every ::125::125 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::125::125 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::126::126 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::126::126 using (num('n_tokens_index')):(num('peak_percent')):('66') with labels font ',11' notitle, \
       data every ::127::127 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::127::127 using (num('n_tokens_index')):(num('peak_percent')):('60') with labels font ',11' notitle
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
  set key at screen 0.82250, screen 0.91635 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#d46207' title 'flash, bf16', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#e9b082' title 'flash, f32', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#2572aa' title 'torch_sdpa, bf16', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#91b8d4' title 'torch_sdpa, f32'
  unset multiplot
}
unset output
