# Draws layer_shares.svg, layer_shares.pdf and layer_shares.png from layer_shares.csv: gnuplot layer_shares.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'layer_shares.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,907 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'layer_shares' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,9.448in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1814 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'layer_shares.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Share of each part of a transformer layer' at screen 0.01875, screen 0.97354 left font ',16'
  set label 102 'B = 1, H = 12, d = 64, f32, full mask, flash kernel, cpu, serial ranks, all cores; 3 to 9 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512' at screen 0.01875, screen 0.94928 left font ',11' textcolor rgb '#444444'
  set label 103 '| 24 GiB; qb 0.1.0; commit 4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.93164 left font ',11' textcolor rgb '#444444'
  set label 104 'A bar: medians of the parts as shares of their sum. Biases, residual sums and the norm''s scale are in the pass beside them; QKV projection, output' at screen 0.01875, screen 0.10695 left font ',11' textcolor rgb '#444444'
  set label 105 'projection and feed-forward are matrix products.' at screen 0.01875, screen 0.08931 left font ',11' textcolor rgb '#444444'
  set label 106 'plain: attention takes half of the layer from N = 4,667 on (log-interpolated).' at screen 0.01875, screen 0.07166 left font ',11' textcolor rgb '#444444'
  set label 107 'blocks of 1024 tokens: attention takes half of the layer from N = 4,529 on (log-interpolated).' at screen 0.01875, screen 0.05402 left font ',11' textcolor rgb '#444444'
  set label 108 'Published: final report of the CMU 15-618 project Sparse Attention in CUDA, Table 4; hardware and batch size are not stated. Its self-attention is' at screen 0.01875, screen 0.03638 left font ',11' textcolor rgb '#444444'
  set label 109 'our QKV projection and attention, its intermediate our feed-forward in and GELU; only the trend compares.' at screen 0.01875, screen 0.01874 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.36167
  set tmargin at screen 0.87872
  set bmargin at screen 0.59206
  unset logscale x
  set xrange [-0.8839999999999999:8.884]
  set xtics nomirror out ('128' 0, '' 1, '512' 2, '' 3, '2Ki' 4, '' 5, '8Ki' 6, '' 7, '32Ki' 8)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'plain' at screen 0.09062, screen 0.89636 left font ',13'
  plot data every ::0::8 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::9::9 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::9::9 using (num('n_tokens_index')):(num('share_percent')):('24') with labels font ',11' notitle, \
       data every ::10::18 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::19::27 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::29::37 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#8a8a8a' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::38::46 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::47::47 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::47::47 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::48::56 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f0e442' lw 0.5 fc rgb '#f0e442' notitle, \
       data every ::57::65 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::66::66 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::66::66 using (num('n_tokens_index')):(num('share_percent')):('32') with labels font ',11' notitle, \
       data every ::67::75 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#c4c4c4' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::76::76 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::76::76 using (num('n_tokens_index')):(num('share_percent')):('24') with labels font ',11' notitle, \
       data every ::77::77 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::77::77 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::78::78 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::78::78 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::79::79 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::79::79 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::80::80 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::80::80 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::81::81 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::81::81 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::82::82 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::82::82 using (num('n_tokens_index')):(num('share_percent')):('12') with labels font ',11' notitle, \
       data every ::83::83 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::83::83 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::84::84 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::84::84 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::85::85 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::85::85 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::86::86 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::86::86 using (num('n_tokens_index')):(num('share_percent')):('21') with labels font ',11' notitle, \
       data every ::87::87 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::87::87 using (num('n_tokens_index')):(num('share_percent')):('20') with labels font ',11' notitle, \
       data every ::88::88 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::88::88 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::89::89 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::89::89 using (num('n_tokens_index')):(num('share_percent')):('25') with labels font ',11' notitle, \
       data every ::90::90 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::90::90 using (num('n_tokens_index')):(num('share_percent')):('26') with labels font ',11' notitle, \
       data every ::91::91 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::91::91 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::92::92 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::92::92 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::93::93 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::93::93 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::95::95 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::95::95 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::96::96 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::96::96 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::97::97 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::97::97 using (num('n_tokens_index')):(num('share_percent')):('47') with labels font ',11' notitle, \
       data every ::98::98 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::98::98 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::99::99 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::99::99 using (num('n_tokens_index')):(num('share_percent')):('18') with labels font ',11' notitle, \
       data every ::100::100 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::100::100 using (num('n_tokens_index')):(num('share_percent')):('9') with labels font ',11' notitle, \
       data every ::101::101 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::101::101 using (num('n_tokens_index')):(num('share_percent')):('63') with labels font ',11' notitle, \
       data every ::102::102 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::102::102 using (num('n_tokens_index')):(num('share_percent')):('12') with labels font ',11' notitle, \
       data every ::103::103 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::103::103 using (num('n_tokens_index')):(num('share_percent')):('12') with labels font ',11' notitle, \
       data every ::104::104 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::104::104 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::105::105 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::105::105 using (num('n_tokens_index')):(num('share_percent')):('78') with labels font ',11' notitle, \
       data every ::106::106 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::106::106 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::107::107 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::107::107 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::108::108 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::108::108 using (num('n_tokens_index')):(num('share_percent')):('87') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.46167
  set rmargin at screen 0.73271
  set tmargin at screen 0.87872
  set bmargin at screen 0.59206
  unset logscale x
  set xrange [-0.684:4.684]
  set xtics nomirror out ('2Ki' 0, '4Ki' 1, '8Ki' 2, '16Ki' 3, '32Ki' 4)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100.00000000000003]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'blocks of 1024 tokens' at screen 0.46167, screen 0.89636 left font ',13'
  plot data every ::109::113 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::114::114 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::114::114 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::115::119 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::120::120 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::120::120 using (num('n_tokens_index')):(num('share_percent')):('32') with labels font ',11' notitle, \
       data every ::121::125 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::126::126 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::126::126 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::127::131 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#8a8a8a' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::132::136 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::137::137 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::137::137 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::138::142 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f0e442' lw 0.5 fc rgb '#f0e442' notitle, \
       data every ::143::147 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::148::148 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::148::148 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::149::153 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#c4c4c4' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::154::154 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::154::154 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::155::155 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::155::155 using (num('n_tokens_index')):(num('share_percent')):('48') with labels font ',11' notitle, \
       data every ::156::156 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::156::156 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::157::157 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::157::157 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::158::158 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::158::158 using (num('n_tokens_index')):(num('share_percent')):('9') with labels font ',11' notitle, \
       data every ::159::159 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::159::159 using (num('n_tokens_index')):(num('share_percent')):('64') with labels font ',11' notitle, \
       data every ::160::160 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::160::160 using (num('n_tokens_index')):(num('share_percent')):('12') with labels font ',11' notitle, \
       data every ::161::161 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::161::161 using (num('n_tokens_index')):(num('share_percent')):('12') with labels font ',11' notitle, \
       data every ::162::162 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::162::162 using (num('n_tokens_index')):(num('share_percent')):('5') with labels font ',11' notitle, \
       data every ::163::163 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::163::163 using (num('n_tokens_index')):(num('share_percent')):('78') with labels font ',11' notitle, \
       data every ::164::164 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#009e73' lw 0.5 fc rgb '#009e73' notitle, \
       data every ::164::164 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::165::165 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cc79a7' lw 0.5 fc rgb '#cc79a7' notitle, \
       data every ::165::165 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::166::166 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::166::166 using (num('n_tokens_index')):(num('share_percent')):('88') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.36167
  set tmargin at screen 0.48181
  set bmargin at screen 0.19515
  unset logscale x
  set xrange [-0.684:4.684]
  set xtics nomirror out ('128' 0, '256' 1, '512' 2, '1Ki' 3, '2Ki' 4)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the layer''s time (%)'
  set label 1 'published: 15-618 project, a BERT model' at screen 0.09062, screen 0.49945 left font ',13'
  plot data every ::167::167 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::167::167 using (num('n_tokens_index')):(num('share_percent')):('31') with labels font ',11' notitle, \
       data every ::168::168 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::168::168 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::169::169 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::169::169 using (num('n_tokens_index')):(num('share_percent')):('33') with labels font ',11' notitle, \
       data every ::170::170 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::170::170 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::171::171 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::171::171 using (num('n_tokens_index')):(num('share_percent')):('47') with labels font ',11' notitle, \
       data every ::172::172 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::172::172 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::173::173 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::173::173 using (num('n_tokens_index')):(num('share_percent')):('24') with labels font ',11' notitle, \
       data every ::174::174 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::174::174 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::175::175 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::175::175 using (num('n_tokens_index')):(num('share_percent')):('44') with labels font ',11' notitle, \
       data every ::176::176 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::176::176 using (num('n_tokens_index')):(num('share_percent')):('6') with labels font ',11' notitle, \
       data every ::177::177 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::177::177 using (num('n_tokens_index')):(num('share_percent')):('26') with labels font ',11' notitle, \
       data every ::178::178 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::178::178 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::179::179 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::179::179 using (num('n_tokens_index')):(num('share_percent')):('71') with labels font ',11' notitle, \
       data every ::180::180 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::181::181 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::181::181 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::182::182 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::182::182 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::183::183 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c5a784' notitle, \
       data every ::183::183 using (num('n_tokens_index')):(num('share_percent')):('83') with labels font ',11' notitle, \
       data every ::184::184 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::185::185 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#7fceb8' notitle, \
       data every ::185::185 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::186::186 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e5bbd2' notitle, \
       data every ::186::186 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle
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
  set key at screen 0.76083, screen 0.87872 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
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
