// SPDX-License-Identifier: Apache-2.0
// The page of `qb explore`. Each choice draws the chart anew, through Vega-Lite, from the columns that
// stand in the page; what is drawn, listed or left out of the cases is decided here.
'use strict';
const { columns, runs, colours } = JSON.parse(document.getElementById('data').textContent);
const named = Object.fromEntries(columns.map((column) => [column.name, column]));
const all = [...Array(Math.max(...columns.map(({ values }) => values.length))).keys()];  // the cases
const element = (id) => document.getElementById(id);

// What is predicted, and what is measured of the same.
const PAIRS = [
  ['predicted_device_peak_bytes', 'device_peak_bytes'], ['predicted_root_peak_bytes', 'root_peak_bytes'],
  ['modelled_wall_time_s', 'wall_time_median_s'], ['predicted_bubble_ratio', 'bubble_ratio']];
const PARAMETERS = ['problem', 'split', 'link', 'means'];
const GROUPS = [['What differs between the cases', ['identity', ...PARAMETERS]], ['Times', ['time']],
  ['Memory', ['memory']], ['Predictions', ['prediction']], ['Errors', ['verification']],
  ['Other', ['outcome', 'bookkeeping']]];
const MOST_COLOURS = 20;
const MOST_PANELS = 24;
const MOST_TICKS = 10;
const MOST_ROWS = 100;

// ---- values and their texts --------------------------------------------------------------------

const value = (name, i) => {
  const values = named[name]?.values ?? [null];
  return values[values.length > 1 ? i : 0];
};
// Keeps what a function gives of a column or a case, which never changes.
const kept = (make) => {
  const made = new Map();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key);
  };
};
const isNumber = (name) => ['integer', 'real'].includes(named[name].kind);
const distinct = kept((name) => [...new Set(all.map((i) => value(name, i)))]);
const varies = (name) => named[name].values.length > 1;
const isParameter = (name) => name === 'run' || PARAMETERS.includes(named[name].group);
// The parameters in which cases differ, without those that only follow one before them.
const parameters = [];
for (const { name } of columns.filter(({ name }) => isParameter(name) && varies(name))) {
  const pairs = (other) => new Set(all.map((i) => JSON.stringify([value(name, i), value(other, i)]))).size;
  const follows = (other) => pairs(other) === distinct(name).length && pairs(other) === distinct(other).length;
  if (!parameters.some(follows)) parameters.push(name);
}

// The unit in which a column is read, and its size: the one of its median. Parameters keep theirs.
const SIZES = {
  's': [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']],
  'bytes': [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'bytes']],
  ...Object.fromEntries(['FLOP', 'FLOP/s', 'Hz'].map((unit) => [unit, [[1e9, `G${unit}`], [1e6, `M${unit}`], [1, unit]]])),
};
const unitOf = kept((name) => {
  const { unit } = named[name];
  if (isParameter(name)) return [1, unit];
  const middle = all.map((i) => Math.abs(value(name, i))).filter((size) => size > 0).sort((a, b) => a - b);
  const sizes = SIZES[unit] ?? [[1e6, `10⁶ ${unit}`], [1, unit]];
  return sizes.find(([size]) => size <= middle[middle.length >> 1]) ?? sizes.at(-1);
});
function textOf(name, i) {
  const own = value(name, i);
  if (own === null) return '-';
  if (name === 'algorithm') return own.split('/').pop().split('.')[0];  // one in Python is the name of its file
  if (typeof own !== 'number') return String(own);
  const size = own / unitOf(name)[0];
  if (Number.isInteger(size)) return size.toLocaleString('en');
  return Math.abs(size) < 1e-3 ? size.toExponential(2) : (+size.toPrecision(3)).toLocaleString('en');
}
const words = (name) => name.replace(/_(s|bytes|hz|flop_per_s|byte_per_s)$/, '').replace(/_median$/, '').replaceAll('_', ' ');
const titleOf = (name) => words(name) + (unitOf(name)[1] && !words(name).endsWith(unitOf(name)[1]) ? ` (${unitOf(name)[1]})` : '');
const nameOf = kept((i) => parameters.filter((name) => ![null, 0, 'none', 'auto'].includes(value(name, i)))
  .map((name) => `${words(name)} ${textOf(name, i)}`).join(', ') || value('case_id', i));
