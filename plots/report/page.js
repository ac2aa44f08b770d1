// What a page can do besides being read: sort and filter long tables, choose among figures, show the
// values under the pointer, hide series, and save pictures. Without it the page is plain and complete.
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

// Puts fields with their labels before a place, and hides the items that do not fit them.
function addFilter(place, fields, items, fits, noun) {
  const box = document.createElement('div');
  const count = document.createElement('output');
  box.className = 'filter';
  for (const field of fields) {
    const label = document.createElement('label');
    label.append(field.name + ' ', field);
    box.append(label);
  }
  const show = () => {
    for (const item of items) item.hidden = !fits(item);
    count.textContent = ` ${items.filter((item) => !item.hidden).length} of ${items.length} ${noun}`;
  };
  box.append(count);
  box.addEventListener('input', show);
  place.before(box);
  show();
}

// Shows the rows that have each word of a text somewhere.
function makeFilter(table) {
  const input = Object.assign(document.createElement('input'), { type: 'search', name: 'filter' });
  addFilter(table.parentElement, [input], [...table.tBodies[0].rows], (row) => {
    const text = [...row.cells].map((cell) => cell.textContent).join(' ').toLowerCase();
    return input.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }, 'rows');
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

// ---- the figures of an index -------------------------------------------------------------------

// A list for each thing that the cards say of their figures: data-topic and the like.
const cards = [...document.querySelectorAll('.gallery > li')];
if (cards.length) {
  const lists = Object.keys(cards[0].dataset).map((name) => {
    const list = Object.assign(document.createElement('select'), { name });
    for (const value of new Set(['all', ...cards.map((card) => card.dataset[name])])) list.append(new Option(value));
    return list;
  });
  addFilter(document.querySelector('main > section'), lists, cards, (card) =>
    lists.every((list) => ['all', card.dataset[list.name]].includes(list.value)), 'figures');
}

// ---- the series of a figure --------------------------------------------------------------------

// The marks of a series have its keys in data-series, and a name, or the sample beside it, has those
// in data-key that it stands for. A click on it hides the marks in all panels, or shows them.
function makeToggles(svg) {
  const keysOf = (one) => (one.dataset.series ?? one.dataset.key).split(' ');
  const marks = [...svg.querySelectorAll('[data-series]')];
  const used = new Set(marks.flatMap(keysOf));
  const names = [...svg.querySelectorAll('[data-key]')].filter((name) => used.has(keysOf(name)[0]));
  const hidden = new Set();
  const turn = (event) => {
    if (!['Enter', ' ', undefined].includes(event.key)) return;
    event.preventDefault();
    const change = event.currentTarget.getAttribute('aria-pressed') === 'true' ? 'add' : 'delete';
    for (const key of keysOf(event.currentTarget)) hidden[change](key);
    for (const mark of marks) mark.classList.toggle('off', keysOf(mark).some((key) => hidden.has(key)));
    for (const name of names) name.setAttribute('aria-pressed', !keysOf(name).every((key) => hidden.has(key)));
    svg.querySelector(':scope > circle')?.remove();  // around the last value that was read
  };
  for (const name of names) {
    svg.setAttribute('role', 'group');
    for (const event of ['click', 'keydown']) name.addEventListener(event, turn);
    const look = name.querySelector('text') ? { role: 'button', tabindex: 0 } : { 'aria-hidden': true };
    for (const [key, value] of Object.entries({ 'aria-pressed': true, ...look })) name.setAttribute(key, value);
  }
}

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
    output.textContent = 'Point at a figure, or focus it and use the arrow keys, to read its values.' +
      (svg.querySelector('[data-key]') ? ' Click a name of a series to hide or show it.' : '');
  paper.setAttribute('aria-description', 'The arrow keys read its values.');
  paper.after(output);
  const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  for (const [name, value] of [['r', 7], ['fill', 'none'], ['stroke', '#000'], ['stroke-width', 2]])
    ring.setAttribute(name, value);
  const isHidden = (shape) => shape.parentNode.classList.contains('off');
  let shown = -1;
  const show = (index) => {
    shown = index;
    if (shapes.every(isHidden)) return;
    const { x, y, width, height } = boxes[shown];
    ring.cx.baseVal.value = x + width / 2;
    ring.cy.baseVal.value = y + height / 2;
    svg.append(ring);
    output.classList.add('shown');
    output.textContent = shapes[shown].textContent;
  };
  svg.addEventListener('pointermove', (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const far = boxes.map(({ x, y, width, height }, i) => isHidden(shapes[i]) ? Infinity :
      Math.hypot(Math.max(x - at.x, 0, at.x - x - width), Math.max(y - at.y, 0, at.y - y - height)));
    show(far.indexOf(Math.min(...far)));
  });
  paper.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    // Up and down go to the first mark of another series.
    const stops = shapes.map((_, i) => i).filter((i) => !isHidden(shapes[i]) &&
      (/Right|Left/.test(event.key) || !shapes[i].previousSibling));
    const own = stops.findLastIndex((stop) => stop <= shown);
    show(stops[(own + step + stops.length) % stops.length]);
    event.preventDefault();
  });
}

// ---- every figure ------------------------------------------------------------------------------

for (const figure of document.querySelectorAll('figure[data-name]')) {
  const files = figure.querySelector('.files');
  if (![...files.children].some((link) => link.textContent === 'SVG')) {
    const text = new XMLSerializer().serializeToString(figure.querySelector('.paper svg'));
    const link = document.createElement('a');
    link.textContent = 'SVG';
    link.download = figure.dataset.name + '.svg';
    link.href = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    files.prepend(link);
  }
  for (const svg of figure.querySelectorAll('.paper svg')) makeToggles(svg);
  if (figure.querySelector('.marks')) showValues(figure);
}
