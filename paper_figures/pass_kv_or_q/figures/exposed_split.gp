# Draws exposed_split.svg, exposed_split.pdf and exposed_split.png from exposed_split.csv: gnuplot exposed_split.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'exposed_split.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1451 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'exposed_split' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,15.115in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2902 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'exposed_split.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Where the time of pass_kv and pass_q goes, by miss rate' at screen 0.01875, screen 0.98346 left font ',16'
  set label 102 'W = 4, B = 1, H = 16, G = 1, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 4 on 2 cores; 3 to 5 repeats; AMD EPYC,' at screen 0.01875, screen 0.96830 left font ',11' textcolor rgb '#444444'
  set label 103 'family 25 model 1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.95727 left font ',11' textcolor rgb '#444444'
  set label 104 'A bar: what the worker that ends last, which decides the critical path, does until it ends, in the repeat of steps.csv. Between steps it sends or' at screen 0.01875, screen 0.05582 left font ',11' textcolor rgb '#444444'
  set label 105 'has no processor. Under it: KV is pass_kv, Q is pass_q, and where there is room the median wall clock in ms.' at screen 0.01875, screen 0.04480 left font ',11' textcolor rgb '#444444'
  set label 106 'Published: Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 H100, RDMA of 400 Gb/s per GPU between' at screen 0.01875, screen 0.03377 left font ',11' textcolor rgb '#444444'
  set label 107 'hosts; Table 5, 4 ranks, P + T = 128,000. attn and sendrecv are printed for one iteration of the ring, of which there are 4 and 3, and run beside' at screen 0.01875, screen 0.02274 left font ',11' textcolor rgb '#444444'
  set label 108 'each other: drawn is what sendrecv takes beyond attn, computed here; all2all comes once.' at screen 0.01875, screen 0.01172 left font ',11' textcolor rgb '#444444'

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
  set ylabel 'share of the time (%)'
  set label 1 'W = 4, threads, 50 MB/s, 8,192 keys' at screen 0.09062, screen 0.93522 left font ',13'
  plot data every ::0::15 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::16::31 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::32::47 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::48::48 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::49::49 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::49::49 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::49::49 using (num('miss_rate_index')):(num('share_percent')):('75.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::50::50 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::50::50 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::50::50 using (num('miss_rate_index')):(num('share_percent')):('22.0') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::51::51 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::51::51 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::51::51 using (num('miss_rate_index')):(num('share_percent')):('85.7') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::52::52 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::52::52 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::52::52 using (num('miss_rate_index')):(num('share_percent')):('43.5') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::53::53 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::53::53 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::53::53 using (num('miss_rate_index')):(num('share_percent')):('94.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::54::54 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::54::54 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::54::54 using (num('miss_rate_index')):(num('share_percent')):('82.4') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::55::55 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::55::55 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::55::55 using (num('miss_rate_index')):(num('share_percent')):('122') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::56::56 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::56::56 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::56::56 using (num('miss_rate_index')):(num('share_percent')):('152') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::57::57 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::57::57 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::57::57 using (num('miss_rate_index')):(num('share_percent')):('220') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::58::58 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::58::58 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::58::58 using (num('miss_rate_index')):(num('share_percent')):('298') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::59::59 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::59::59 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::59::59 using (num('miss_rate_index')):(num('share_percent')):('417') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::60::60 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::60::60 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::60::60 using (num('miss_rate_index')):(num('share_percent')):('528') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::61::61 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::61::61 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::61::61 using (num('miss_rate_index')):(num('share_percent')):('674') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::62::62 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::62::62 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::62::62 using (num('miss_rate_index')):(num('share_percent')):('924') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::63::63 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::63::63 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::63::63 using (num('miss_rate_index')):(num('share_percent')):('882') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::64::64 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::64::64 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::64::64 using (num('miss_rate_index')):(num('share_percent')):('1461') with labels font ',11' offset 0,-0.53 notitle
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
  set yrange [-19:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the time (%)'
  set label 1 'W = 4, threads, 200 MB/s, 8,192 keys' at screen 0.09062, screen 0.71468 left font ',13'
  plot data every ::65::80 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::81::96 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::97::101 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::102::113 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::114::114 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::114::114 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::114::114 using (num('miss_rate_index')):(num('share_percent')):('29.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::115::115 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::115::115 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::115::115 using (num('miss_rate_index')):(num('share_percent')):('18.3') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::116::116 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::116::116 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::116::116 using (num('miss_rate_index')):(num('share_percent')):('36.0') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::117::117 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::117::117 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::117::117 using (num('miss_rate_index')):(num('share_percent')):('40.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::118::118 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::118::118 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::118::118 using (num('miss_rate_index')):(num('share_percent')):('71.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::119::119 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::119::119 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::119::119 using (num('miss_rate_index')):(num('share_percent')):('72.2') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::120::120 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::120::120 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::120::120 using (num('miss_rate_index')):(num('share_percent')):('113') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::121::121 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::121::121 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::121::121 using (num('miss_rate_index')):(num('share_percent')):('124') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::122::122 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::122::122 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::122::122 using (num('miss_rate_index')):(num('share_percent')):('226') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::123::123 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::123::123 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::123::123 using (num('miss_rate_index')):(num('share_percent')):('240') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::124::124 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::124::124 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::124::124 using (num('miss_rate_index')):(num('share_percent')):('417') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::125::125 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::125::125 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::125::125 using (num('miss_rate_index')):(num('share_percent')):('428') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::126::126 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::126::126 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::126::126 using (num('miss_rate_index')):(num('share_percent')):('709') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::127::127 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::127::127 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::127::127 using (num('miss_rate_index')):(num('share_percent')):('748') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::128::128 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::128::128 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::128::128 using (num('miss_rate_index')):(num('share_percent')):('914') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::129::129 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::129::129 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::129::129 using (num('miss_rate_index')):(num('share_percent')):('1029') with labels font ',11' offset 0,-0.53 notitle
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
  set ylabel 'share of the time (%)'
  set label 1 'W = 4, threads, 1 GB/s, 8,192 keys' at screen 0.09062, screen 0.49414 left font ',13'
  plot data every ::130::145 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::146::161 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::162::176 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::177::180 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::181::181 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::181::181 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::181::181 using (num('miss_rate_index')):(num('share_percent')):('17.0') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::182::182 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::182::182 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::182::182 using (num('miss_rate_index')):(num('share_percent')):('16.8') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::183::183 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::183::183 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::183::183 using (num('miss_rate_index')):(num('share_percent')):('52.3') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::184::184 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::184::184 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::184::184 using (num('miss_rate_index')):(num('share_percent')):('37.9') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::185::185 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::185::185 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::185::185 using (num('miss_rate_index')):(num('share_percent')):('69.7') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::186::186 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::186::186 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::186::186 using (num('miss_rate_index')):(num('share_percent')):('85.7') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::187::187 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::187::187 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::187::187 using (num('miss_rate_index')):(num('share_percent')):('125') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::188::188 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::188::188 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::188::188 using (num('miss_rate_index')):(num('share_percent')):('141') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::189::189 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::189::189 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::189::189 using (num('miss_rate_index')):(num('share_percent')):('233') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::190::190 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::190::190 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::190::190 using (num('miss_rate_index')):(num('share_percent')):('229') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::191::191 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::191::191 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::191::191 using (num('miss_rate_index')):(num('share_percent')):('382') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::192::192 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::192::192 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::192::192 using (num('miss_rate_index')):(num('share_percent')):('421') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::193::193 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::193::193 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::193::193 using (num('miss_rate_index')):(num('share_percent')):('674') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::194::194 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::194::194 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::194::194 using (num('miss_rate_index')):(num('share_percent')):('720') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::195::195 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::195::195 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::195::195 using (num('miss_rate_index')):(num('share_percent')):('933') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::196::196 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::196::196 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::196::196 using (num('miss_rate_index')):(num('share_percent')):('977') with labels font ',11' offset 0,-0.53 notitle
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
  set ylabel 'share of the time (%)'
  set label 1 'published: 4 ranks, P + T = 128,000' at screen 0.09062, screen 0.27360 left font ',13'
  plot data every ::197::197 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::197::197 using (num('miss_rate_index')):(num('share_percent')):('attn 4 × 414 µs') with labels font ',11' notitle, \
       data every ::198::198 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9ae7f' notitle, \
       data every ::198::198 using (num('miss_rate_index')):(num('share_percent')):('sendrecv beyond attn') with labels font ',11' offset 0,0.53 notitle, \
       data every ::198::198 using (num('miss_rate_index')):(num('share_percent')):('3 × 213 µs') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::199::199 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::199::199 using (num('miss_rate_index')):(num('share_percent')):('attn 4 × 414 µs') with labels font ',11' notitle, \
       data every ::200::200 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bc94' notitle, \
       data every ::200::200 using (num('miss_rate_index')):(num('share_percent')):('all2all 424 µs') with labels font ',11' notitle, \
       data every ::201::201 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::201::201 using (num('miss_rate_index')):(num('share_percent')):('attn 4 × 1608 µs') with labels font ',11' notitle, \
       data every ::202::202 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::202::202 using (num('miss_rate_index')):(num('share_percent')):('attn 4 × 1608 µs') with labels font ',11' notitle, \
       data every ::203::203 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bc94' notitle, \
       data every ::203::203 using (num('miss_rate_index')):(num('share_percent')):('all2all 1023 µs') with labels font ',11' notitle, \
       data every ::204::204 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::204::204 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' notitle, \
       data every ::205::205 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::205::205 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' notitle, \
       data every ::206::206 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::206::206 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' notitle, \
       data every ::207::207 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::207::207 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' notitle
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
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#9ae8d9' title 'pass_kv', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#cacdad' title 'pass_q', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f3e3b0' title 'waiting between steps', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle'
  unset multiplot
}
unset output
