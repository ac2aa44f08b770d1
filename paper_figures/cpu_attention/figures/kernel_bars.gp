# Draws kernel_bars.svg, kernel_bars.pdf and kernel_bars.png from kernel_bars.csv: gnuplot kernel_bars.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'kernel_bars.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1347 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'kernel_bars' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,14.031in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2694 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'kernel_bars.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Speed of kernels in percent of the machine''s peak' at screen 0.01875, screen 0.98218 left font ',16'
  set label 102 'B = 1, H = 8, cpu, serial ranks; 5 to 6 repeats; AMD EPYC, family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 7f9ccb82d904; 2026-11-24;' at screen 0.01875, screen 0.96585 left font ',11' textcolor rgb '#444444'
  set label 103 'beside it PyTorch SDPA (torch 2.15.0+cu132; 2026-11-24)' at screen 0.01875, screen 0.95397 left font ',11' textcolor rgb '#444444'
  set label 104 'The number above a bar is its value: medians of useful FLOP/s over the peak that the same machine reached in matrix products of the type, measured' at screen 0.01875, screen 0.07201 left font ',11' textcolor rgb '#444444'
  set label 105 'beside the run.' at screen 0.01875, screen 0.06013 left font ',11' textcolor rgb '#444444'
  set label 106 'Drawn: 2 threads.' at screen 0.01875, screen 0.04826 left font ',11' textcolor rgb '#444444'
  set label 107 '* Something disturbed the measurement: measure again.' at screen 0.01875, screen 0.03638 left font ',11' textcolor rgb '#444444'
  set label 108 'Published: FlashAttention-3''s figure of its forward pass, f16, on one H100 SXM5, 16,384 tokens in a batch, over the 989.4 TFLOP/s of its data' at screen 0.01875, screen 0.02450 left font ',11' textcolor rgb '#444444'
  set label 109 'sheet, which no product reaches: ours are over a measured peak. The forms compare.' at screen 0.01875, screen 0.01262 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.70958
  set tmargin at screen 0.91834
  set bmargin at screen 0.77728
  unset logscale x
  set xrange [-0.673:4.673]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3, '8,192' 4)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 64, causal mask' at screen 0.09062, screen 0.93022 left font ',13'
  plot data every ::0::4 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::5::9 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::10::14 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#2572aa' notitle, \
       data every ::15::19 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::20::24 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::25::29 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::30::30 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::30::30 using (num('n_tokens_index')):(num('peak_percent')):('48') with labels font ',11' notitle, \
       data every ::31::31 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::31::31 using (num('n_tokens_index')):(num('peak_percent')):('61') with labels font ',11' notitle, \
       data every ::32::32 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::32::32 using (num('n_tokens_index')):(num('peak_percent')):('72') with labels font ',11' notitle, \
       data every ::33::33 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::33::33 using (num('n_tokens_index')):(num('peak_percent')):('81') with labels font ',11' notitle, \
       data every ::34::34 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::34::34 using (num('n_tokens_index')):(num('peak_percent')):('79') with labels font ',11' notitle, \
       data every ::35::35 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::35::35 using (num('n_tokens_index')):(num('peak_percent')):('51') with labels font ',11' notitle, \
       data every ::36::36 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::36::36 using (num('n_tokens_index')):(num('peak_percent')):('61') with labels font ',11' notitle, \
       data every ::37::37 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::37::37 using (num('n_tokens_index')):(num('peak_percent')):('71') with labels font ',11' notitle, \
       data every ::38::38 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::38::38 using (num('n_tokens_index')):(num('peak_percent')):('75') with labels font ',11' notitle, \
       data every ::39::39 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::39::39 using (num('n_tokens_index')):(num('peak_percent')):('79') with labels font ',11' notitle, \
       data every ::40::40 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::40::40 using (num('n_tokens_index')):(num('peak_percent')):('22') with labels font ',11' notitle, \
       data every ::41::41 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::41::41 using (num('n_tokens_index')):(num('peak_percent')):('34') with labels font ',11' notitle, \
       data every ::42::42 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::42::42 using (num('n_tokens_index')):(num('peak_percent')):('40') with labels font ',11' notitle, \
       data every ::43::43 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::43::43 using (num('n_tokens_index')):(num('peak_percent')):('49') with labels font ',11' notitle, \
       data every ::44::44 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::44::44 using (num('n_tokens_index')):(num('peak_percent')):('51') with labels font ',11' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('peak_percent')):('22') with labels font ',11' notitle, \
       data every ::46::46 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::46::46 using (num('n_tokens_index')):(num('peak_percent')):('41') with labels font ',11' notitle, \
       data every ::47::47 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::47::47 using (num('n_tokens_index')):(num('peak_percent')):('30') with labels font ',11' notitle, \
       data every ::48::48 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::48::48 using (num('n_tokens_index')):(num('peak_percent')):('49') with labels font ',11' notitle, \
       data every ::49::49 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::49::49 using (num('n_tokens_index')):(num('peak_percent')):('55') with labels font ',11' notitle, \
       data every ::50::50 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::50::50 using (num('n_tokens_index')):(num('peak_percent')):('18') with labels font ',11' notitle, \
       data every ::51::51 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::51::51 using (num('n_tokens_index')):(num('peak_percent')):('23') with labels font ',11' notitle, \
       data every ::52::52 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::52::52 using (num('n_tokens_index')):(num('peak_percent')):('26') with labels font ',11' notitle, \
       data every ::53::53 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::53::53 using (num('n_tokens_index')):(num('peak_percent')):('29') with labels font ',11' notitle, \
       data every ::54::54 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::54::54 using (num('n_tokens_index')):(num('peak_percent')):('30') with labels font ',11' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('peak_percent')):('20') with labels font ',11' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::56::56 using (num('n_tokens_index')):(num('peak_percent')):('27') with labels font ',11' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::57::57 using (num('n_tokens_index')):(num('peak_percent')):('37') with labels font ',11' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::58::58 using (num('n_tokens_index')):(num('peak_percent')):('42') with labels font ',11' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::59::59 using (num('n_tokens_index')):(num('peak_percent')):('46') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.70958
  set tmargin at screen 0.70304
  set bmargin at screen 0.56199
  unset logscale x
  set xrange [-0.673:4.673]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3, '8,192' 4)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 64, full mask' at screen 0.09062, screen 0.71492 left font ',13'
  plot data every ::60::64 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::65::69 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::70::74 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#2572aa' notitle, \
       data every ::75::79 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::80::84 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::85::89 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::90::90 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::90::90 using (num('n_tokens_index')):(num('peak_percent')):('62') with labels font ',11' notitle, \
       data every ::91::91 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::91::91 using (num('n_tokens_index')):(num('peak_percent')):('69') with labels font ',11' notitle, \
       data every ::92::92 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::92::92 using (num('n_tokens_index')):(num('peak_percent')):('76') with labels font ',11' notitle, \
       data every ::93::93 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::93::93 using (num('n_tokens_index')):(num('peak_percent')):('75') with labels font ',11' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('peak_percent')):('73') with labels font ',11' notitle, \
       data every ::95::95 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::95::95 using (num('n_tokens_index')):(num('peak_percent')):('65') with labels font ',11' notitle, \
       data every ::96::96 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::96::96 using (num('n_tokens_index')):(num('peak_percent')):('69') with labels font ',11' notitle, \
       data every ::97::97 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::97::97 using (num('n_tokens_index')):(num('peak_percent')):('71') with labels font ',11' notitle, \
       data every ::98::98 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::98::98 using (num('n_tokens_index')):(num('peak_percent')):('76') with labels font ',11' notitle, \
       data every ::99::99 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::99::99 using (num('n_tokens_index')):(num('peak_percent')):('76') with labels font ',11' notitle, \
       data every ::100::100 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::100::100 using (num('n_tokens_index')):(num('peak_percent')):('45') with labels font ',11' notitle, \
       data every ::101::101 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::101::101 using (num('n_tokens_index')):(num('peak_percent')):('54') with labels font ',11' notitle, \
       data every ::102::102 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::102::102 using (num('n_tokens_index')):(num('peak_percent')):('50') with labels font ',11' notitle, \
       data every ::103::103 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::103::103 using (num('n_tokens_index')):(num('peak_percent')):('58') with labels font ',11' notitle, \
       data every ::104::104 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::104::104 using (num('n_tokens_index')):(num('peak_percent')):('53') with labels font ',11' notitle, \
       data every ::105::105 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::105::105 using (num('n_tokens_index')):(num('peak_percent')):('60') with labels font ',11' notitle, \
       data every ::106::106 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::106::106 using (num('n_tokens_index')):(num('peak_percent')):('51') with labels font ',11' notitle, \
       data every ::107::107 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::107::107 using (num('n_tokens_index')):(num('peak_percent')):('56') with labels font ',11' notitle, \
       data every ::108::108 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::108::108 using (num('n_tokens_index')):(num('peak_percent')):('52') with labels font ',11' notitle, \
       data every ::109::109 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::109::109 using (num('n_tokens_index')):(num('peak_percent')):('57') with labels font ',11' notitle, \
       data every ::110::110 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::110::110 using (num('n_tokens_index')):(num('peak_percent')):('29') with labels font ',11' notitle, \
       data every ::111::111 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::111::111 using (num('n_tokens_index')):(num('peak_percent')):('31') with labels font ',11' notitle, \
       data every ::112::112 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::112::112 using (num('n_tokens_index')):(num('peak_percent')):('32') with labels font ',11' notitle, \
       data every ::113::113 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::113::113 using (num('n_tokens_index')):(num('peak_percent')):('32') with labels font ',11' notitle, \
       data every ::114::114 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::114::114 using (num('n_tokens_index')):(num('peak_percent')):('33') with labels font ',11' notitle, \
       data every ::115::115 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::115::115 using (num('n_tokens_index')):(num('peak_percent')):('34') with labels font ',11' notitle, \
       data every ::116::116 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::116::116 using (num('n_tokens_index')):(num('peak_percent')):('40') with labels font ',11' notitle, \
       data every ::117::117 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::117::117 using (num('n_tokens_index')):(num('peak_percent')):('46') with labels font ',11' notitle, \
       data every ::118::118 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::118::118 using (num('n_tokens_index')):(num('peak_percent')):('48') with labels font ',11' notitle, \
       data every ::119::119 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::119::119 using (num('n_tokens_index')):(num('peak_percent')):('50') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.70958
  set tmargin at screen 0.48775
  set bmargin at screen 0.34670
  unset logscale x
  set xrange [-0.673:4.673]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3, '8,192' 4)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 128, causal mask' at screen 0.09062, screen 0.49963 left font ',13'
  plot data every ::120::124 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::125::129 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::130::134 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#2572aa' notitle, \
       data every ::135::139 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::140::144 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::145::149 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::150::150 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::150::150 using (num('n_tokens_index')):(num('peak_percent')):('56') with labels font ',11' notitle, \
       data every ::151::151 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::151::151 using (num('n_tokens_index')):(num('peak_percent')):('63') with labels font ',11' notitle, \
       data every ::152::152 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::152::152 using (num('n_tokens_index')):(num('peak_percent')):('72') with labels font ',11' notitle, \
       data every ::153::153 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::153::153 using (num('n_tokens_index')):(num('peak_percent')):('74') with labels font ',11' notitle, \
       data every ::154::154 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::154::154 using (num('n_tokens_index')):(num('peak_percent')):('80') with labels font ',11' notitle, \
       data every ::155::155 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::155::155 using (num('n_tokens_index')):(num('peak_percent')):('53') with labels font ',11' notitle, \
       data every ::156::156 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::156::156 using (num('n_tokens_index')):(num('peak_percent')):('44') with labels font ',11' notitle, \
       data every ::157::157 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::157::157 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::158::158 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::158::158 using (num('n_tokens_index')):(num('peak_percent')):('75') with labels font ',11' notitle, \
       data every ::159::159 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::159::159 using (num('n_tokens_index')):(num('peak_percent')):('78') with labels font ',11' notitle, \
       data every ::160::160 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::160::160 using (num('n_tokens_index')):(num('peak_percent')):('26') with labels font ',11' notitle, \
       data every ::161::161 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::161::161 using (num('n_tokens_index')):(num('peak_percent')):('40') with labels font ',11' notitle, \
       data every ::162::162 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::162::162 using (num('n_tokens_index')):(num('peak_percent')):('47') with labels font ',11' notitle, \
       data every ::163::163 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::163::163 using (num('n_tokens_index')):(num('peak_percent')):('61') with labels font ',11' notitle, \
       data every ::164::164 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::164::164 using (num('n_tokens_index')):(num('peak_percent')):('66') with labels font ',11' notitle, \
       data every ::165::165 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::165::165 using (num('n_tokens_index')):(num('peak_percent')):('25') with labels font ',11' notitle, \
       data every ::166::166 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::166::166 using (num('n_tokens_index')):(num('peak_percent')):('41') with labels font ',11' notitle, \
       data every ::167::167 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::167::167 using (num('n_tokens_index')):(num('peak_percent')):('48') with labels font ',11' notitle, \
       data every ::168::168 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::168::168 using (num('n_tokens_index')):(num('peak_percent')):('64') with labels font ',11' notitle, \
       data every ::169::169 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::169::169 using (num('n_tokens_index')):(num('peak_percent')):('58') with labels font ',11' notitle, \
       data every ::170::170 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::170::170 using (num('n_tokens_index')):(num('peak_percent')):('19') with labels font ',11' notitle, \
       data every ::171::171 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::171::171 using (num('n_tokens_index')):(num('peak_percent')):('26') with labels font ',11' notitle, \
       data every ::172::172 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::172::172 using (num('n_tokens_index')):(num('peak_percent')):('30') with labels font ',11' notitle, \
       data every ::173::173 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::173::173 using (num('n_tokens_index')):(num('peak_percent')):('32') with labels font ',11' notitle, \
       data every ::174::174 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::174::174 using (num('n_tokens_index')):(num('peak_percent')):('34') with labels font ',11' notitle, \
       data every ::175::175 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::175::175 using (num('n_tokens_index')):(num('peak_percent')):('30') with labels font ',11' notitle, \
       data every ::176::176 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::176::176 using (num('n_tokens_index')):(num('peak_percent')):('43') with labels font ',11' notitle, \
       data every ::177::177 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::177::177 using (num('n_tokens_index')):(num('peak_percent')):('53') with labels font ',11' notitle, \
       data every ::178::178 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::178::178 using (num('n_tokens_index')):(num('peak_percent')):('59') with labels font ',11' notitle, \
       data every ::179::179 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::179::179 using (num('n_tokens_index')):(num('peak_percent')):('61') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.70958
  set tmargin at screen 0.27246
  set bmargin at screen 0.13140
  unset logscale x
  set xrange [-0.673:4.673]
  set xtics nomirror out ('512' 0, '1,024' 1, '2,048' 2, '4,096' 3, '8,192' 4)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:106]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the machine''s peak'
  set label 1 'd = 128, full mask' at screen 0.09062, screen 0.28434 left font ',13'
  plot data every ::180::184 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::185::189 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9b082' notitle, \
       data every ::190::194 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#2572aa' notitle, \
       data every ::195::199 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#91b8d4' notitle, \
       data every ::200::204 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#c4c4c4' notitle, \
       data every ::205::209 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#8a8a8a' notitle, \
       data every ::210::210 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::210::210 using (num('n_tokens_index')):(num('peak_percent')):('58') with labels font ',11' notitle, \
       data every ::211::211 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::211::211 using (num('n_tokens_index')):(num('peak_percent')):('74') with labels font ',11' notitle, \
       data every ::212::212 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::212::212 using (num('n_tokens_index')):(num('peak_percent')):('45*') with labels font ',11' notitle, \
       data every ::213::213 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::213::213 using (num('n_tokens_index')):(num('peak_percent')):('89') with labels font ',11' notitle, \
       data every ::214::214 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::214::214 using (num('n_tokens_index')):(num('peak_percent')):('79') with labels font ',11' notitle, \
       data every ::215::215 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::215::215 using (num('n_tokens_index')):(num('peak_percent')):('72') with labels font ',11' notitle, \
       data every ::216::216 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::216::216 using (num('n_tokens_index')):(num('peak_percent')):('76') with labels font ',11' notitle, \
       data every ::217::217 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::217::217 using (num('n_tokens_index')):(num('peak_percent')):('85') with labels font ',11' notitle, \
       data every ::218::218 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::218::218 using (num('n_tokens_index')):(num('peak_percent')):('85') with labels font ',11' notitle, \
       data every ::219::219 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::219::219 using (num('n_tokens_index')):(num('peak_percent')):('77') with labels font ',11' notitle, \
       data every ::220::220 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::220::220 using (num('n_tokens_index')):(num('peak_percent')):('50') with labels font ',11' notitle, \
       data every ::221::221 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::221::221 using (num('n_tokens_index')):(num('peak_percent')):('69') with labels font ',11' notitle, \
       data every ::222::222 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::222::222 using (num('n_tokens_index')):(num('peak_percent')):('46') with labels font ',11' notitle, \
       data every ::223::223 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::223::223 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::224::224 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::224::224 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::225::225 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::225::225 using (num('n_tokens_index')):(num('peak_percent')):('52') with labels font ',11' notitle, \
       data every ::226::226 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::226::226 using (num('n_tokens_index')):(num('peak_percent')):('59') with labels font ',11' notitle, \
       data every ::227::227 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::227::227 using (num('n_tokens_index')):(num('peak_percent')):('62') with labels font ',11' notitle, \
       data every ::228::228 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::228::228 using (num('n_tokens_index')):(num('peak_percent')):('68') with labels font ',11' notitle, \
       data every ::229::229 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::229::229 using (num('n_tokens_index')):(num('peak_percent')):('70') with labels font ',11' notitle, \
       data every ::230::230 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::230::230 using (num('n_tokens_index')):(num('peak_percent')):('31') with labels font ',11' notitle, \
       data every ::231::231 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::231::231 using (num('n_tokens_index')):(num('peak_percent')):('35') with labels font ',11' notitle, \
       data every ::232::232 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::232::232 using (num('n_tokens_index')):(num('peak_percent')):('37') with labels font ',11' notitle, \
       data every ::233::233 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::233::233 using (num('n_tokens_index')):(num('peak_percent')):('37') with labels font ',11' notitle, \
       data every ::234::234 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::234::234 using (num('n_tokens_index')):(num('peak_percent')):('37') with labels font ',11' notitle, \
       data every ::235::235 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::235::235 using (num('n_tokens_index')):(num('peak_percent')):('47') with labels font ',11' notitle, \
       data every ::236::236 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::236::236 using (num('n_tokens_index')):(num('peak_percent')):('57') with labels font ',11' notitle, \
       data every ::237::237 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::237::237 using (num('n_tokens_index')):(num('peak_percent')):('63') with labels font ',11' notitle, \
       data every ::238::238 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::238::238 using (num('n_tokens_index')):(num('peak_percent')):('64') with labels font ',11' notitle, \
       data every ::239::239 using (num('n_tokens_index')):(num('peak_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('peak_percent_low')):(num('peak_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#ffffff' notitle, \
       data every ::239::239 using (num('n_tokens_index')):(num('peak_percent')):('65') with labels font ',11' notitle
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
  set key at screen 0.73771, screen 0.91834 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#d46207' title 'flash, bf16', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#e9b082' title 'flash, f32', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#2572aa' title 'torch_sdpa, bf16', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#91b8d4' title 'torch_sdpa, f32', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#c4c4c4' title 'published: FlashAttention-2', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#8a8a8a' title 'published: FlashAttention-3'
  unset multiplot
}
unset output