const counted = (number, what) => `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;

// How a mark looks says what its case was: the shape, a letter like it, and the words.
const KINDS = {
  measured: ['circle', '●', 'measured'], disturbed: ['circle', '○', 'measured while other programs disturbed it'],
  modelled: ['diamond', '◇', 'predicted by the cost model'], failed: ['cross', '✚', 'not ok: see its status'] };
function kindOf(i) {
  if (value('status', i) !== 'ok') return 'failed';
  if (value('ranks', i) === 'model') return 'modelled';
  return value('disturbed_by', i) === null ? 'measured' : 'disturbed';
}

const statusOf = (i) => value('status', i)
  + ({ disturbed: `, disturbed by ${value('disturbed_by', i)}`, modelled: ', predicted' }[kindOf(i)] ?? '');

// Gives the command that runs a case again: filters that leave no other case of its run.
const commandOf = kept((i) => {
  const run = runs[value('run', i)];
  if (run.command) return run.command;
  const quoted = (text) => /^[\w.,:\/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  let others = all.filter((other) => value('run', other) === value('run', i));
  const filters = [];
  const unfinished = run.cases < run.planned;
  for (const { name, key } of columns.filter((one) => one.key && (unfinished ? !run.fixed.includes(one.key) : varies(one.name)))) {
    const left = others.filter((other) => value(name, other) === value(name, i));
    if (unfinished || left.length < others.length) filters.push(` --filter ${quoted(`${key}=${value(name, i) ?? ''}`)}`);
    others = left;
  }
  return `qb run ${quoted(`${run.path}/spec.resolved.yaml`)}${filters.join('')}`;
});

// ---- the page ----------------------------------------------------------------------------------

function make(kind, attributes = {}, ...inside) {
  const made = Object.assign(document.createElement(kind), attributes);
  made.append(...inside);
  return made;
}
function tableOf(caption, heads, rows) {
  const body = rows.map((cells) => make('tr', {}, ...cells.map((cell, at) => {
    const made = cell instanceof HTMLTableCellElement ? cell : make('td', {}, cell);
    made.dataset.label = heads[at];
    return made;
  })));
  return make('div', { className: 'wide' }, make('table', { className: 'cards' }, make('caption', {}, caption),
    make('thead', {}, make('tr', {}, ...heads.map((head) => make('th', { scope: 'col' }, head)))),
    make('tbody', {}, ...body)));
}

// What is drawn of a case, or why nothing is.
function drawn(i, chosen) {
  const row = { case: i, kind: kindOf(i), what: nameOf(i), status: statusOf(i) };
  for (const axis of ['x', 'y']) {
    const name = chosen[axis], own = value(name, i);
    if (!isNumber(name)) row[axis] = textOf(name, i);
    else if (typeof own !== 'number') return `no ${words(name)}`;
    else if (chosen['log' + axis] && own <= 0) return `${words(name)} is ${textOf(name, i)}, which a log scale cannot show`;
    else row[axis] = own / unitOf(name)[0];
    row[axis + 'text'] = textOf(name, i);
  }
  if (chosen.pair && row.kind === 'modelled') return 'predicted by the cost model, so that nothing was measured';
  const [low, high] = ['low95', 'high95'].map((end) => value(chosen.y.replace('median', end), i));
  if (low < high) Object.assign(row, { low: low / unitOf(chosen.y)[0], high: high / unitOf(chosen.y)[0] });
  for (const look of ['colour', 'panel']) {
    const own = value(chosen[look], i);
    row[look] = typeof own === 'number' ? own / unitOf(chosen[look])[0] : chosen[look] && textOf(chosen[look], i);
  }
  return chosen.colour && isNumber(chosen.colour) && typeof row.colour !== 'number' ? `no ${words(chosen.colour)}` : row;
}

function axisOf(axis, chosen, rows) {
  const name = chosen[axis], log = chosen['log' + axis];
  if (!isNumber(name)) return { field: axis, type: 'nominal', title: titleOf(name), axis: { labelAngle: -35 } };
  const places = [...new Set(rows.map((row) => row[axis]))].sort((a, b) => a - b);
  const few = isParameter(name) && places.length <= MOST_TICKS;
  // Equal steps of a log scale are places side by side, so that marks of one place can be.
  const steps = places.slice(1).map((place, at) => place / places[at]);
  if (axis === 'x' && few && log && steps.every((step) => Math.abs(step / steps[0] - 1) < 1e-6))
    return { field: axis, type: 'ordinal', title: titleOf(name),
      axis: { labelAngle: 0, format: ',', labelOverlap: 'greedy', labelSeparation: 6 } };
  const scale = log ? { type: 'log', nice: false } : { zero: axis === 'y' && !chosen.pair };
  if (chosen.pair) Object.assign(scale, { domain: ends(rows), nice: false });
  const format = places.at(-1) >= 1e6 && !few ? '~s' : places[0] < 1e-3 && log ? '~e' : ',';
  const ticks = { labelOverlap: 'greedy', grid: axis === 'y', labelExpr: `format(datum.value, '${format}')` };
  if (few) ticks.values = places;
  else if (log && places.at(-1) / places[0] >= 100) ticks.values = [...Array(40).keys()].map((power) => 10 ** (power - 20));
  if (!scale.zero) scale.padding = 12;
  return { field: axis, type: 'quantitative', title: titleOf(name), scale, axis: ticks };
}
const ends = (rows) => {
  const both = rows.flatMap(({ x, y, low = y, high = y }) => [x, low, high]);
  return [Math.min(...both) * .9, Math.max(...both) * 1.1];
};

function colourOf({ colour: name }, rows, room) {
  if (!name) return { value: '#2572aa' };
  const values = [...new Set(rows.map((row) => row.colour))];
  const longest = Math.max(...values.map((one) => String(one).length));
  const across = Math.max(1, Math.floor(room / Math.max(100, 7 * longest + 30)));
  const field = { field: 'colour', type: 'nominal', title: titleOf(name),
    legend: { orient: 'bottom', columns: across, labelLimit: room, symbolLimit: 0, symbolType: 'circle', direction: 'horizontal' } };
  if (isNumber(name))
    return { ...field, type: values.length > 8 ? 'quantitative' : 'ordinal',
      scale: { scheme: { name: 'viridis', extent: [0, .9] } } };
  const known = Object.keys(colours).filter((one) => values.includes(one));
  return { ...field, scale: name === 'algorithm' && known.length === values.length
    ? { domain: known, range: known.map((one) => colours[one]) } : { scheme: values.length > 10 ? 'category20' : 'category10' } };
}

// Gives the chart in the words of Vega-Lite.
function specOf(chosen, rows) {
  const panels = new Set(rows.map((row) => row.panel)).size;
  const room = element('chart').clientWidth - 30;
  const across = Math.max(1, Math.min(panels, Math.floor(room / 300)));
  const x = axisOf('x', chosen, rows), y = axisOf('y', chosen, rows);
  const color = colourOf(chosen, rows, room);
  const opacity = { condition: { param: 'brush', value: 1 }, value: .15 };
  const places = [x, color].every(({ type }) => ['nominal', 'ordinal'].includes(type)) && chosen.colour !== chosen.x;
  const beside = places ? { xOffset: { field: 'colour', scale: { paddingOuter: .5 } } } : {};
  const marks = (test, mark, encoding) => ({ transform: [{ filter: test }], mark, encoding: { x, color, opacity, ...beside, ...encoding } });
  const point = { y, shape: { field: 'kind', type: 'nominal', legend: null,
      scale: { domain: Object.keys(KINDS), range: Object.values(KINDS).map(([shape]) => shape) } },
    tooltip: [['what', 'case'], ['xtext', titleOf(chosen.x)], ['ytext', titleOf(chosen.y)], ['status', 'status']]
      .map(([field, name]) => ({ field, title: name, type: 'nominal' })) };
  const layer = [true, false].filter((filled) => rows.some((row) => filled === (row.kind === 'measured')))
    .map((filled) => marks(`(datum.kind === 'measured') === ${filled}`, { type: 'point', filled, size: 55 }, point));
  layer[0].params = [{ name: 'brush', select: { type: 'interval', encodings: ['x', 'y'] } }];
  if (rows.some((row) => 'low' in row))
    layer.unshift(marks('isValid(datum.low)', 'rule', { y: { ...y, field: 'low' }, y2: { field: 'high' } }));
  if (chosen.pair)
    layer.unshift({ data: { values: ends(rows).map((end) => ({ x: end, y: end })) },
      mark: { type: 'line', strokeDash: [5, 4], color: '#6e6e6e' }, encoding: { x, y } });
  const unit = { layer, width: Math.max(160, Math.floor((room - 80) / across) - 20), height: across > 1 ? 240 : 320 };
  const panel = chosen.panel || 'run';
  const facet = { field: 'panel', type: isNumber(panel) ? 'ordinal' : 'nominal', title: titleOf(panel), header: { labelLimit: unit.width } };
  return { data: { name: 'cases', values: rows }, config: { font: 'DejaVu Sans, Verdana, sans-serif' },
    ...(panels > 1 ? { facet, columns: across, spec: unit } : unit) };
}

// The cases that are not drawn, a row for each reason.
function missingTable(left) {
  const reasons = Map.groupBy(left, ({ i, why }) => [value('status', i), value('message', i) ?? '', why].join('\n'));
  const table = tableOf('', ['cases', 'status', 'why', 'message', 'which'], [...reasons].map(([reason, alike]) => {
    const [status, message, why] = reason.split('\n');
    const which = alike.slice(0, 4).map(({ i }) => nameOf(i)).join('; ') + (alike.length > 4 ? `; ${alike.length - 4} more` : '');
    return [String(alike.length), status, why, message, which];
  }));
  const statuses = [...Map.groupBy(left, ({ i }) => value('status', i))].map(([status, alike]) => `${alike.length} ${status}`);
  return make('details', { open: reasons.size <= 3 }, make('summary', {}, `Not drawn: ${statuses.join(', ')}`), table);
}

function showCases(chosen, cases, brushed) {
  const shown = cases.slice(0, MOST_ROWS);
  const caption = (brushed ? `${counted(cases.length, 'case')} marked in the chart.`
    : `${counted(cases.length, 'case')}. Drag over marks to choose some, in all panels, or write words above.`)
    + (shown.length < cases.length ? ` The first ${MOST_ROWS} are listed: choose fewer to see others.` : '');
  const names = [...new Set([...parameters, chosen.x, chosen.y])];
  const messages = shown.some((i) => value('message', i)) ? ['message'] : [];
  element('cases').replaceChildren(tableOf(caption, [...names.map(titleOf), 'status', ...messages, 'command that runs it again'],
    shown.map((i) => [...names.map((name) => make('td', { className: isNumber(name) ? 'number' : '' }, textOf(name, i))),
      statusOf(i), ...messages.map((name) => value(name, i) ?? ''), make('code', {}, commandOf(i))])));
}

function choices() {
  const chosen = Object.fromEntries(['x', 'y', 'colour', 'panel'].map((id) => [id, element(id).value]));
  for (const axis of ['x', 'y']) chosen['log' + axis] = isNumber(chosen[axis]) && element('log' + axis).checked;
  chosen.pair = PAIRS.some(([x, y]) => x === chosen.x && y === chosen.y);
  return chosen;
}

// Gives the ratios of a pair in a sentence.
function ratios(rows) {
  const sorted = rows.map(({ x, y }) => y / x).sort((a, b) => a - b);
  const [least, middle, most] = [0, sorted.length >> 1, sorted.length - 1].map((at) => sorted[at].toPrecision(3));
  return ` Measured over predicted: ${least} to ${most}, median ${middle}; the dashed line is 1.`;
}

let view, drawing;  // one after the other
async function draw() {
  const chosen = choices();
  for (const id of ['x', 'y', 'colour', 'panel']) element('about' + id).textContent = named[chosen[id]]?.meaning.split('; ')[0] ?? '';
  for (const axis of ['x', 'y']) element('log' + axis).disabled = !isNumber(chosen[axis]);
  const wanted = element('words').value.toLowerCase().split(/\s+/).filter(Boolean);
  const cases = all.filter((i) => {
    const text = `${nameOf(i)} ${value('status', i)} ${value('message', i)}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const made = cases.map((i) => [i, drawn(i, chosen)]);
  const rows = made.map(([, row]) => row).filter((row) => typeof row !== 'string');
  const left = made.filter(([, row]) => typeof row === 'string').map(([i, why]) => ({ i, why }));
  element('said').textContent = `${rows.length} of ${counted(all.length, 'case')} drawn`
    + (cases.length < all.length ? `, ${all.length - cases.length} without these words` : '')
    + (left.length ? `, ${left.length} that cannot be drawn (see below)` : '') + '.' + (chosen.pair && rows.length ? ratios(rows) : '');
  const kinds = Object.keys(KINDS).filter((kind) => rows.some((row) => row.kind === kind));
  element('marks').textContent = [...kinds.map((kind) => `${KINDS[kind][1]} ${KINDS[kind][2]}`),
    ...(rows.some((row) => 'low' in row) ? ['lines: interval of the median (95 %, or the whole range of few repeats)'] : [])].join(' · ');
  element('missing').replaceChildren(...(left.length ? [missingTable(left)] : []));
  showCases(chosen, cases, false);
  view?.finalize();
  if (!rows.length) return element('chart').replaceChildren('No case can be drawn: choose other columns or words.');
  ({ view } = await vegaEmbed('#chart', specOf(chosen, rows), { renderer: 'svg', mode: 'vega-lite',
    actions: { export: true, source: false, compiled: false, editor: false }, downloadFileName: 'explore' }));
  view.addSignalListener('brush', (_, marked) => {
    const inside = (row) => Object.entries(marked).every(([axis, range]) => typeof row[axis] === 'number'
      ? row[axis] >= Math.min(...range) && row[axis] <= Math.max(...range) : range.includes(row[axis]));
    const brushed = Object.keys(marked).length > 0;
    showCases(chosen, brushed ? rows.filter(inside).map((row) => row.case) : cases, brushed);
  });
}

