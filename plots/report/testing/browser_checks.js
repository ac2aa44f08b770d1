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

// The table of cases: it names its status last.
const casesOf = (view) => [...view.document.querySelectorAll('table.judged')]
  .find((table) => table.rows[0].cells[0].textContent.startsWith('algorithm'));
const shownCases = (view) => [...casesOf(view).tBodies[0].rows].filter((row) => !row.hidden);

function checkSorting(view) {
  const headings = [...casesOf(view).tHead.rows[0].cells];
  for (const name of ['W', 'algorithm', 'time (ms)']) {
    const column = headings.find((one) => one.textContent.trim() === name);
    const button = column.querySelector('button');
    check(button.tabIndex === 0, `the heading ${name} can be reached by the keyboard`);
    for (const direction of ['ascending', 'descending']) {
      button.click();
      const values = shownCases(view).map((row) => row.cells[column.cellIndex].textContent)
        .filter((text) => text !== '-').map((text) => name === 'algorithm' ? text : parseFloat(text.replaceAll(',', '')));
      const ordered = values.every((value, i) => {
        if (i === 0) return true;
        const order = name === 'algorithm' ? values[i - 1].localeCompare(value) : values[i - 1] - value;
        return direction === 'ascending' ? order <= 0 : order >= 0;
      });
      check(ordered && values.length > 10, `sorts by ${name}, ${direction}`);
      check(column.getAttribute('aria-sort') === direction, `says that ${name} is ${direction}`);
    }
  }
  check(casesOf(view).querySelectorAll('th[aria-sort]').length === 1, 'one heading is sorted by');
}

function filterBy(view, text) {
  const box = casesOf(view).parentElement.previousElementSibling;
  const input = box.querySelector('input');
  input.value = text;
  input.dispatchEvent(new view.Event('input', { bubbles: true }));
  return [shownCases(view).length, box.querySelector('output').textContent.trim()];
}

function checkFilter(view) {
  check(filterBy(view, 'ulysses')[0] === expected.ulysses, 'filters by a word');
  check(filterBy(view, 'ULYSSES ok')[0] === expected.ulysses, 'all words must be there');
  const [none, said] = filterBy(view, 'nothing-has-this');
  check(none === 0 && said === `0 of ${expected.all} rows`, 'says how many rows are shown');
  check(filterBy(view, '')[0] === expected.all, 'an empty filter shows every row');
}

// ---- a page is short, begins with its conclusion, and is whole on a phone ------------------------

const SCREEN = 900;  // px
const MOST_SCREENS = 8;

function checkLength(view, what) {
  const screens = view.document.body.scrollHeight / SCREEN;
  check(screens <= MOST_SCREENS, `${what}: ${screens.toFixed(1)} screens at ${view.innerWidth} px`);
}

function checkOpening(view) {
  const opening = view.document.querySelector('.opening');
  const sentences = [...opening.querySelectorAll(':scope > p')];
  check(sentences.length === 3 && sentences[1].textContent.startsWith('Agrees:') &&
    sentences[2].textContent.startsWith('Does not agree:'), 'the page opens with what was run, what agrees, what does not');
  const figure = opening.querySelector('figure');
  check(figure && figure.getBoundingClientRect().top < SCREEN, 'a picture is on the first screen');
  for (const one of view.document.querySelectorAll('figure')) {
    const caption = one.querySelector('figcaption').getBoundingClientRect();
    const picture = one.querySelector('.paper svg').getBoundingClientRect();
    check(caption.top >= picture.bottom && caption.top - picture.bottom < 60 &&
      caption.bottom <= one.getBoundingClientRect().bottom + 1, `${one.dataset.name}: the caption is under its own figure`);
  }
}

