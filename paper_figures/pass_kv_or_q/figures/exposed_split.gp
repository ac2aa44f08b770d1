# Draws exposed_split.svg, exposed_split.pdf and exposed_split.png from exposed_split.csv: gnuplot exposed_split.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'exposed_split.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1451 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'exposed_split' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,15.115in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2902 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'exposed_split.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Where the time of pass_kv and pass_q goes, by miss rate' at screen 0.01875, screen 0.98346 left font ',16'
  set label 102 'B = 1, H = 16, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb' at screen 0.01875, screen 0.96830 left font ',11' textcolor rgb '#444444'
  set label 103 '0.1.0; commit 05810fb56efb with changes; 2026-11-20' at screen 0.01875, screen 0.95727 left font ',11' textcolor rgb '#444444'
  set label 104 'A bar: medians of computing, of exposed communication and of idle time, each of the worker where it is largest and summed over its steps, as' at screen 0.01875, screen 0.05582 left font ',11' textcolor rgb '#444444'
  set label 105 'shares of their sum; they need not add up to the wall clock. Under it: KV is pass_kv, Q is pass_q, and where there is room the wall clock in ms.' at screen 0.01875, screen 0.04480 left font ',11' textcolor rgb '#444444'
  set label 106 'Published: Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 H100, RDMA of 400 Gb/s per GPU between' at screen 0.01875, screen 0.03377 left font ',11' textcolor rgb '#444444'
  set label 107 'hosts; Table 5, 4 ranks, P + T = 128,000. attn and sendrecv are of one iteration of the ring, of which there are 4 and 3, and run beside each' at screen 0.01875, screen 0.02274 left font ',11' textcolor rgb '#444444'
  set label 108 'other, so that only what sendrecv takes beyond attn is exposed; all2all comes once and is exposed. Their shares are drawn as printed.' at screen 0.01875, screen 0.01172 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.92419
  set bmargin at screen 0.77257
  unset logscale x
  set xrange [-0.823:7.8229999999999995]
  set xtics nomirror out ('0.781' 0, '1.56' 1, '3.12' 2, '6.25' 3, '12.5' 4, '25' 5, '50' 6, '100' 7)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [-19:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the parts (%)'
  set label 1 'W = 4, threads, 50 MB/s, 8,192 keys' at screen 0.09062, screen 0.93522 left font ',13'
  plot data every ::0::15 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::16::31 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::32::43 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::44::44 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::44::44 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::44::44 using (num('miss_rate_index')):(num('share_percent')):('74.5') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::45::45 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::45::45 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::45::45 using (num('miss_rate_index')):(num('share_percent')):('30.1') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::46::46 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::46::46 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::46::46 using (num('miss_rate_index')):(num('share_percent')):('83.7') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::47::47 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::47::47 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::47::47 using (num('miss_rate_index')):(num('share_percent')):('36.3') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::48::48 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::48::48 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::48::48 using (num('miss_rate_index')):(num('share_percent')):('92.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::49::49 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::49::49 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::49::49 using (num('miss_rate_index')):(num('share_percent')):('66.3') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::50::50 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::50::50 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::50::50 using (num('miss_rate_index')):(num('share_percent')):('104') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::51::51 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::51::51 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::51::51 using (num('miss_rate_index')):(num('share_percent')):('130') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::52::52 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::52::52 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::52::52 using (num('miss_rate_index')):(num('share_percent')):('175') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::53::53 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::53::53 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::53::53 using (num('miss_rate_index')):(num('share_percent')):('273') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::54::54 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::54::54 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::54::54 using (num('miss_rate_index')):(num('share_percent')):('331') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::55::55 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::55::55 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::55::55 using (num('miss_rate_index')):(num('share_percent')):('455') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::56::56 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::56::56 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::56::56 using (num('miss_rate_index')):(num('share_percent')):('585') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::57::57 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::57::57 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::57::57 using (num('miss_rate_index')):(num('share_percent')):('829') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::58::58 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::58::58 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::58::58 using (num('miss_rate_index')):(num('share_percent')):('779') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::59::59 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::59::59 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::59::59 using (num('miss_rate_index')):(num('share_percent')):('1343') with labels font ',11' offset 0,-0.53 notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.70365
  set bmargin at screen 0.55203
  unset logscale x
  set xrange [-0.823:7.8229999999999995]
  set xtics nomirror out ('0.781' 0, '1.56' 1, '3.12' 2, '6.25' 3, '12.5' 4, '25' 5, '50' 6, '100' 7)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [-19:100]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the parts (%)'
  set label 1 'W = 4, threads, 200 MB/s, 8,192 keys' at screen 0.09062, screen 0.71468 left font ',13'
  plot data every ::60::75 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::76::91 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::92::103 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::104::104 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::104::104 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::104::104 using (num('miss_rate_index')):(num('share_percent')):('32.4') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::105::105 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::105::105 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::105::105 using (num('miss_rate_index')):(num('share_percent')):('17.7') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::106::106 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::106::106 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::106::106 using (num('miss_rate_index')):(num('share_percent')):('35.3') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::107::107 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::107::107 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::107::107 using (num('miss_rate_index')):(num('share_percent')):('30.1') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::108::108 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::108::108 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::108::108 using (num('miss_rate_index')):(num('share_percent')):('52.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::109::109 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::109::109 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::109::109 using (num('miss_rate_index')):(num('share_percent')):('57.1') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::110::110 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::110::110 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::110::110 using (num('miss_rate_index')):(num('share_percent')):('99.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::111::111 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::111::111 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::111::111 using (num('miss_rate_index')):(num('share_percent')):('109') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::112::112 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::112::112 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::112::112 using (num('miss_rate_index')):(num('share_percent')):('178') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::113::113 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::113::113 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::113::113 using (num('miss_rate_index')):(num('share_percent')):('210') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::114::114 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::114::114 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::114::114 using (num('miss_rate_index')):(num('share_percent')):('344') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::115::115 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::115::115 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::115::115 using (num('miss_rate_index')):(num('share_percent')):('367') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::116::116 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::116::116 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::116::116 using (num('miss_rate_index')):(num('share_percent')):('562') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::117::117 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::117::117 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::117::117 using (num('miss_rate_index')):(num('share_percent')):('666') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::118::118 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::118::118 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::118::118 using (num('miss_rate_index')):(num('share_percent')):('766') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::119::119 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::119::119 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::119::119 using (num('miss_rate_index')):(num('share_percent')):('952') with labels font ',11' offset 0,-0.53 notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.48312
  set bmargin at screen 0.33150
  unset logscale x
  set xrange [-0.823:7.8229999999999995]
  set xtics nomirror out ('0.781' 0, '1.56' 1, '3.12' 2, '6.25' 3, '12.5' 4, '25' 5, '50' 6, '100' 7)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [-19:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the parts (%)'
  set label 1 'W = 4, threads, 1 GB/s, 8,192 keys' at screen 0.09062, screen 0.49414 left font ',13'
  plot data every ::120::135 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::136::151 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::152::165 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::166::166 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::166::166 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::166::166 using (num('miss_rate_index')):(num('share_percent')):('17.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::167::167 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::167::167 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::167::167 using (num('miss_rate_index')):(num('share_percent')):('18.5') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::168::168 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::168::168 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::168::168 using (num('miss_rate_index')):(num('share_percent')):('24.8') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::169::169 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::169::169 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::169::169 using (num('miss_rate_index')):(num('share_percent')):('27.0') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::170::170 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::170::170 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::170::170 using (num('miss_rate_index')):(num('share_percent')):('51.7') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::171::171 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::171::171 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::171::171 using (num('miss_rate_index')):(num('share_percent')):('48.4') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::172::172 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::172::172 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::172::172 using (num('miss_rate_index')):(num('share_percent')):('98.1') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::173::173 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::173::173 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::173::173 using (num('miss_rate_index')):(num('share_percent')):('106') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::174::174 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::174::174 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::174::174 using (num('miss_rate_index')):(num('share_percent')):('184') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::175::175 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::175::175 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::175::175 using (num('miss_rate_index')):(num('share_percent')):('184') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::176::176 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::176::176 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::176::176 using (num('miss_rate_index')):(num('share_percent')):('325') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::177::177 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::177::177 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::177::177 using (num('miss_rate_index')):(num('share_percent')):('334') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::178::178 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::178::178 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::178::178 using (num('miss_rate_index')):(num('share_percent')):('537') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::179::179 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::179::179 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::179::179 using (num('miss_rate_index')):(num('share_percent')):('583') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::180::180 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::180::180 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::180::180 using (num('miss_rate_index')):(num('share_percent')):('774') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::181::181 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::181::181 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::181::181 using (num('miss_rate_index')):(num('share_percent')):('804') with labels font ',11' offset 0,-0.53 notitle
  unset label
  unset key

  # panel 4
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.26258
  set bmargin at screen 0.11096
  unset logscale x
  set xrange [-0.523:1.523]
  set xtics nomirror out ('2.5' 0, '10' 1)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [-19:100]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the parts (%)'
  set label 1 'published: 4 ranks, P + T = 128,000' at screen 0.09062, screen 0.27360 left font ',13'
  plot data every ::182::182 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::182::182 using (num('miss_rate_index')):(num('share_percent')):('attn 414 µs') with labels font ',11' notitle, \
       data every ::183::183 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9ae7f' notitle, \
       data every ::183::183 using (num('miss_rate_index')):(num('share_percent')):('sendrecv 627 µs') with labels font ',11' notitle, \
       data every ::184::184 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::184::184 using (num('miss_rate_index')):(num('share_percent')):('attn 414 µs') with labels font ',11' notitle, \
       data every ::185::185 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9ae7f' notitle, \
       data every ::185::185 using (num('miss_rate_index')):(num('share_percent')):('sendrecv 166 µs') with labels font ',11' notitle, \
       data every ::186::186 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bc94' notitle, \
       data every ::186::186 using (num('miss_rate_index')):(num('share_percent')):('all2all 424 µs') with labels font ',11' notitle, \
       data every ::187::187 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::187::187 using (num('miss_rate_index')):(num('share_percent')):('attn 1608 µs') with labels font ',11' notitle, \
       data every ::188::188 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9ae7f' notitle, \
       data every ::188::188 using (num('miss_rate_index')):(num('share_percent')):('sendrecv 631 µs') with labels font ',11' notitle, \
       data every ::189::189 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::189::189 using (num('miss_rate_index')):(num('share_percent')):('attn 1608 µs') with labels font ',11' notitle, \
       data every ::190::190 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9ae7f' notitle, \
       data every ::190::190 using (num('miss_rate_index')):(num('share_percent')):('sendrecv 544 µs') with labels font ',11' notitle, \
       data every ::191::191 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bc94' notitle, \
       data every ::191::191 using (num('miss_rate_index')):(num('share_percent')):('all2all 1023 µs') with labels font ',11' notitle, \
       data every ::192::192 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::192::192 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' notitle, \
       data every ::193::193 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::193::193 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' notitle, \
       data every ::194::194 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#a1d4cb' lw 0.5 fc rgb '#a1d4cb' notitle, \
       data every ::194::194 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' notitle, \
       data every ::195::195 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cbcb98' lw 0.5 fc rgb '#cbcb98' notitle, \
       data every ::195::195 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' notitle
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
  set key at screen 0.78396, screen 0.92419 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#a1d4cb' title 'pass_kv', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#cbcb98' title 'pass_q'
  unset multiplot
}
unset output
