// What the page of a run can do besides being read: sort and filter the table of cases, show the
// values under the pointer, and save pictures. Without it the page is plain and complete.
'use strict';

// ---- the table of cases ------------------------------------------------------------------------

// The value of a cell by which it is sorted and filtered: that of the CSV, or what is shown.
function valueOf(cell) {
  return cell.dataset.value ?? cell.textContent.trim();
}

// Numbers come by their size, texts by their letters, and empty cells last.
function compareValues(a, b) {
  if (a === '' || b === '') return (a === '') - (b === '');
  if (!isNaN(a) && !isNaN(b)) return a - b;
  return a.localeCompare(b);
}

function sortCases(table, column, descending) {
  const key = (body) => valueOf(body.rows[0].cells[column]);
  const sorted = [...table.tBodies].sort((a, b) => {
    const empty = (key(a) === '') - (key(b) === '');
    return empty || compareValues(key(a), key(b)) * (descending ? -1 : 1);
  });
  table.append(...sorted);
  [...table.tHead.rows[0].cells].forEach((heading, i) => {
    if (i === column) heading.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    else heading.removeAttribute('aria-sort');
  });
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener('click', () =>
      sortCases(table, column, heading.getAttribute('aria-sort') === 'ascending'));
  });
}

// Says whether a case holds one word of the filter: COLUMN=VALUE, also with !=, <, <=, > and >=,
// or a text that is anywhere in its row.
function holds(body, headings, word) {
  const cells = [...body.rows[0].cells];
  const parts = word.match(/^([^=!<>]+)(!=|<=|>=|=|<|>)(.*)$/);
  const column = parts ? headings.findIndex((names) => names.includes(parts[1])) : -1;
  if (column < 0) return cells.some((cell) => cell.textContent.toLowerCase().includes(word));
  const wanted = parts[3];
  const cell = cells[column];
  const order = compareValues(valueOf(cell).toLowerCase(), wanted);
  const same = order === 0 || cell.textContent.trim().toLowerCase() === wanted;
  switch (parts[2]) {
    case '=': return same;
    case '!=': return !same;
    case '<': return order < 0;
    case '<=': return order <= 0;
    case '>': return order > 0;
    default: return order >= 0;
  }
}

