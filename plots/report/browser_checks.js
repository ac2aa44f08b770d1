// What browser_test.py checks inside the browser. `pages` and `expected` are written before this
// text; each check adds a line to the page, and a line FAILED … fails the test.
'use strict';

const lines = [];
function check(holds, what) {
  lines.push((holds ? 'ok ' : 'FAILED ') + what);
}

// A page in a frame of some width. Its media queries see that width, and its errors are kept.
async function open(page, width) {
  const frame = document.createElement('iframe');
  frame.style.cssText = `width: ${width}px; height: 900px; border: 0`;
  const watch = '<script>window.problems = [];' +
    'addEventListener("error", (event) => problems.push(event.message));' +
    'addEventListener("unhandledrejection", (event) => problems.push(String(event.reason)));' +
    'for (const name of ["error", "warn"]) console[name] = (...words) => problems.push(words.join(" "));' +
    '<\/script>';
  // The base makes links inside the page stay inside it.
  frame.srcdoc = page.replace('<head>', '<head><base href="about:srcdoc">' + watch);
  const loaded = new Promise((resolve) => { frame.onload = resolve; });
  document.body.append(frame);
  await loaded;
  return frame.contentWindow;
}

const pause = () => new Promise((resolve) => { setTimeout(resolve, 50); });
const shownCases = (view) => [...view.document.querySelectorAll('.cases tbody')].filter((body) => !body.hidden);

function heading(view, key) {
  return [...view.document.querySelectorAll('.cases thead th')]
    .find((one) => one.dataset.keys.split(' ').includes(key));
}

function checkSorting(view) {
  for (const key of ['workers', 'algorithm', 'time']) {
    const column = heading(view, key);
    const place = column.cellIndex;
    const button = column.querySelector('button');
    check(button.tabIndex === 0, `the heading ${key} can be reached by the keyboard`);
    for (const direction of ['ascending', 'descending']) {
      button.click();
      const values = shownCases(view).map((body) => body.rows[0].cells[place].dataset.value).filter(Boolean);
      const ordered = values.every((value, i) => {
        if (i === 0) return true;
        const order = isNaN(value) ? values[i - 1].localeCompare(value) : values[i - 1] - value;
        return direction === 'ascending' ? order <= 0 : order >= 0;
      });
      check(ordered && values.length > 10, `sorts by ${key}, ${direction}`);
      check(column.getAttribute('aria-sort') === direction, `says that ${key} is ${direction}`);
    }
  }
  check(view.document.querySelectorAll('.cases th[aria-sort]').length === 1, 'one heading is sorted by');
}

function filterBy(view, text) {
  const input = view.document.querySelector('.filter input');
  input.value = text;
  input.dispatchEvent(new view.Event('input'));
  return shownCases(view).length;
}

function checkFilter(view) {
  check(filterBy(view, 'algorithm=ring') === expected['algorithm=ring'], 'filters by an equal value');
  check(filterBy(view, 'workers>=4') === expected['workers>=4'], 'filters by a comparison');
  check(filterBy(view, 'algorithm!=ring') === expected.all - expected['algorithm=ring'], 'filters by a difference');
  check(filterBy(view, 'RING algorithm=ring') === expected['algorithm=ring'], 'all words must hold');
  check(filterBy(view, 'nothing-has-this') === 0, 'finds nothing where there is nothing');
  check(view.document.querySelector('.filter output').textContent === `0 of ${expected.all} cases`,
    'says how many cases are shown');
  check(filterBy(view, '') === expected.all, 'an empty filter shows every case');
}

async function checkNeighbours(view) {
  filterBy(view, 'algorithm=ring');
  const link = shownCases(view)[0].querySelector('li a');
  const id = link.getAttribute('href').slice(1);
  shownCases(view)[0].querySelector('details').open = true;
  link.click();
  await pause();
  const target = view.document.getElementById(id);
  check(target && !target.hidden && target.querySelector('details').open, 'a neighbour opens when its link is followed');
  filterBy(view, '');
}

// The marks of a picture; tics are no marks.
function marksOf(svg) {
  return [...svg.querySelectorAll('use')].filter((mark) => !mark.closest('[id*="tick"]'))
    .map((mark) => [mark.x.baseVal.value, mark.y.baseVal.value]);
}

function checkValues(view) {
  let marked = 0;
  let near = 0;
  for (const figure of view.document.querySelectorAll('figure[data-name]')) {
    const svg = figure.querySelector('.paper svg');
    const titles = [...svg.querySelectorAll('.marks title')].map((title) => title.textContent);
    check(titles.length > 0 && titles.every((title) => /.+: .* at ./.test(title)),
      `${figure.dataset.name} has series and values of its ${titles.length} marks`);
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const output = figure.querySelector('.values');
    for (const [x, y] of marksOf(svg)) {
      svg.dispatchEvent(new view.PointerEvent('pointermove',
        { clientX: box.left + x * scale, clientY: box.top + y * scale, bubbles: true }));
      const ring = svg.querySelector(':scope > circle:last-of-type');
      marked += 1;
      near += Math.hypot(ring.cx.baseVal.value - x, ring.cy.baseVal.value - y) < 1.5 ? 1 : 0;
    }
    const paper = figure.querySelector('.paper');
    const after = (key) => {
      paper.dispatchEvent(new view.KeyboardEvent('keydown', { key, cancelable: true }));
      return output.textContent;
    };
    check(titles.includes(after('ArrowRight')) && (titles.length < 2 || after('ArrowLeft') !== after('ArrowRight')),
      `${figure.dataset.name} is read by the arrow keys`);
    const several = svg.querySelectorAll('.marks > g').length > 1;
    const name = (title) => title.slice(0, title.indexOf(': '));
    check(!several || name(output.textContent) !== name(after('ArrowDown')),
      `${figure.dataset.name}: the arrow down goes to another series`);
  }
  // The legend has marks too, where no point is.
  check(marked > 50 && near > 0.7 * marked, `the values belong to the drawn marks (${near} of ${marked})`);
}

