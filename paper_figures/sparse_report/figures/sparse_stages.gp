# Draws sparse_stages.svg, sparse_stages.pdf and sparse_stages.png from sparse_stages.csv: gnuplot sparse_stages.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'sparse_stages.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1737 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'sparse_stages' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,18.094in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,3474 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'sparse_stages.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Attention in three stages beside the fused kernel' at screen 0.01875, screen 0.98618 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, cpu, serial ranks, all cores; 9 repeats; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.97352 left font ',11' textcolor rgb '#444444'
  set label 103 '4ad755e54ced; 2026-11-21' at screen 0.01875, screen 0.96431 left font ',11' textcolor rgb '#444444'
  set label 104 'Left bar: medians of the stages of the staged kernel, which holds the kept scores in memory; the rest of its wall clock is grey. Beside it the' at screen 0.01875, screen 0.05584 left font ',11' textcolor rgb '#444444'
  set label 105 'fused kernel at the same mask and N; above, how many times faster it is. The other numbers are percents.' at screen 0.01875, screen 0.04663 left font ',11' textcolor rgb '#444444'
  set label 106 'Right bar, pale: the report''s stages as shares of their sum. Published: final report of the CMU 15-618 project Sparse Attention in CUDA (2023),' at screen 0.01875, screen 0.03742 left font ',11' textcolor rgb '#444444'
  set label 107 'one GeForce RTX 2080 against one CPU thread, f32, 8 heads of 64, no spread given. Not comparable: its public code divides by the row sum without' at screen 0.01875, screen 0.02821 left font ',11' textcolor rgb '#444444'
  set label 108 'an exponential, does not check launches, and launches the softmax of full attention with an empty grid below N = 1024; the same cell differs' at screen 0.01875, screen 0.01900 left font ',11' textcolor rgb '#444444'
  set label 109 'between its tables by up to 42 %. The axes compare, the numbers do not.' at screen 0.01875, screen 0.00979 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.67104
  set tmargin at screen 0.93667
  set bmargin at screen 0.81577
  unset logscale x
  set xrange [-0.5680000000000001:3.568]
  set xtics nomirror out ('128' 0, '256' 1, '512' 2, '1,024' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:111.30000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the staged time'
  set label 1 'full' at screen 0.09062, screen 0.94588 left font ',13'
  plot data every ::0::3 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::4::4 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::4::4 using (num('n_tokens_index')):(num('share_percent')):('38') with labels font ',11' notitle, \
       data every ::5::8 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::9::9 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::9::9 using (num('n_tokens_index')):(num('share_percent')):('15') with labels font ',11' notitle, \
       data every ::10::13 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::14::14 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::14::14 using (num('n_tokens_index')):(num('share_percent')):('42') with labels font ',11' notitle, \
       data every ::15::18 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::19::22 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::23::23 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::23::23 using (num('n_tokens_index')):(num('share_percent')):('1.1×') with labels font ',11' notitle, \
       data every ::24::24 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::24::24 using (num('n_tokens_index')):(num('share_percent')):('42') with labels font ',11' notitle, \
       data every ::25::25 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::25::25 using (num('n_tokens_index')):(num('share_percent')):('13') with labels font ',11' notitle, \
       data every ::26::26 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::26::26 using (num('n_tokens_index')):(num('share_percent')):('42') with labels font ',11' notitle, \
       data every ::27::27 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::27::27 using (num('n_tokens_index')):(num('share_percent')):('1.2×') with labels font ',11' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::28::28 using (num('n_tokens_index')):(num('share_percent')):('44') with labels font ',11' notitle, \
       data every ::29::29 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::29::29 using (num('n_tokens_index')):(num('share_percent')):('12') with labels font ',11' notitle, \
       data every ::30::30 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::30::30 using (num('n_tokens_index')):(num('share_percent')):('42') with labels font ',11' notitle, \
       data every ::31::31 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::31::31 using (num('n_tokens_index')):(num('share_percent')):('1.1×') with labels font ',11' notitle, \
       data every ::32::32 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::32::32 using (num('n_tokens_index')):(num('share_percent')):('46') with labels font ',11' notitle, \
       data every ::33::33 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::33::33 using (num('n_tokens_index')):(num('share_percent')):('11') with labels font ',11' notitle, \
       data every ::34::34 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::34::34 using (num('n_tokens_index')):(num('share_percent')):('42') with labels font ',11' notitle, \
       data every ::35::35 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::35::35 using (num('n_tokens_index')):(num('share_percent')):('1.2×') with labels font ',11' notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.67104
  set tmargin at screen 0.75820
  set bmargin at screen 0.63731
  unset logscale x
  set xrange [-0.6125:3.6225]
  set xtics nomirror out ('128' 0, '256' 1, '512' 2, '1,024' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:115.11905305957653]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the staged time'
  set label 1 'block_local' at screen 0.09062, screen 0.76742 left font ',13'
  plot data every ::36::39 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::40::40 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::40::40 using (num('n_tokens_index')):(num('share_percent')):('39') with labels font ',11' notitle, \
       data every ::41::44 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::45::45 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::46::49 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::50::50 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::50::50 using (num('n_tokens_index')):(num('share_percent')):('34') with labels font ',11' notitle, \
       data every ::51::54 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::55::55 using (num('n_tokens_index')):(num('share_percent')):('10') with labels font ',11' notitle, \
       data every ::56::59 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::60::60 using (num('n_tokens_index')):(num('share_percent')):('43') with labels font ',11' notitle, \
       data every ::61::64 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::65::65 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::65::65 using (num('n_tokens_index')):(num('share_percent')):('28') with labels font ',11' notitle, \
       data every ::66::69 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::70::70 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::70::70 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::71::74 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::75::75 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::75::75 using (num('n_tokens_index')):(num('share_percent')):('1.3×') with labels font ',11' notitle, \
       data every ::76::76 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::76::76 using (num('n_tokens_index')):(num('share_percent')):('42') with labels font ',11' notitle, \
       data every ::77::77 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::77::77 using (num('n_tokens_index')):(num('share_percent')):('16') with labels font ',11' notitle, \
       data every ::78::78 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::78::78 using (num('n_tokens_index')):(num('share_percent')):('33') with labels font ',11' notitle, \
       data every ::79::79 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::79::79 using (num('n_tokens_index')):(num('share_percent')):('10') with labels font ',11' notitle, \
       data every ::80::80 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::80::80 using (num('n_tokens_index')):(num('share_percent')):('48') with labels font ',11' notitle, \
       data every ::81::81 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::81::81 using (num('n_tokens_index')):(num('share_percent')):('26') with labels font ',11' notitle, \
       data every ::82::82 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::82::82 using (num('n_tokens_index')):(num('share_percent')):('26') with labels font ',11' notitle, \
       data every ::83::83 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::83::83 using (num('n_tokens_index')):(num('share_percent')):('1.3×') with labels font ',11' notitle, \
       data every ::84::84 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::84::84 using (num('n_tokens_index')):(num('share_percent')):('48') with labels font ',11' notitle, \
       data every ::85::85 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::85::85 using (num('n_tokens_index')):(num('share_percent')):('14') with labels font ',11' notitle, \
       data every ::86::86 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::86::86 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::87::87 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::87::87 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::88::88 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::88::88 using (num('n_tokens_index')):(num('share_percent')):('51') with labels font ',11' notitle, \
       data every ::89::89 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::89::89 using (num('n_tokens_index')):(num('share_percent')):('24') with labels font ',11' notitle, \
       data every ::90::90 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::90::90 using (num('n_tokens_index')):(num('share_percent')):('25') with labels font ',11' notitle, \
       data every ::91::91 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::91::91 using (num('n_tokens_index')):(num('share_percent')):('1.4×') with labels font ',11' notitle, \
       data every ::92::92 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::92::92 using (num('n_tokens_index')):(num('share_percent')):('43') with labels font ',11' notitle, \
       data every ::93::93 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::93::93 using (num('n_tokens_index')):(num('share_percent')):('15') with labels font ',11' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::94::94 using (num('n_tokens_index')):(num('share_percent')):('32') with labels font ',11' notitle, \
       data every ::95::95 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::95::95 using (num('n_tokens_index')):(num('share_percent')):('10') with labels font ',11' notitle, \
       data every ::96::96 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::96::96 using (num('n_tokens_index')):(num('share_percent')):('57') with labels font ',11' notitle, \
       data every ::97::97 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::97::97 using (num('n_tokens_index')):(num('share_percent')):('20') with labels font ',11' notitle, \
       data every ::98::98 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::98::98 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::99::99 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::99::99 using (num('n_tokens_index')):(num('share_percent')):('1.0×') with labels font ',11' notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.67104
  set tmargin at screen 0.57974
  set bmargin at screen 0.45884
  unset logscale x
  set xrange [-0.6125:3.6225]
  set xtics nomirror out ('128' 0, '256' 1, '512' 2, '1,024' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:111.30000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the staged time'
  set label 1 'global' at screen 0.09062, screen 0.58895 left font ',13'
  plot data every ::100::103 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::104::104 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::104::104 using (num('n_tokens_index')):(num('share_percent')):('36') with labels font ',11' notitle, \
       data every ::105::108 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::109::109 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::109::109 using (num('n_tokens_index')):(num('share_percent')):('19') with labels font ',11' notitle, \
       data every ::110::113 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::114::114 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::114::114 using (num('n_tokens_index')):(num('share_percent')):('39') with labels font ',11' notitle, \
       data every ::115::118 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::119::122 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::123::123 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::123::123 using (num('n_tokens_index')):(num('share_percent')):('35') with labels font ',11' notitle, \
       data every ::124::127 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::128::128 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::128::128 using (num('n_tokens_index')):(num('share_percent')):('18') with labels font ',11' notitle, \
       data every ::129::132 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::133::133 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::133::133 using (num('n_tokens_index')):(num('share_percent')):('47') with labels font ',11' notitle, \
       data every ::134::137 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::138::138 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::138::138 using (num('n_tokens_index')):(num('share_percent')):('1.8×') with labels font ',11' notitle, \
       data every ::139::139 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::139::139 using (num('n_tokens_index')):(num('share_percent')):('41') with labels font ',11' notitle, \
       data every ::140::140 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::140::140 using (num('n_tokens_index')):(num('share_percent')):('16') with labels font ',11' notitle, \
       data every ::141::141 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::141::141 using (num('n_tokens_index')):(num('share_percent')):('32') with labels font ',11' notitle, \
       data every ::142::142 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::142::142 using (num('n_tokens_index')):(num('share_percent')):('11') with labels font ',11' notitle, \
       data every ::143::143 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::143::143 using (num('n_tokens_index')):(num('share_percent')):('32') with labels font ',11' notitle, \
       data every ::144::144 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::144::144 using (num('n_tokens_index')):(num('share_percent')):('15') with labels font ',11' notitle, \
       data every ::145::145 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::145::145 using (num('n_tokens_index')):(num('share_percent')):('53') with labels font ',11' notitle, \
       data every ::146::146 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::146::146 using (num('n_tokens_index')):(num('share_percent')):('1.3×') with labels font ',11' notitle, \
       data every ::147::147 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::147::147 using (num('n_tokens_index')):(num('share_percent')):('36') with labels font ',11' notitle, \
       data every ::148::148 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::148::148 using (num('n_tokens_index')):(num('share_percent')):('18') with labels font ',11' notitle, \
       data every ::149::149 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::149::149 using (num('n_tokens_index')):(num('share_percent')):('37') with labels font ',11' notitle, \
       data every ::150::150 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::150::150 using (num('n_tokens_index')):(num('share_percent')):('9') with labels font ',11' notitle, \
       data every ::151::151 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::151::151 using (num('n_tokens_index')):(num('share_percent')):('24') with labels font ',11' notitle, \
       data every ::152::152 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::152::152 using (num('n_tokens_index')):(num('share_percent')):('26') with labels font ',11' notitle, \
       data every ::153::153 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::153::153 using (num('n_tokens_index')):(num('share_percent')):('50') with labels font ',11' notitle, \
       data every ::154::154 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::154::154 using (num('n_tokens_index')):(num('share_percent')):('1.0×') with labels font ',11' notitle, \
       data every ::155::155 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::155::155 using (num('n_tokens_index')):(num('share_percent')):('38') with labels font ',11' notitle, \
       data every ::156::156 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::156::156 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::157::157 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::157::157 using (num('n_tokens_index')):(num('share_percent')):('37') with labels font ',11' notitle, \
       data every ::158::158 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::158::158 using (num('n_tokens_index')):(num('share_percent')):('8') with labels font ',11' notitle, \
       data every ::159::159 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::159::159 using (num('n_tokens_index')):(num('share_percent')):('20') with labels font ',11' notitle, \
       data every ::160::160 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::160::160 using (num('n_tokens_index')):(num('share_percent')):('29') with labels font ',11' notitle, \
       data every ::161::161 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::161::161 using (num('n_tokens_index')):(num('share_percent')):('51') with labels font ',11' notitle, \
       data every ::162::162 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::162::162 using (num('n_tokens_index')):(num('share_percent')):('1.1×') with labels font ',11' notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.67104
  set tmargin at screen 0.40127
  set bmargin at screen 0.28037
  unset logscale x
  set xrange [-0.5680000000000001:3.568]
  set xtics nomirror out ('128' 0, '256' 1, '512' 2, '1,024' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:111.30000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the staged time'
  set label 1 'longformer' at screen 0.09062, screen 0.41048 left font ',13'
  plot data every ::163::166 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::167::167 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::167::167 using (num('n_tokens_index')):(num('share_percent')):('39') with labels font ',11' notitle, \
       data every ::168::171 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::172::172 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::172::172 using (num('n_tokens_index')):(num('share_percent')):('25') with labels font ',11' notitle, \
       data every ::173::176 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::177::177 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::177::177 using (num('n_tokens_index')):(num('share_percent')):('32') with labels font ',11' notitle, \
       data every ::178::181 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::182::185 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::186::186 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::186::186 using (num('n_tokens_index')):(num('share_percent')):('1.6×') with labels font ',11' notitle, \
       data every ::187::187 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::187::187 using (num('n_tokens_index')):(num('share_percent')):('42') with labels font ',11' notitle, \
       data every ::188::188 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::188::188 using (num('n_tokens_index')):(num('share_percent')):('20') with labels font ',11' notitle, \
       data every ::189::189 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::189::189 using (num('n_tokens_index')):(num('share_percent')):('35') with labels font ',11' notitle, \
       data every ::190::190 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::190::190 using (num('n_tokens_index')):(num('share_percent')):('1.3×') with labels font ',11' notitle, \
       data every ::191::191 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::191::191 using (num('n_tokens_index')):(num('share_percent')):('40') with labels font ',11' notitle, \
       data every ::192::192 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::192::192 using (num('n_tokens_index')):(num('share_percent')):('26') with labels font ',11' notitle, \
       data every ::193::193 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::193::193 using (num('n_tokens_index')):(num('share_percent')):('30') with labels font ',11' notitle, \
       data every ::194::194 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::194::194 using (num('n_tokens_index')):(num('share_percent')):('1.5×') with labels font ',11' notitle, \
       data every ::195::195 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::195::195 using (num('n_tokens_index')):(num('share_percent')):('43') with labels font ',11' notitle, \
       data every ::196::196 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::196::196 using (num('n_tokens_index')):(num('share_percent')):('19') with labels font ',11' notitle, \
       data every ::197::197 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::197::197 using (num('n_tokens_index')):(num('share_percent')):('35') with labels font ',11' notitle, \
       data every ::198::198 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::198::198 using (num('n_tokens_index')):(num('share_percent')):('2.3×') with labels font ',11' notitle
  unset label
  unset key

  # panel 5
  set lmargin at screen 0.09062
  set rmargin at screen 0.67104
  set tmargin at screen 0.22280
  set bmargin at screen 0.10190
  unset logscale x
  set xrange [-0.6125:3.6225]
  set xtics nomirror out ('128' 0, '256' 1, '512' 2, '1,024' 3)
  set xlabel 'sequence length N (tokens)'
  unset logscale y
  set yrange [0:111.30000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel '% of the staged time'
  set label 1 'random' at screen 0.09062, screen 0.23201 left font ',13'
  plot data every ::199::202 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::203::203 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::203::203 using (num('n_tokens_index')):(num('share_percent')):('36') with labels font ',11' notitle, \
       data every ::204::207 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::208::208 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::208::208 using (num('n_tokens_index')):(num('share_percent')):('20') with labels font ',11' notitle, \
       data every ::209::212 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::213::213 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::213::213 using (num('n_tokens_index')):(num('share_percent')):('38') with labels font ',11' notitle, \
       data every ::214::217 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::218::221 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::222::222 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::222::222 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::223::226 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::227::227 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::227::227 using (num('n_tokens_index')):(num('share_percent')):('23') with labels font ',11' notitle, \
       data every ::228::231 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::232::232 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::232::232 using (num('n_tokens_index')):(num('share_percent')):('54') with labels font ',11' notitle, \
       data every ::233::236 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::237::237 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::237::237 using (num('n_tokens_index')):(num('share_percent')):('4.9×') with labels font ',11' notitle, \
       data every ::238::238 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::238::238 using (num('n_tokens_index')):(num('share_percent')):('39') with labels font ',11' notitle, \
       data every ::239::239 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::239::239 using (num('n_tokens_index')):(num('share_percent')):('19') with labels font ',11' notitle, \
       data every ::240::240 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::240::240 using (num('n_tokens_index')):(num('share_percent')):('39') with labels font ',11' notitle, \
       data every ::241::241 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::241::241 using (num('n_tokens_index')):(num('share_percent')):('16') with labels font ',11' notitle, \
       data every ::242::242 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::242::242 using (num('n_tokens_index')):(num('share_percent')):('17') with labels font ',11' notitle, \
       data every ::243::243 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::243::243 using (num('n_tokens_index')):(num('share_percent')):('67') with labels font ',11' notitle, \
       data every ::244::244 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::244::244 using (num('n_tokens_index')):(num('share_percent')):('7.6×') with labels font ',11' notitle, \
       data every ::245::245 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::245::245 using (num('n_tokens_index')):(num('share_percent')):('40') with labels font ',11' notitle, \
       data every ::246::246 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::246::246 using (num('n_tokens_index')):(num('share_percent')):('20') with labels font ',11' notitle, \
       data every ::247::247 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::247::247 using (num('n_tokens_index')):(num('share_percent')):('37') with labels font ',11' notitle, \
       data every ::248::248 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#aad9f3' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::248::248 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::249::249 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2ce7f' lw 0.5 fc rgb '#f2ce7f' notitle, \
       data every ::249::249 using (num('n_tokens_index')):(num('share_percent')):('7') with labels font ',11' notitle, \
       data every ::250::250 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::250::250 using (num('n_tokens_index')):(num('share_percent')):('85') with labels font ',11' notitle, \
       data every ::251::251 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::251::251 using (num('n_tokens_index')):(num('share_percent')):('12.0×') with labels font ',11' notitle, \
       data every ::252::252 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::252::252 using (num('n_tokens_index')):(num('share_percent')):('40') with labels font ',11' notitle, \
       data every ::253::253 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#e69f00' lw 0.5 fc rgb '#e69f00' notitle, \
       data every ::253::253 using (num('n_tokens_index')):(num('share_percent')):('22') with labels font ',11' notitle, \
       data every ::254::254 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#4dc3a1' lw 0.5 fc rgb '#4dc3a1' notitle, \
       data every ::254::254 using (num('n_tokens_index')):(num('share_percent')):('36') with labels font ',11' notitle, \
       data every ::255::255 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a5e0cf' lw 0.5 fc rgb '#a5e0cf' notitle, \
       data every ::255::255 using (num('n_tokens_index')):(num('share_percent')):('95') with labels font ',11' notitle, \
       data every ::256::256 using (num('n_tokens_index')):(num('share_percent')):(num('n_tokens_index_low')):(num('n_tokens_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d46207' lw 0.5 fc rgb '#d46207' notitle, \
       data every ::256::256 using (num('n_tokens_index')):(num('share_percent')):('18.2×') with labels font ',11' notitle
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
  set key at screen 0.69917, screen 0.93667 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'dense × dense → sparse', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#e69f00' title 'softmax', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#4dc3a1' title 'sparse × dense', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'rest: buffers, schedule', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d46207' title 'fused: flash', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#aad9f3' title 'published dense × dense → sparse', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f2ce7f' title 'published softmax', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#a5e0cf' title 'published sparse × dense'
  unset multiplot
}
unset output
