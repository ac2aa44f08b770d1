// What the page of a run can do besides being read: sort and filter long tables, show the values
// under the pointer, and save pictures. Without it the page is plain and complete.
'use strict';

// ---- long tables -------------------------------------------------------------------------------

const LEAST_ROWS = 13;

// The number that a cell begins with, `1,024` or `482 (466 to 612)`; else its text.
function valueOf(cell) {
  const text = cell.textContent.trim();
  const number = parseFloat(text.replaceAll(',', ''));
  return Number.isNaN(number) ? text : number;
}

// Numbers come by their size, before texts by their letters; what is missing comes last.
function compareValues(a, b) {
  const rank = (value) => (typeof value === 'number' ? 0 : value === '' || value === '-' ? 2 : 1);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return typeof a === 'number' ? a - b : a.localeCompare(b);
}

function sortRows(table, column, descending) {
  const key = (row) => valueOf(row.cells[column]);
  const sorted = [...table.tBodies[0].rows].sort((a, b) => compareValues(key(a), key(b)));
  if (descending) sorted.reverse();
  table.tBodies[0].append(...sorted);
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
      sortRows(table, column, heading.getAttribute('aria-sort') === 'ascending'));
  });
}

// Shows the rows that have each word of a text somewhere.
function makeFilter(table) {
  const box = document.createElement('label');
  box.className = 'filter';
  const input = document.createElement('input');
  const count = document.createElement('output');
  input.type = 'search';
  box.append('Filter ', input, count);
  const rows = [...table.tBodies[0].rows];
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = [...row.cells].map((cell) => cell.textContent).join(' ').toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    count.textContent = ` ${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
  };
  input.addEventListener('input', show);
  table.parentElement.before(box);
  show();
}

for (const table of document.querySelectorAll('table'))
  if (table.tBodies[0]?.rows.length >= LEAST_ROWS) {
    makeSortable(table);
    makeFilter(table);
  }

// A link into what is closed opens it.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target?.querySelector(':scope > details') ?? target?.closest('details');
  if (details) details.open = true;
}
addEventListener('hashchange', openTarget);
openTarget();

// ---- the values of a figure --------------------------------------------------------------------

// The picture has an unseen shape with a <title> at each mark, in a group for each series.
function showValues(figure) {
  const paper = figure.querySelector('.paper');
  const svg = paper.querySelector('svg');
  const shapes = [...svg.querySelectorAll('.marks > g > *')];
  const boxes = shapes.map((shape) => shape.getBBox());
  const output = document.createElement('output');
  output.className = 'values';
  if (!document.querySelector('.values'))
    output.textContent = 'Point at a figure, or focus it and use the arrow keys, to read its values.';
  paper.setAttribute('aria-description', 'The arrow keys read its values.');
  paper.after(output);
  const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  for (const [name, value] of [['r', 7], ['fill', 'none'], ['stroke', '#000'], ['stroke-width', 2]])
    ring.setAttribute(name, value);
  let shown = -1;
  const show = (index) => {
    shown = index;
    const { x, y, width, height } = boxes[shown];
    ring.cx.baseVal.value = x + width / 2;
    ring.cy.baseVal.value = y + height / 2;
    svg.append(ring);
    output.classList.add('shown');
    output.textContent = shapes[shown].textContent;
  };
  svg.addEventListener('pointermove', (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const far = boxes.map(({ x, y, width, height }) =>
      Math.hypot(Math.max(x - at.x, 0, at.x - x - width), Math.max(y - at.y, 0, at.y - y - height)));
    show(far.indexOf(Math.min(...far)));
  });
  paper.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    // Up and down go to the first mark of another series.
    const stops = shapes.map((_, i) => i).filter((i) => /Right|Left/.test(event.key) || !shapes[i].previousSibling);
    const own = stops.findLastIndex((stop) => stop <= shown);
    show(stops[(own + step + stops.length) % stops.length]);
    event.preventDefault();
  });
}

for (const figure of document.querySelectorAll('figure[data-name]'))
  if (figure.querySelector('.marks')) showValues(figure);

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
