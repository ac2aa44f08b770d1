# Draws exposed_split.svg, exposed_split.pdf and exposed_split.png from exposed_split.csv: gnuplot exposed_split.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'exposed_split.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,1131 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'exposed_split' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,11.781in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,2262 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'exposed_split.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Where the time of pass_kv and pass_q goes, by miss rate' at screen 0.01875, screen 0.97878 left font ',16'
  set label 102 'W = 4, H = 8, G = 2, d = 64, f32, causal mask, flash kernel, cpu, threads ranks, all cores; W = 4 on 2 cores; 7 repeats; AMD EPYC, family 25 model' at screen 0.01875, screen 0.95933 left font ',11' textcolor rgb '#444444'
  set label 103 '1 | 2 cores | avx2 | 24 GiB; qb 0.1.0; commit 81aedadf67cc; 2026-11-24' at screen 0.01875, screen 0.94518 left font ',11' textcolor rgb '#444444'
  set label 104 'A bar: what the worker that ends last, which decides the critical path, does until it ends, in the repeat of steps.csv. Between steps it sends or' at screen 0.01875, screen 0.07162 left font ',11' textcolor rgb '#444444'
  set label 105 'has no processor. Under it: KV is pass_kv, Q is pass_q, and where there is room the median wall clock in ms.' at screen 0.01875, screen 0.05747 left font ',11' textcolor rgb '#444444'
  set label 106 'Published: Context Parallelism (arXiv 2411.01783), Llama 3 405B, each context-parallel rank a host of 8 H100, RDMA of 400 Gb/s per GPU between' at screen 0.01875, screen 0.04332 left font ',11' textcolor rgb '#444444'
  set label 107 'hosts; Table 5, 4 ranks, P + T = 128,000. attn and sendrecv are printed for one iteration of the ring, of which there are 4 and 3, and run beside' at screen 0.01875, screen 0.02918 left font ',11' textcolor rgb '#444444'
  set label 108 'each other: drawn is what sendrecv takes beyond attn, computed here; all2all comes once.' at screen 0.01875, screen 0.01503 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.90274
  set bmargin at screen 0.70822
  unset logscale x
  set xrange [-0.623:3.623]
  set xtics nomirror out ('0.977' 0, '4.98' 1, '25' 2, '100' 3)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [-19:100.00000000000001]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the time (%)'
  set label 1 'W = 4, threads, 1 GB/s, 2,048 keys' at screen 0.09062, screen 0.91689 left font ',13'
  plot data every ::0::7 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::8::15 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::16::19 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::20::27 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::28::28 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::28::28 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::28::28 using (num('miss_rate_index')):(num('share_percent')):('3.20') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::29::29 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::29::29 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::29::29 using (num('miss_rate_index')):(num('share_percent')):('2.61') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::30::30 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::30::30 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::30::30 using (num('miss_rate_index')):(num('share_percent')):('5.92') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::31::31 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::31::31 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::31::31 using (num('miss_rate_index')):(num('share_percent')):('7.63') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::32::32 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::32::32 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::32::32 using (num('miss_rate_index')):(num('share_percent')):('16.2') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::33::33 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::33::33 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::33::33 using (num('miss_rate_index')):(num('share_percent')):('17.0') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::34::34 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::34::34 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::34::34 using (num('miss_rate_index')):(num('share_percent')):('40.1') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::35::35 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::35::35 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::35::35 using (num('miss_rate_index')):(num('share_percent')):('46.0') with labels font ',11' offset 0,-0.53 notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.61981
  set bmargin at screen 0.42529
  unset logscale x
  set xrange [-0.473:0.473]
  set xtics nomirror out ('4.26' 0)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [-19:100]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the time (%)'
  set label 1 'W = 4, threads, no link limit, 1,149 keys' at screen 0.09062, screen 0.63395 left font ',13'
  plot data every ::36::37 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#56b4e9' lw 0.5 fc rgb '#56b4e9' notitle, \
       data every ::38::39 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d55e00' lw 0.5 fc rgb '#d55e00' notitle, \
       data every ::40::41 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#f3e3b0' lw 0.5 fc rgb '#f3e3b0' notitle, \
       data every ::42::42 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#d4d4d4' lw 0.5 fc rgb '#d4d4d4' notitle, \
       data every ::43::43 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::43::43 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' offset 0,0.53 notitle, \
       data every ::43::43 using (num('miss_rate_index')):(num('share_percent')):('1.24') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::44::44 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::44::44 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' offset 0,0.53 notitle, \
       data every ::44::44 using (num('miss_rate_index')):(num('share_percent')):('1.66') with labels font ',11' offset 0,-0.53 notitle
  unset label
  unset key

  # panel 3
  set lmargin at screen 0.09062
  set rmargin at screen 0.75583
  set tmargin at screen 0.33687
  set bmargin at screen 0.14235
  unset logscale x
  set xrange [-0.523:1.523]
  set xtics nomirror out ('2.5' 0, '10' 1)
  set xlabel 'miss rate T / (P + T) (%)'
  unset logscale y
  set yrange [-19:100]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75, '100' 100)
  set ylabel 'share of the time (%)'
  set label 1 'published: 4 ranks, P + T = 128,000' at screen 0.09062, screen 0.35102 left font ',13'
  plot data every ::45::45 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::45::45 using (num('miss_rate_index')):(num('share_percent')):('attn 4 × 414 µs') with labels font ',11' notitle, \
       data every ::46::46 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e9ae7f' notitle, \
       data every ::46::46 using (num('miss_rate_index')):(num('share_percent')):('sendrecv beyond attn') with labels font ',11' offset 0,0.53 notitle, \
       data every ::46::46 using (num('miss_rate_index')):(num('share_percent')):('3 × 213 µs') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::47::47 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::47::47 using (num('miss_rate_index')):(num('share_percent')):('attn 4 × 414 µs') with labels font ',11' notitle, \
       data every ::48::48 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bc94' notitle, \
       data every ::48::48 using (num('miss_rate_index')):(num('share_percent')):('all2all 424 µs') with labels font ',11' notitle, \
       data every ::49::49 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::49::49 using (num('miss_rate_index')):(num('share_percent')):('attn 4 × 1608 µs') with labels font ',11' notitle, \
       data every ::50::50 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#aad9f3' notitle, \
       data every ::50::50 using (num('miss_rate_index')):(num('share_percent')):('attn 4 × 1608 µs') with labels font ',11' notitle, \
       data every ::51::51 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#ffffff' lw 0.5 fc rgb '#e3bc94' notitle, \
       data every ::51::51 using (num('miss_rate_index')):(num('share_percent')):('all2all 1023 µs') with labels font ',11' notitle, \
       data every ::52::52 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::52::52 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' notitle, \
       data every ::53::53 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::53::53 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' notitle, \
       data every ::54::54 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#9ae8d9' lw 0.5 fc rgb '#9ae8d9' notitle, \
       data every ::54::54 using (num('miss_rate_index')):(num('share_percent')):('KV') with labels font ',11' notitle, \
       data every ::55::55 using (num('miss_rate_index')):(num('share_percent')):(num('miss_rate_index_low')):(num('miss_rate_index_high')):(num('share_percent_low')):(num('share_percent_high')) with boxxyerror fs solid 1.0 border lc rgb '#cacdad' lw 0.5 fc rgb '#cacdad' notitle, \
       data every ::55::55 using (num('miss_rate_index')):(num('share_percent')):('Q') with labels font ',11' notitle
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
  set key at screen 0.78396, screen 0.90274 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#9ae8d9' title 'pass_kv', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#cacdad' title 'pass_q', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#56b4e9' title 'compute', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d55e00' title 'exposed communication', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#d4d4d4' title 'idle', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f3e3b0' title 'waiting between steps'
  unset multiplot
}
unset output