function makeFilter(table) {
  const headings = [...table.tHead.rows[0].cells].map((heading) =>
    [...(heading.dataset.keys ?? '').split(' '), heading.textContent].map((name) => name.toLowerCase()));
  const box = document.createElement('p');
  box.className = 'filter';
  box.innerHTML = '<label></label> <input type="search" spellcheck="false"> <output></output>';
  const [label, input, count] = box.children;
  label.textContent = 'Filter';
  label.htmlFor = input.id = table.id + '-filter';
  input.placeholder = table.dataset.example;
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const body of table.tBodies) {
      body.hidden = !words.every((word) => holds(body, headings, word));
      shown += body.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${table.tBodies.length} cases`;
  };
  input.addEventListener('input', show);
  table.parentElement.before(box);
  show();
  return () => { input.value = ''; show(); };
}

// A link to a case opens it, also if the filter had hidden it.
function openTarget(clearFilter) {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let around = target; around; around = around.parentElement)
    if (around.tagName === 'DETAILS') around.open = true;
  if (target.tagName !== 'TBODY') return;
  if (target.hidden) clearFilter();
  target.querySelector('details').open = true;
  target.scrollIntoView({ block: 'nearest' });
}

for (const table of document.querySelectorAll('table.cases')) {
  makeSortable(table);
  const clear = makeFilter(table);
  addEventListener('hashchange', () => openTarget(clear));
  openTarget(clear);
}

// ---- the values of a figure --------------------------------------------------------------------

// The place of a value on an axis of the picture, in its own units.
function placed(value, axis) {
  const of = axis.log ? Math.log : (x) => x;
  return axis.from + (axis.to - axis.from) * (of(value) - of(axis.min)) / (of(axis.max) - of(axis.min));
}

// All points of a figure with their places. Those of areas have the ends of their sides, too.
function pointsOf(panels) {
  return panels.flatMap((panel) => panel.series.flatMap((series) =>
    series.points.map(([x, y, low, high, disturbed, left, right]) => ({
      panel, series, x, y, low, high, disturbed, left, right,
      at: [placed(x, panel.x), placed(y, panel.y)],
      sides: series.area ? [[left, right], [low, high]].map((ends, i) =>
        ends.map((end) => placed(end, i === 0 ? panel.x : panel.y)).sort((a, b) => a - b)) : null,
    })))).filter((point) => point.at.every(Number.isFinite));
}

// How far a place is from a point: nothing inside an area; other panels are always farther.
function distance(point, at) {
  if (point.sides?.every(([from, to], i) => from <= at[i] && at[i] <= to)) return 0;
  const [left, right] = [point.panel.x.from, point.panel.x.to].sort((a, b) => a - b);
  const [top, bottom] = [point.panel.y.from, point.panel.y.to].sort((a, b) => a - b);
  const outside = Math.max(left - at[0], at[0] - right, top - at[1], at[1] - bottom, 0);
  return Math.hypot(point.at[0] - at[0], point.at[1] - at[1]) + 1e3 * outside;
}

function numberText(value) {
  if (value === null) return 'unknown';
  const digits = Math.abs(value) >= 1000 && Number.isInteger(value) ? 15 : 4;
  return value.toLocaleString('en', { maximumSignificantDigits: digits });
}

// `W = 7: time (ms) 79.4 (74.8 to 83.3) at sequence length N (tokens) 4,900`
function pointText({ panel, series, x, y, low, high, disturbed, left, right }) {
  const range = (from, to) => `${numberText(from)} to ${numberText(to)}`;
  const value = series.area ? range(low, high) :
    numberText(y) + (low === null || high === null ? '' : ` (${range(low, high)})`);
  const place = panel.x.tics?.[x] ?? (series.area ? range(left, right) : numberText(x));
  return `${series.name}: ${panel.y.label} ${value} at ${panel.x.label} ${place}` +
    (disturbed ? ', disturbed' : '');
}

function showValues(figure) {
  const svg = figure.querySelector('.paper svg');
  const points = pointsOf(JSON.parse(figure.querySelector('script').textContent));
  if (!svg || points.length === 0) return;
  const output = document.createElement('output');
  output.className = 'values';
  const first = !document.querySelector('.values');
  if (first) output.textContent = 'Point at a figure, or focus it and use the arrow keys, to read its values.';
  const paper = figure.querySelector('.paper');
  paper.setAttribute('aria-description', 'The arrow keys read its values.');
  paper.after(output);
  const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  for (const [name, value] of [['r', 7], ['fill', 'none'], ['stroke', '#000'], ['stroke-width', 2]])
    ring.setAttribute(name, value);
  let shown = -1;
  const show = (index) => {
    shown = index;
    [ring.cx, ring.cy].forEach((length, i) => { length.baseVal.value = points[index].at[i]; });
    svg.append(ring);
    output.classList.add('shown');
    output.textContent = pointText(points[index]);
  };
  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect();
    const size = svg.viewBox.baseVal;
    const at = [(event.clientX - box.left) * size.width / box.width,
      (event.clientY - box.top) * size.height / box.height];
    const far = points.map((point) => distance(point, at));
    show(far.indexOf(Math.min(...far)));
  });
  paper.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) show((shown + step + points.length) % points.length);
    // Up and down go to the first point of the next series.
    const series = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (series) {
      const starts = points.flatMap((point, i) => i === 0 || point.series !== points[i - 1].series ? [i] : []);
      const own = starts.findLastIndex((start) => start <= shown);
      show(starts[(own + series + starts.length) % starts.length]);
    }
    if (step || series) event.preventDefault();
  });
}

for (const script of document.querySelectorAll('figure > script[type="application/json"]'))
  showValues(script.parentElement);

// ---- pictures as files -------------------------------------------------------------------------

for (const figure of document.querySelectorAll('figure[data-name]')) {
  const svg = figure.querySelector('.paper svg');
  const files = figure.querySelector('.files');
  if (!svg || !files) continue;
  const text = new XMLSerializer().serializeToString(svg);
  const link = document.createElement('a');
  link.textContent = 'SVG';
  link.download = figure.dataset.name + '.svg';
  link.href = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  files.prepend(link);
}
