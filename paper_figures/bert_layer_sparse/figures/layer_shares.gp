# Draws layer_shares.svg, layer_shares.pdf and layer_shares.png from layer_shares.csv: gnuplot layer_shares.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'layer_shares.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,891 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'layer_shares' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.281in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1782 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'layer_shares.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Share of each part of a transformer layer' at screen 0.01875, screen 0.97306 left font ',16'
  set label 102 'B = 1, H = 12, d = 64, f32, flash kernel, cpu, serial ranks, all cores; 3 to 5 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB;' at screen 0.01875, screen 0.94837 left font ',11' textcolor rgb '#444444'
  set label 103 'qb 0.1.0; commit 0c2cd2bb93d1; 2026-11-21' at screen 0.01875, screen 0.93042 left font ',11' textcolor rgb '#444444'
  set label 104 'A bar: medians of the parts as shares of their sum. Biases, residual sums and the norm''s scale are in the pass beside them; QKV projection, output' at screen 0.01875, screen 0.09091 left font ',11' textcolor rgb '#444444'
  set label 105 'projection and feed-forward are matrix products.' at screen 0.01875, screen 0.07295 left font ',11' textcolor rgb '#444444'
  set label 106 'plain, full mask: attention takes half of the layer from N = 4,493 on (log-interpolated).' at screen 0.01875, screen 0.05499 left font ',11' textcolor rgb '#444444'
  set label 107 'Published: final report of the CMU 15-618 project Sparse Attention in CUDA, Table 4; hardware and batch size are not stated. Its self-attention is' at screen 0.01875, screen 0.03704 left font ',11' textcolor rgb '#444444'
  set label 108 'our QKV projection and attention, its intermediate our feed-forward in and GELU; only the trend compares.' at screen 0.01875, screen 0.01908 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.36167
  set tmargin at screen 0.87654
  set bmargin at screen 0.58474
  unset logscale x
  set xrange [-0.684:4.684]
  set xtics nomirror out ('512' 0, '1Ki' 1, '2Ki' 2, '4Ki' 3, '8Ki' 4)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'plain, full mask' at screen 0.09062, screen 0.89450 left font ',13'
  plot data every ::0::4 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::5::5 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::5::5 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::6::10 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::11::11 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::11::11 using (num('n_tokens_index')):(num('share_percent')):('11') with labels font ',11' notitle, \
       data every ::12::16 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::17::17 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::17::17 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::18::22 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#8a8a8a' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::23::27 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::29::33 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f0e442' lw 0.5 fc rgb '#f0e442' notitle, \
       data every ::34::38 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::39::39 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::39::39 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::40::44 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#c4c4c4' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('share_percent')):('20') with labels font ',11' notitle, \
       data every ::46::46 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::46::46 using (num('n_tokens_index')):(num('share_percent')):('19') with labels font ',11' notitle, \
       data every ::47::47 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::47::47 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::48::48 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::48::48 using (num('n_tokens_index')):(num('share_percent')):('26') with labels font ',11' notitle, \
       data every ::49::49 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::49::49 using (num('n_tokens_index')):(num('share_percent')):('27') with labels font ',11' notitle, \
       data every ::50::50 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::50::50 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::51::51 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::51::51 using (num('n_tokens_index')):(num('share_percent')):('32') with labels font ',11' notitle, \
       data every ::52::52 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::52::52 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::53::53 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::53::53 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::54::54 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::54::54 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('share_percent')):('48') with labels font ',11' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('share_percent')):('9') with labels font ',11' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('share_percent')):('64') with labels font ',11' notitle, \
       data every ::61::61 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::61::61 using (num('n_tokens_index')):(num('share_percent')):('11') with labels font ',11' notitle, \
       data every ::62::62 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::62::62 using (num('n_tokens_index')):(num('share_percent')):('12') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.46167
  set rmargin at screen 0.73271
  set tmargin at screen 0.87654
  set bmargin at screen 0.58474
  unset logscale x
  set xrange [-0.784:6.784000000000001]
  set xtics nomirror out ('512' 0, '1Ki' 1, '2Ki' 2, '4Ki' 3, '8Ki' 4, '16Ki' 5, '32Ki' 6)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'plain, bigbird mask' at screen 0.46167, screen 0.89450 left font ',13'
  plot data every ::63::69 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::70::70 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::70::70 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::71::77 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::78::78 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::78::78 using (num('n_tokens_index')):(num('share_percent')):('11') with labels font ',11' notitle, \
       data every ::79::85 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::86::86 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::86::86 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::87::93 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#8a8a8a' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::94::100 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::101::101 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::101::101 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::102::108 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f0e442' lw 0.5 fc rgb '#f0e442' notitle, \
       data every ::109::115 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::116::116 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::116::116 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::117::123 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#c4c4c4' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::124::124 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::124::124 using (num('n_tokens_index')):(num('share_percent')):('21') with labels font ',11' notitle, \
       data every ::125::125 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::125::125 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::126::126 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::126::126 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::127::127 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::127::127 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::128::128 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::128::128 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::129::129 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::129::129 using (num('n_tokens_index')):(num('share_percent')):('21') with labels font ',11' notitle, \
       data every ::130::130 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::130::130 using (num('n_tokens_index')):(num('share_percent')):('14') with labels font ',11' notitle, \
       data every ::131::131 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::131::131 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::132::132 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::132::132 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::133::133 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::133::133 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::134::134 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::134::134 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::135::135 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::135::135 using (num('n_tokens_index')):(num('share_percent')):('15') with labels font ',11' notitle, \
       data every ::136::136 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::136::136 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::137::137 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::137::137 using (num('n_tokens_index')):(num('share_percent')):('27') with labels font ',11' notitle, \
       data every ::138::138 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::138::138 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::139::139 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::139::139 using (num('n_tokens_index')):(num('share_percent')):('21') with labels font ',11' notitle, \
       data every ::140::140 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::140::140 using (num('n_tokens_index')):(num('share_percent')):('15') with labels font ',11' notitle, \
       data every ::141::141 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::141::141 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::142::142 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::142::142 using (num('n_tokens_index')):(num('share_percent')):('27') with labels font ',11' notitle, \
       data every ::143::143 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::143::143 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::144::144 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::144::144 using (num('n_tokens_index')):(num('share_percent')):('21') with labels font ',11' notitle, \
       data every ::145::145 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::145::145 using (num('n_tokens_index')):(num('share_percent')):('15') with labels font ',11' notitle, \
       data every ::146::146 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::146::146 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::147::147 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::147::147 using (num('n_tokens_index')):(num('share_percent')):('27') with labels font ',11' notitle, \
       data every ::148::148 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::148::148 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::149::149 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::149::149 using (num('n_tokens_index')):(num('share_percent')):('20') with labels font ',11' notitle, \
       data every ::150::150 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::150::150 using (num('n_tokens_index')):(num('share_percent')):('16') with labels font ',11' notitle, \
       data every ::151::151 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::151::151 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::152::152 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::152::152 using (num('n_tokens_index')):(num('share_percent')):('27') with labels font ',11' notitle, \
       data every ::153::153 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::153::153 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.36167
  set tmargin at screen 0.47250
  set bmargin at screen 0.18070
  unset logscale x
  set xrange [-0.784:6.784000000000001]
  set xtics nomirror out ('512' 0, '1Ki' 1, '2Ki' 2, '4Ki' 3, '8Ki' 4, '16Ki' 5, '32Ki' 6)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'plain, sliding_window mask' at screen 0.09062, screen 0.49046 left font ',13'
  plot data every ::154::160 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::161::161 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::161::161 using (num('n_tokens_index')):(num('share_percent')):('24') with labels font ',11' notitle, \
       data every ::162::168 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::169::169 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::169::169 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::170::176 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::177::177 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::177::177 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::178::184 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#8a8a8a' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::185::191 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::192::192 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::192::192 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::193::199 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f0e442' lw 0.5 fc rgb '#f0e442' notitle, \
       data every ::200::206 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::207::207 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::207::207 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::208::214 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#c4c4c4' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::215::215 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::215::215 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::216::216 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::216::216 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::217::217 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::217::217 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::218::218 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::218::218 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::219::219 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::219::219 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::220::220 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::220::220 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::221::221 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::221::221 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::222::222 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::222::222 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::223::223 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::223::223 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::224::224 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::224::224 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::225::225 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::225::225 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::226::226 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::226::226 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::227::227 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::227::227 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::228::228 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::228::228 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::229::229 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::229::229 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::230::230 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::230::230 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::231::231 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::231::231 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::232::232 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::232::232 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::233::233 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::233::233 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::234::234 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::234::234 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::235::235 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::235::235 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::236::236 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::236::236 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::237::237 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::237::237 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::238::238 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::238::238 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::239::239 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::239::239 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::240::240 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::240::240 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::241::241 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::241::241 using (num('n_tokens_index')):(num('share_percent')):('9') with labels font ',11' notitle, \
       data every ::242::242 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::242::242 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::243::243 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::243::243 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::244::244 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::244::244 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.46167
  set rmargin at screen 0.73271
  set tmargin at screen 0.47250
  set bmargin at screen 0.18070
  unset logscale x
  set xrange [-0.684:4.684]
  set xtics nomirror out ('128' 0, '256' 1, '512' 2, '1Ki' 3, '2Ki' 4)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'published: 15-618 project, a BERT model' at screen 0.46167, screen 0.49046 left font ',13'
  plot data every ::245::245 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::245::245 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::246::246 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::246::246 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::247::247 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::247::247 using (num('n_tokens_index')):(num('share_percent')):('33') with labels font ',11' notitle, \
       data every ::248::248 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::248::248 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::249::249 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::249::249 using (num('n_tokens_index')):(num('share_percent')):('47') with labels font ',11' notitle, \
       data every ::250::250 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::250::250 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::251::251 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::251::251 using (num('n_tokens_index')):(num('share_percent')):('24') with labels font ',11' notitle, \
       data every ::252::252 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::252::252 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::253::253 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::253::253 using (num('n_tokens_index')):(num('share_percent')):('44') with labels font ',11' notitle, \
       data every ::254::254 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::254::254 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::255::255 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::255::255 using (num('n_tokens_index')):(num('share_percent')):('26') with labels font ',11' notitle, \
       data every ::256::256 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::256::256 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::257::257 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::257::257 using (num('n_tokens_index')):(num('share_percent')):('71') with labels font ',11' notitle, \
       data every ::258::258 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::259::259 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::259::259 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::260::260 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::260::260 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::261::261 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::261::261 using (num('n_tokens_index')):(num('share_percent')):('83') with labels font ',11' notitle, \
       data every ::262::262 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::263::263 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::263::263 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::264::264 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::264::264 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle
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
  set key at screen 0.76083, screen 0.87654 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'QKV projection', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'attention', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#e69f00' title 'output projection', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#8a8a8a' title 'attention norm', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#009e73' title 'feed-forward in', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f0e442' title 'GELU', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#cc79a7' title 'feed-forward out', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#c4c4c4' title 'output norm', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#c5a784' title 'published self-attention', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f2ce7f' title 'published self-output', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#7fceb8' title 'published intermediate', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#e5bbd2' title 'published output'
  unset multiplot
}
unset output
