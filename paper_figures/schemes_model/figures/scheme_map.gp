# Draws scheme_map.svg, scheme_map.pdf and scheme_map.png from scheme_map.csv: gnuplot scheme_map.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'scheme_map.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,795 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'scheme_map' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,8.281in noenhanced font 'DejaVu Sans,12' fontscale 0.5625 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1590 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'scheme_map.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'The fastest scheme by link and size' at screen 0.01875, screen 0.96981 left font ',16'
  set label 102 'B = 1, H = 32, d = 128, bf16, causal mask, flash kernel, modelled A100; qb 0.1.0; commit 9b741e1ba2e7; 2026-11-21' at screen 0.01875, screen 0.94214 left font ',11' textcolor rgb '#444444'
  set label 103 'Compared, where they ran: all_gather_kv, cqs, cqs_sharded, ring, striped, ulysses, zigzag; by the median wall clock of cases that are equal but' at screen 0.01875, screen 0.10189 left font ',11' textcolor rgb '#444444'
  set label 104 'for the algorithm. The number: time of the next best over the fastest. Two colours and ≈: the two best are within 2 %, a tie. White: fewer than' at screen 0.01875, screen 0.08176 left font ',11' textcolor rgb '#444444'
  set label 105 'two ran. Dense attention, which splits nothing, is left out.' at screen 0.01875, screen 0.06164 left font ',11' textcolor rgb '#444444'
  set label 106 'Latency of the link: 30 µs at 1.25 GB/s, 5 µs at 12.5 GB/s, 2 µs at 300 GB/s.' at screen 0.01875, screen 0.04151 left font ',11' textcolor rgb '#444444'
  set label 107 'model: predicted by the calibrated cost model; nothing was timed.' at screen 0.01875, screen 0.02138 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.83292
  set tmargin at screen 0.88176
  set bmargin at screen 0.60503
  unset logscale x
  set xrange [-0.49:2.49]
  set xtics nomirror out ('1.25 GB/s' 0, '12.5 GB/s' 1, '300 GB/s' 2)
  set xlabel 'link bandwidth'
  unset logscale y
  set yrange [-0.475:4.475]
  set ytics nomirror out ('4' 0, '8' 1, '32' 2, '128' 3, '1,024' 4)
  set ylabel 'workers W'
  set label 1 'N = 131,072, modelled A100' at screen 0.09062, screen 0.90189 left font ',13'
  plot data every ::0::0 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::0::0 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::0::0 using (num('link_index')):(num('workers_index')):('1.38×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::1::1 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::1::1 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::1::1 using (num('link_index')):(num('workers_index')):('2.8×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::2::2 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::2::2 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::2::2 using (num('link_index')):(num('workers_index')):('5.5×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::3::3 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::3::3 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::3::3 using (num('link_index')):(num('workers_index')):('4.2×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::4::4 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::4::4 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::4::4 using (num('link_index')):(num('workers_index')):('11×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::5::5 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::6::6 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2d08a' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::6::6 using (num('link_index')):(num('workers_index')):('zigzag') with labels font ',11' offset 0,0.53 notitle, \
       data every ::6::6 using (num('link_index')):(num('workers_index')):('≈ striped') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::7::7 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::7::7 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::7::7 using (num('link_index')):(num('workers_index')):('1.28×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::8::8 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::8::8 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::8::8 using (num('link_index')):(num('workers_index')):('3.1×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::9::9 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::9::9 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::9::9 using (num('link_index')):(num('workers_index')):('3.7×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::10::10 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::10::10 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::10::10 using (num('link_index')):(num('workers_index')):('10×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::11::11 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::12::12 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2d08a' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::12::12 using (num('link_index')):(num('workers_index')):('zigzag') with labels font ',11' offset 0,0.53 notitle, \
       data every ::12::12 using (num('link_index')):(num('workers_index')):('≈ striped') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::13::13 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::14::14 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::14::14 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::14::14 using (num('link_index')):(num('workers_index')):('≈ zigzag') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::15::15 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::15::15 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::15::15 using (num('link_index')):(num('workers_index')):('1.18×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::16::16 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::16::16 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::16::16 using (num('link_index')):(num('workers_index')):('1.23×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::17::17 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::17::17 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::17::17 using (num('link_index')):(num('workers_index')):('5.7×') with labels font ',11' offset 0,-0.53 notitle
  unset label
  unset key

  # panel 2
  set lmargin at screen 0.09062
  set rmargin at screen 0.83292
  set tmargin at screen 0.47925
  set bmargin at screen 0.20252
  unset logscale x
  set xrange [-0.49:2.49]
  set xtics nomirror out ('1.25 GB/s' 0, '12.5 GB/s' 1, '300 GB/s' 2)
  set xlabel 'link bandwidth'
  unset logscale y
  set yrange [-0.475:4.475]
  set ytics nomirror out ('4' 0, '8' 1, '32' 2, '128' 3, '1,024' 4)
  set ylabel 'workers W'
  set label 1 'N = 1,048,576, modelled A100' at screen 0.09062, screen 0.49937 left font ',13'
  plot data every ::18::18 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::19::19 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2d08a' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::19::19 using (num('link_index')):(num('workers_index')):('zigzag') with labels font ',11' offset 0,0.53 notitle, \
       data every ::19::19 using (num('link_index')):(num('workers_index')):('≈ striped') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::20::20 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::20::20 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::20::20 using (num('link_index')):(num('workers_index')):('1.46×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::21::21 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::21::21 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::21::21 using (num('link_index')):(num('workers_index')):('3.4×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::22::22 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::22::22 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::22::22 using (num('link_index')):(num('workers_index')):('3.8×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::23::23 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::23::23 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::23::23 using (num('link_index')):(num('workers_index')):('10×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::24::24 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::25::25 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2d08a' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::25::25 using (num('link_index')):(num('workers_index')):('zigzag') with labels font ',11' offset 0,0.53 notitle, \
       data every ::25::25 using (num('link_index')):(num('workers_index')):('≈ striped') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::26::26 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::27::27 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2d08a' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::27::27 using (num('link_index')):(num('workers_index')):('zigzag') with labels font ',11' offset 0,0.53 notitle, \
       data every ::27::27 using (num('link_index')):(num('workers_index')):('≈ striped') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::28::28 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::28::28 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::28::28 using (num('link_index')):(num('workers_index')):('1.03×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::29::29 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::29::29 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::29::29 using (num('link_index')):(num('workers_index')):('2.1×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::30::30 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::30::30 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::30::30 using (num('link_index')):(num('workers_index')):('8.1×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::31::31 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::32::32 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#f2d08a' lw 0.5 fc rgb '#f2d08a' notitle, \
       data every ::32::32 using (num('link_index')):(num('workers_index')):('zigzag') with labels font ',11' offset 0,0.53 notitle, \
       data every ::32::32 using (num('link_index')):(num('workers_index')):('≈ striped') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::33::33 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::34::34 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::34::34 using (num('link_index')):(num('workers_index')):('zigzag') with labels font ',11' offset 0,0.53 notitle, \
       data every ::34::34 using (num('link_index')):(num('workers_index')):('≈ ulysses') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::35::35 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#e3bad1' lw 0.5 fc rgb '#e3bad1' notitle, \
       data every ::36::36 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#9fcbba' lw 0.5 fc rgb '#9fcbba' notitle, \
       data every ::36::36 using (num('link_index')):(num('workers_index')):('ulysses') with labels font ',11' offset 0,0.53 notitle, \
       data every ::36::36 using (num('link_index')):(num('workers_index')):('≈ zigzag') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::37::37 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::37::37 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::37::37 using (num('link_index')):(num('workers_index')):('1.03×') with labels font ',11' offset 0,-0.53 notitle, \
       data every ::38::38 using (num('link_index')):(num('workers_index')):(num('link_index_low')):(num('link_index_high')):(num('workers_index_low')):(num('workers_index_high')) with boxxyerror fs solid 1.0 border lc rgb '#bf8ca5' lw 0.5 fc rgb '#bf8ca5' notitle, \
       data every ::38::38 using (num('link_index')):(num('workers_index')):('cqs_sharded') with labels font ',11' offset 0,0.53 notitle, \
       data every ::38::38 using (num('link_index')):(num('workers_index')):('1.60×') with labels font ',11' offset 0,-0.53 notitle
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
  set key at screen 0.86104, screen 0.88176 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with boxes fs solid 1.0 noborder lc rgb '#bf8ca5' title 'cqs_sharded', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#f2d08a' title 'striped', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#9fcbba' title 'zigzag', \
       NaN with boxes fs solid 1.0 noborder lc rgb '#e3bad1' title 'ulysses'
  unset multiplot
}
unset output