// ---- what there is to choose, and what is chosen first ------------------------------------------

function fill(id, names, none) {
  const groups = GROUPS.map(([label, groups]) => make('optgroup', { label }, ...names.filter((name) => groups.includes(named[name].group))
    .map((name) => make('option', { value: name, title: named[name].meaning }, titleOf(name)))));
  element(id).replaceChildren(...(none ? [make('option', { value: '' }, none)] : []), ...groups.filter((group) => group.children.length));
}
// A scale is logarithmic where values are far apart.
function chooseScale(axis) {
  const sizes = isNumber(element(axis).value) ? distinct(element(axis).value).filter((size) => typeof size === 'number') : [];
  element('log' + axis).checked = sizes.length > 0 && Math.min(...sizes) > 0 && Math.max(...sizes) >= 4 * Math.min(...sizes);
}
function choose(some) {
  for (const [id, name] of Object.entries(some)) element(id).value = name ?? '';
  for (const axis of ['x', 'y']) chooseScale(axis);
}

function begin() {
  const vary = columns.map(({ name }) => name).filter(varies);
  const drawable = vary.filter((name) => isNumber(name) || parameters.includes(name) || distinct(name).length <= MOST_COLOURS);
  fill('x', drawable);
  fill('y', drawable.filter(isNumber));
  fill('colour', drawable.filter((name) => isNumber(name) || distinct(name).length <= MOST_COLOURS), 'one colour');
  fill('panel', vary.filter((name) => distinct(name).length <= MOST_PANELS), 'one panel');
  const pairs = PAIRS.filter(([x, y]) => all.some((i) => value(x, i) !== null && value(y, i) !== null));
  element('pair').replaceChildren(make('option', { value: '' }, 'no: x and y of your choice'),
    ...pairs.map(([, y], at) => make('option', { value: at }, words(y))));
  element('pair').addEventListener('input', ({ target: { value: at } }) => at && choose({ x: pairs[at][0], y: pairs[at][1] }));
  const serial = distinct('ranks').every((ranks) => ranks === 'serial');
  const few = parameters.filter((name) => distinct(name).length <= 8 && distinct(name).every((one) => String(one).length <= 40));
  const x = parameters.find((name) => name === 'n_tokens') ?? parameters.find(isNumber);
  const colour = parameters.find((name) => name === 'algorithm')
    ?? parameters.find((name) => name !== x && name !== 'run' && distinct(name).length <= MOST_COLOURS);
  const y = [serial ? 'critical_path_median_s' : 'wall_time_median_s', ...drawable.filter(isNumber)]
    .find((name) => drawable.includes(name));
  choose({ x: x ?? drawable[0], y, colour, panel: varies('run') ? 'run' : few.find((name) => name !== x && name !== colour) });
  for (const axis of ['x', 'y'])
    element(axis).addEventListener('input', () => { chooseScale(axis); element('pair').value = ''; });
  element('runs').textContent = Object.values(runs).map(({ path, cases, planned, machine, started }) =>
    [`${path}: ${cases < planned ? `${cases} of ` : ''}${counted(planned, 'case')}`, ...(cases < planned ? ['not finished'] : []),
      machine, started.slice(0, 10)].join(', ')).join('\n');
  document.querySelector('form').addEventListener('input', () => { drawing = drawing.then(draw, draw); });
  drawing = draw();
}
begin();
