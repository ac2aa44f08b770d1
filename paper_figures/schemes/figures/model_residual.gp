# Draws model_residual.svg, model_residual.pdf and model_residual.png from model_residual.csv: gnuplot model_residual.gp
set encoding utf8
set datafile separator ','
set datafile columnheaders
data = 'model_residual.csv'
num(name) = strlen(strcol(name)) > 0 ? column(name) : NaN
do for [format in 'svg pdf png'] {
  if (format eq 'svg') { set terminal svg size 960,549 dynamic noenhanced font 'DejaVu Sans,12' background '#ffffff' name 'model_residual' }
  if (format eq 'pdf') { set terminal pdfcairo size 10.000in,5.719in noenhanced font 'DejaVu Sans,12' fontscale 0.75 background '#ffffff' }
  if (format eq 'png') { set terminal pngcairo size 1920,1098 noenhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#ffffff' }
  set output 'model_residual.'.format
  set multiplot
  unset key
  set border 3 lw 1 lc rgb '#444444'
  set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'
  set label 101 'Measured against modelled wall clock' at screen 0.01875, screen 0.95628 left font ',16'
  set label 102 'B = 1, H = 8, d = 64, f32, causal mask, flash kernel, cpu, all cores; AMD EPYC, family 25 model 17 | 2 cores | avx512 | 24 GiB; qb 0.1.0; commit' at screen 0.01875, screen 0.91621 left font ',11' textcolor rgb '#444444'
  set label 103 '05810fb56efb with changes; 2026-11-20' at screen 0.01875, screen 0.88707 left font ',11' textcolor rgb '#444444'
  set label 104 'Median absolute residual 11.2 % of 44 cases (mpi 10.2 % of 22, threads 11.2 % of 22); the worst: ulysses, N = 8,192, W = 8, mpi: +34.0 %.' at screen 0.01875, screen 0.08925 left font ',11' textcolor rgb '#444444'
  set label 105 'Above zero the case took longer than the model says. Bars: the interval of the measured median alone. Colour: algorithm; mark: who played the' at screen 0.01875, screen 0.06011 left font ',11' textcolor rgb '#444444'
  set label 106 'workers.' at screen 0.01875, screen 0.03097 left font ',11' textcolor rgb '#444444'

  # panel 1
  set lmargin at screen 0.09062
  set rmargin at screen 0.77125
  set tmargin at screen 0.83607
  set bmargin at screen 0.23497
  set logscale x
  set xrange [335.82707058300167:559.4308399161628]
  set xtics nomirror out ('350' 350, '400' 400, '450' 450, '500' 500, '550' 550)
  set xlabel 'modelled wall time (ms)'
  unset logscale y
  set yrange [-13.731090812574386:99.87558415896113]
  set ytics nomirror out ('0' 0, '25' 25, '50' 50, '75' 75)
  set ylabel 'measured / modelled - 1 (%)'
  plot data every ::0::2 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8c510a' notitle, \
       data every ::0::2 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 5 ps 0.9 lc rgb '#8c510a' notitle, \
       data every ::3::5 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#8c510a' notitle, \
       data every ::3::5 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#8c510a' notitle, \
       data every ::6::7 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::6::7 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 5 ps 0.9 lc rgb '#d55e00' notitle, \
       data every ::8::9 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
       data every ::8::9 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#d55e00' notitle, \
       data every ::10::11 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#882255' notitle, \
       data every ::10::11 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 5 ps 0.9 lc rgb '#882255' notitle, \
       data every ::12::13 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#882255' notitle, \
       data every ::12::13 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#882255' notitle, \
       data every ::14::16 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#999933' notitle, \
       data every ::14::16 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 5 ps 0.9 lc rgb '#999933' notitle, \
       data every ::17::19 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#999933' notitle, \
       data every ::17::19 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#999933' notitle, \
       data every ::20::22 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::20::22 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 5 ps 0.9 lc rgb '#0072b2' notitle, \
       data every ::23::25 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
       data every ::23::25 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#0072b2' notitle, \
       data every ::26::28 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::26::28 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 5 ps 0.9 lc rgb '#e69f00' notitle, \
       data every ::29::31 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#e69f00' notitle, \
       data every ::29::31 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#e69f00' notitle, \
       data every ::32::34 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::32::34 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 5 ps 0.9 lc rgb '#cc79a7' notitle, \
       data every ::35::37 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#cc79a7' notitle, \
       data every ::35::37 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#cc79a7' notitle, \
       data every ::38::40 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::38::40 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 5 ps 0.9 lc rgb '#009e73' notitle, \
       data every ::41::43 using (num('modelled_wall_time_ms')):(num('model_residual_percent_low')):(0):(num('model_residual_percent_high') - num('model_residual_percent_low')) with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
       data every ::41::43 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with points pt 7 ps 0.9 lc rgb '#009e73' notitle, \
       data every ::44::45 using (num('modelled_wall_time_ms')):(num('model_residual_percent')) with lines dt 4 lw 1.4 lc rgb '#6e6e6e' notitle
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
  set key at screen 0.79937, screen 0.83607 left top Left reverse samplen 2.4 spacing 1.25 font ',12'
  plot NaN with lines lw 1.8 lc rgb '#8c510a' title 'all_gather_kv', \
       NaN with lines lw 1.8 lc rgb '#d55e00' title 'cqs', \
       NaN with lines lw 1.8 lc rgb '#882255' title 'cqs_sharded', \
       NaN with lines lw 1.8 lc rgb '#999933' title 'pass_q', \
       NaN with lines lw 1.8 lc rgb '#0072b2' title 'ring', \
       NaN with lines lw 1.8 lc rgb '#e69f00' title 'striped', \
       NaN with lines lw 1.8 lc rgb '#cc79a7' title 'ulysses', \
       NaN with lines lw 1.8 lc rgb '#009e73' title 'zigzag', \
       NaN with points pt 5 ps 0.9 lc rgb '#000000' title 'mpi', \
       NaN with points pt 7 ps 0.9 lc rgb '#000000' title 'threads', \
       NaN with lines dt 4 lw 1.4 lc rgb '#6e6e6e' title 'measured = modelled'
  unset multiplot
}
unset output
