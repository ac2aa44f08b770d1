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
