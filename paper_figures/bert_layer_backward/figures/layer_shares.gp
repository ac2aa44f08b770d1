# Draws layer_shares.svg, layer_shares.pdf and layer_shares.png from layer_shares.csv: gnuplot layer_shares.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'layer_shares.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,499 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'layer_shares' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.198in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,998 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'layer_shares.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Share of each part of a transformer layer' at screen 0.01875, screen 0.95190 left font ',16'
  set label 102 'B = 1, H = 12, d = 64, f32, full mask, both passes, flash kernel, cpu, serial ranks, all cores; 6 repeats; AMD EPYC, family 25 model 1 | 2 cores |' at screen 0.01875, screen 0.90782 left font ',11' textcolor rgb '#444444'
  set label 103 'avx2 | 24 GiB; qb 0.1.0; commit d0c284855df0; 2026-11-23' at screen 0.01875, screen 0.87575 left font ',11' textcolor rgb '#444444'
  set label 104 'A bar: medians of the parts as shares of their sum. Biases, residual sums and the norm''s scale are in the pass beside them; QKV projection, output' at screen 0.01875, screen 0.09820 left font ',11' textcolor rgb '#444444'
  set label 105 'projection and feed-forward are matrix products.' at screen 0.01875, screen 0.06613 left font ',11' textcolor rgb '#444444'
  set label 106 'plain: attention takes half of the layer from N = 3,941 on (log-interpolated).' at screen 0.01875, screen 0.03407 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.38865
  set tmargin at screen 0.77956
  set bmargin at screen 0.25852
  unset logscale x
  set xrange [-0.734:5.734]
  set xtics nomirror out ('128' 0, '256' 1, '512' 2, '1Ki' 3, '2Ki' 4, '4Ki' 5)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'plain' at screen 0.09062, screen 0.81162 left font ',13'
  plot data every ::0::5 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::6::6 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::6::6 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::7::12 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::13::18 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::19::19 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::19::19 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::20::25 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#8a8a8a' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::26::31 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::32::32 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::32::32 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::33::38 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f0e442' lw 0.5 fc rgb '#f0e442' notitle, \
       data every ::39::44 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('share_percent')):('33') with labels font ',11' notitle, \
       data every ::46::51 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#c4c4c4' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::52::52 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::52::52 using (num('n_tokens_index')):(num('share_percent')):('21') with labels font ',11' notitle, \
       data every ::53::53 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::53::53 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::54::54 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::54::54 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('share_percent')):('34') with labels font ',11' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::61::61 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::61::61 using (num('n_tokens_index')):(num('share_percent')):('27') with labels font ',11' notitle, \
       data every ::62::62 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::62::62 using (num('n_tokens_index')):(num('share_percent')):('19') with labels font ',11' notitle, \
       data every ::63::63 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::63::63 using (num('n_tokens_index')):(num('share_percent')):('21') with labels font ',11' notitle, \
       data every ::64::64 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::64::64 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::65::65 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::65::65 using (num('n_tokens_index')):(num('share_percent')):('25') with labels font ',11' notitle, \
       data every ::66::66 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::66::66 using (num('n_tokens_index')):(num('share_percent')):('25') with labels font ',11' notitle, \
       data every ::67::67 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::67::67 using (num('n_tokens_index')):(num('share_percent')):('16') with labels font ',11' notitle, \
       data every ::68::68 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::68::68 using (num('n_tokens_index')):(num('share_percent')):('33') with labels font ',11' notitle, \
       data every ::69::69 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::69::69 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::70::70 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::70::70 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::71::71 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::71::71 using (num('n_tokens_index')):(num('share_percent')):('21') with labels font ',11' notitle, \
       data every ::72::72 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::72::72 using (num('n_tokens_index')):(num('share_percent')):('11') with labels font ',11' notitle, \
       data every ::73::73 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::73::73 using (num('n_tokens_index')):(num('share_percent')):('51') with labels font ',11' notitle, \
       data every ::74::74 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::74::74 using (num('n_tokens_index')):(num('share_percent')):('16') with labels font ',11' notitle, \
       data every ::75::75 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::75::75 using (num('n_tokens_index')):(num('share_percent')):('16') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.48865
  set rmargin at screen 0.78667
  set tmargin at screen 0.77956
  set bmargin at screen 0.25852
  unset logscale x
  set xrange [-0.534:1.534]
  set xtics nomirror out ('2Ki' 0, '4Ki' 1)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'blocks of 1024 tokens' at screen 0.48865, screen 0.81162 left font ',13'
  plot data every ::76::77 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::78::78 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::78::78 using (num('n_tokens_index')):(num('share_percent')):('14') with labels font ',11' notitle, \
       data every ::79::80 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::81::81 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::81::81 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::82::83 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::84::84 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::84::84 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::85::86 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#8a8a8a' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::87::88 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::89::89 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::89::89 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::90::91 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f0e442' lw 0.5 fc rgb '#f0e442' notitle, \
       data every ::92::93 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('share_percent')):('25') with labels font ',11' notitle, \
       data every ::95::96 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#c4c4c4' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::97::97 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::97::97 using (num('n_tokens_index')):(num('share_percent')):('11') with labels font ',11' notitle, \
       data every ::98::98 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::98::98 using (num('n_tokens_index')):(num('share_percent')):('44') with labels font ',11' notitle, \
       data every ::99::99 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::99::99 using (num('n_tokens_index')):(num('share_percent')):('5') with labels font ',11' notitle, \
       data every ::100::100 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::100::100 using (num('n_tokens_index')):(num('share_percent')):('19') with labels font ',11' notitle, \
       data every ::101::101 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::101::101 using (num('n_tokens_index')):(num('share_percent')):('19') with labels font ',11' notitle
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
  set key at screen 0.81479, screen 0.77956 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'QKV projection', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'attention', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#e69f00' title 'output projection', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#8a8a8a' title 'attention norm', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#009e73' title 'feed-forward in', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f0e442' title 'GELU', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#cc79a7' title 'feed-forward out', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#c4c4c4' title 'output norm'
  unset multiplot
}
unset output