function checkWidth(view, what) {
  const root = view.document.documentElement;
  check(root.scrollWidth <= root.clientWidth, `${what}: nothing is wider than the page (${root.scrollWidth} of ${root.clientWidth})`);
  const place = heading(view, 'status')?.cellIndex;
  const hidden = place === undefined ? [] : shownCases(view).filter((body) => {
    const box = body.rows[0].cells[place].getBoundingClientRect();
    return box.left < 0 || box.right > root.clientWidth;
  });
  check(hidden.length === 0, `${what}: the status of every case is in sight`);
}

// A verdict that stays in sight must not hide what it judges.
function checkVerdicts(view, what) {
  const root = view.document.documentElement;
  const hidden = [...view.document.querySelectorAll('.judged tbody td')].filter((cell) => {
    const box = cell.getBoundingClientRect();
    const next = cell.nextElementSibling?.getBoundingClientRect();
    return box.width > 0 && (box.right > root.clientWidth || (next && next.top < box.bottom && next.left < box.right));
  });
  check(hidden.length === 0, `${what}: no cell beside a verdict is hidden`);
}

// ---- what makes a page readable ----------------------------------------------------------------

function luminance([r, g, b]) {
  const part = (value) => value <= 10.3 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}

function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const numbersIn = (colour) => colour.match(/[\d.]+/g).map(Number);

function backgroundOf(view, element) {
  for (let around = element; around; around = around.parentElement) {
    const colour = numbersIn(view.getComputedStyle(around).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
}

function checkContrast(view, what) {
  for (const details of view.document.querySelectorAll('details')) details.open = true;
  let worst = Infinity;
  let place = '';
  for (const element of view.document.querySelectorAll('body *')) {
    if (element.closest('.paper, script, title')) continue;
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    const style = view.getComputedStyle(element);
    const own = contrast(numbersIn(element.closest('svg') ? style.fill : style.color), backgroundOf(view, element));
    if (own < worst) [worst, place] = [own, `${element.tagName} ${element.textContent.trim().slice(0, 30)}`];
  }
  check(worst >= 4.5, `${what}: the least contrast is ${worst.toFixed(2)} (${place})`);
}

function checkNames(view, what) {
  const all = (selector) => [...view.document.querySelectorAll(selector)];
  check(all('table').every((table) => table.caption || table.closest('[aria-label]')), `${what}: every table has a name`);
  check(all('thead th').every((one) => one.scope === 'col'), `${what}: every heading has a scope`);
  check(all('svg[role=img]').every((one) => one.getAttribute('aria-label')), `${what}: every drawing has a text`);
  check(all('img').every((one) => one.alt), `${what}: every picture has a text`);
  check(all('input').every((one) => one.labels.length > 0), `${what}: every field has a label`);
  check(all('a[href^="#"]').every((one) => view.document.getElementById(decodeURIComponent(one.getAttribute('href').slice(1)))),
    `${what}: every link inside the page leads somewhere`);
  const ids = all('[id]').filter((one) => !one.closest('.paper')).map((one) => one.id);
  check(new Set(ids).size === ids.length, `${what}: no name is used twice`);
}

async function main() {
  const run = await open(pages.run, 1440);
  check(shownCases(run).length === expected.all, 'every case is in the table');
  checkSorting(run);
  checkFilter(run);
  await checkNeighbours(run);
  checkValues(run);
  checkNames(run, 'run');
  const views = [run];
  const dark = '@media screen and (prefers-color-scheme: dark)';
  const styled = { light: (page) => page.replace(dark, '@media not all'), dark: (page) => page.replace(dark, '@media all'),
    // No screen has the type tty.
    print: (page) => page.replaceAll('@media screen', '@media tty').replaceAll('@media print', '@media all') };
  for (const [name, page] of Object.entries(pages)) {
    for (const width of [360, 768, 1440]) {
      const view = await open(page, width);
      checkWidth(view, `${name} at ${width} px`);
      if (width === 360) checkVerdicts(view, name);
      views.push(view);
    }
    const printed = await open(styled.print(page), 690);  // A4 without its margins
    checkWidth(printed, `${name} in print`);
    for (const look of ['light', 'dark']) {
      const view = await open(styled[look](page), 1000);
      checkContrast(view, `${name}, ${look}`);
      views.push(view);
    }
    views.push(printed);
  }
  const problems = views.flatMap((view) => view.problems);
  check(problems.length === 0, `no error in any page: ${problems.join('; ')}`);
  lines.push('all checks ran');
}

main().catch((error) => lines.push('FAILED ' + error.stack))
  .finally(() => { document.getElementById('result').textContent = lines.join('\n'); });