// Nothing is cut or needs to be scrolled sideways, also in what is closed at first.
function checkPhone(view, what) {
  for (const details of view.document.querySelectorAll('details')) details.open = true;
  const cut = [...view.document.querySelectorAll('.wide, .paper, pre')].filter((box) =>
    box.offsetParent && box.scrollWidth > box.clientWidth + 1);
  check(cut.length === 0, `${what}: nothing is cut at ${view.innerWidth} px` +
    cut.slice(0, 3).map((box) => `; ${box.getAttribute('aria-label') ?? box.textContent.slice(0, 30)} is ${box.scrollWidth} of ${box.clientWidth}`).join(''));
  // The index has no drawings for a phone: its pictures are whole, and their SVG is a link.
  const small = [...view.document.querySelectorAll('.paper svg')].filter((svg) => !svg.closest('.gallery')).filter((svg) => svg.getClientRects().length > 0)
    .map((svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width).filter((scale) => scale < 1);
  check(small.length === 0, `${what}: no drawing is smaller than in print`);
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

// A name of a series hides its marks in every panel, and its values; a second time it shows them.
function checkToggles(view) {
  const figure = [...view.document.querySelectorAll('figure')].find((one) => one.dataset.name === 'scheme_comparison');
  const svg = figure.querySelector('.paper svg');
  const marks = [...svg.querySelectorAll('[data-series]')];
  const name = [...svg.querySelectorAll('[data-key][role=button]')].find((one) => one.textContent.trim() === 'ulysses');
  const own = marks.filter((mark) => mark.dataset.series.split(' ').includes(name.dataset.key));
  const panels = new Set(own.map((mark) => mark.closest('[id*="axes_"]')).filter(Boolean));
  const seen = (mark) => view.getComputedStyle(mark).display !== 'none';
  const values = () => [...svg.querySelectorAll('.marks > g')].filter(seen)
    .some((group) => group.textContent.startsWith('ulysses: '));
  check(panels.size === 4 && own.length > 8 && own.every(seen) && values(), 'a series has marks in all panels');
  const press = (event) => {
    name.dispatchEvent(event);
    return [name.getAttribute('aria-pressed'), own.filter(seen).length, marks.filter(seen).length - own.filter(seen).length, values()].join();
  };
  const others = marks.length - own.length;
  const read = (place) => {
    svg.dispatchEvent(new view.PointerEvent('pointermove',
      { clientX: place.left + place.width / 2, clientY: place.top + place.height / 2, bubbles: true }));
    return figure.querySelector('.values').textContent;
  };
  const place = own.flatMap((mark) => mark.closest('.marks') ? [...mark.children] : [])
    .map((shape) => shape.getBoundingClientRect()).find((one) => read(one).startsWith('ulysses: '));
  const key = (text) => new view.KeyboardEvent('keydown', { key: text, cancelable: true, bubbles: true });
  const off = ['false', 0, others, false].join();
  const on = ['true', own.length, others, true].join();
  check(name.tabIndex === 0 && name.getAttribute('aria-pressed') === 'true', 'a name of a series is a button');
  check(press(new view.MouseEvent('click', { cancelable: true })) === off, 'a click on a name hides its marks in all panels, and no other');
  check(/^\w+: /.test(read(place)) && !read(place).startsWith('ulysses: '), 'the pointer passes over what is hidden');
  check(view.getComputedStyle(name).opacity < 0.6, 'the name of a hidden series is pale');
  check(press(key('a')) === off, 'another key changes nothing');
  check(press(key('Enter')) === on && read(place).startsWith('ulysses: '), 'Enter shows them again');
  check(press(key(' ')) === off && press(key(' ')) === on, 'so does the space bar');
  const dead = [...view.document.querySelectorAll('.paper [data-key][role=button]')].filter((one) =>
    !one.dataset.key.split(' ').some((part) => one.closest('svg').querySelector(`[data-series~="${part}"]`)));
  check(dead.length === 0, 'every button has marks');
}

// ---- the index of all figures ------------------------------------------------------------------

function checkIndex(view) {
  const root = view.document;
  const cards = [...root.querySelectorAll('.gallery > li')];
  const shown = () => cards.filter((card) => card.getClientRects().length > 0);
  check(cards.length === expected.figures && shown().length === cards.length, `the index shows ${cards.length} figures`);
  check(/ N tokens.* W workers.*cyclic quorum sets/.test(root.querySelector('h1 + p').textContent), 'it begins with N, W and CQS');
  const pages = [...root.querySelectorAll('nav a')];
  check(pages.some((page) => page.getAttribute('href') === 'papers/usp.html') &&
    pages.every((page) => page.getBoundingClientRect().bottom < SCREEN), 'the pages of papers are on the first screen');
  check(cards.every((card) => card.dataset.machine && card.querySelector('.source').textContent.includes(card.dataset.machine)),
    'each card says its machine');

  let read = 0;
  for (const figure of root.querySelectorAll('figure')) {
    const svg = figure.querySelector('svg');
    const first = svg.querySelector('.marks > g > *').getBoundingClientRect();
    svg.dispatchEvent(new view.PointerEvent('pointermove',
      { clientX: first.left + first.width / 2, clientY: first.top + first.height / 2, bubbles: true }));
    read += / at ./.test(figure.querySelector('.values').textContent) ? 1 : 0;
  }
  check(read === cards.length, `the values of ${read} figures are read under the pointer`);

  const [topic, machine, numbers] = ['topic', 'machine', 'numbers'].map((name) => root.querySelector(`select[name=${name}]`));
  const said = () => root.querySelector('.filter output').textContent.trim();
  const choose = (list, value) => {
    list.value = value;
    list.dispatchEvent(new view.Event('input', { bubbles: true }));
    return shown();
  };
  for (const list of [topic, machine, numbers])
    for (const value of [...list.options].slice(1).map((option) => option.value)) {
      const wanted = cards.filter((card) => card.dataset[list.name] === value);
      check(wanted.length > 0 && wanted.length < cards.length && String(choose(list, value).map((card) => cards.indexOf(card))) ===
        String(wanted.map((card) => cards.indexOf(card))), `${list.name} ${value}: ${wanted.length} figures, no other`);
      check(said() === `${wanted.length} of ${cards.length} figures`, `says that there are ${wanted.length}`);
      check([...root.querySelectorAll('section:has(.gallery) h2')].filter((one) => one.getClientRects().length > 0).length ===
        new Set(wanted.map((card) => card.dataset.topic)).size, 'no topic stands without a figure');
      choose(list, 'all');
    }
  check(String([...numbers.options].map((option) => option.value).sort()) === 'all,derived,measured,modelled',
    'numbers are measured, modelled or derived');
  choose(numbers, 'derived');
  check(choose(topic, 'Kernels').length === 0 && said().startsWith('0 of'), 'both choices count');
  choose(topic, 'all');
  check(choose(numbers, 'all').length === cards.length, 'all figures come back');
}

function checkWidth(view, what) {
  const root = view.document.documentElement;
  check(root.scrollWidth <= root.clientWidth, `${what}: nothing is wider than the page (${root.scrollWidth} of ${root.clientWidth})`);
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
  check(all('input, select').every((one) => one.labels.length > 0), `${what}: every field has a label`);
  check(all('a[href^="#"]').every((one) => view.document.getElementById(decodeURIComponent(one.getAttribute('href').slice(1)))),
    `${what}: every link inside the page leads somewhere`);
  const ids = all('[id]').map((one) => one.id);
  check(new Set(ids).size === ids.length, `${what}: no name is used twice`);
}

// Lays a page out anew, since it takes long to load.
function resize(view, width) {
  view.frameElement.style.width = `${width}px`;
  check(view.innerWidth === width, `the page is ${view.innerWidth} of ${width} px wide`);
}

// Shows a page as another medium would: `light`, `dark` or `print`.
function show(view, look) {
  view.rules ??= [...view.document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule.media).map(({ media }) => [media, media.mediaText]);
  for (const [media, text] of view.rules)
    // No screen has the type tty.
    media.mediaText = look === 'print' ? text.replace('screen', 'tty').replace('print', 'all') :
      !text.includes('prefers-color-scheme') ? text : look === 'dark' ? 'all' : 'not all';
}

async function main() {
  const views = [];
  for (const [name, page] of Object.entries(pages)) {
    const view = await open(page, 1440);
    views.push(view);
    if (name !== 'index') checkLength(view, name);
    if (name === 'run') {
      check(shownCases(view).length === expected.all, 'every case is in the table');
      checkSorting(view);
      checkFilter(view);
      checkOpening(view);
      checkValues(view);
      checkToggles(view);
    }
    if (name === 'index') checkIndex(view);
    checkNames(view, name);
    for (const width of [1440, 768, 390, 360]) {
      resize(view, width);
      checkWidth(view, `${name} at ${width} px`);
    }
    checkVerdicts(view, name);
    show(view, 'print');
    resize(view, 690);  // A4 without its margins
    checkWidth(view, `${name} in print`);
    show(view, 'light');
    resize(view, 390);
    checkPhone(view, name);
    resize(view, 1000);
    checkContrast(view, `${name}, light`);
    show(view, 'dark');
    checkContrast(view, `${name}, dark`);
  }
  const problems = views.flatMap((view) => view.problems);
  check(problems.length === 0, `no error in any page: ${problems.join('; ')}`);
  lines.push('all checks ran');
}

main().catch((error) => lines.push('FAILED ' + error.stack))
  .finally(() => { document.getElementById('result').textContent = lines.join('\n'); });
