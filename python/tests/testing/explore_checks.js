// SPDX-License-Identifier: Apache-2.0
// Runs in a headless browser, in the test page that test_explore.py makes: `page` is the text of a
// page of `qb explore`. It uses it as a reader does and writes what it saw into #result, as JSON.
'use strict';

const frame = document.createElement('iframe');
frame.style.height = '1200px';
const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });
const $ = (id) => frame.contentDocument.getElementById(id);
const all = (selector) => [...frame.contentDocument.querySelectorAll(selector)];
const texts = (selector) => all(selector).map((one) => one.textContent);

const PANELS = '#chart path.background[stroke="#ddd"]';
// The marks of cases: where each is and how it looks.
const marks = () => all('#chart .mark-symbol.role-mark path')
  .map((one) => ['transform', 'fill', 'stroke', 'd'].map((name) => one.getAttribute(name)).join(' '));
const faint = () => all('#chart .mark-symbol.role-mark path').filter((one) => one.getAttribute('opacity') === '0.15').length;
const saw = () => ({
  marks: marks(), faint: faint(), titles: texts('#chart .role-axis-title text'), panels: all(PANELS).length,
  legend: texts('#chart .role-legend text'), lines: all('#chart .mark-line path').length, said: $('said').textContent, missing: $('missing').textContent,
  notes: $('marks').textContent, runs: $('runs').textContent,
  caption: $('cases').querySelector('caption').textContent,
  rows: all('#cases tbody tr').length, commands: texts('#cases code') });

async function choose(id, value) {
  if ($(id).type === 'checkbox') $(id).checked = value;
  else $(id).value = value;
  $(id).dispatchEvent(new Event('input', { bubbles: true }));  // a browser's first event
  await wait(500);
  return saw();
}

// Drags over the left half of the first panel.
async function brush() {
  const area = all(PANELS)[0].getBoundingClientRect();
  const at = (kind, x, y) => (kind === 'pointerdown' ? all(PANELS)[0] : frame.contentWindow)
    .dispatchEvent(new frame.contentWindow.PointerEvent(kind, {
      bubbles: true, cancelable: true, clientX: x, clientY: y, pointerId: 1, isPrimary: true, button: 0 }));
  at('pointerdown', area.left + 2, area.top + 2);
  for (const part of [.2, .35, .5]) at('pointermove', area.left + part * area.width, area.top + 2 * part * area.height - 4);
  at('pointerup', area.left + area.width / 2, area.bottom - 4);
  await wait(300);
  return saw();
}

async function main() {
  frame.style.width = '1200px';
  await new Promise((done) => { frame.onload = done; frame.srcdoc = page; document.body.append(frame); });
  await wait(1000);
  const found = { first: saw(), options: texts('#y option') };
  for (const [name, id, value] of steps) found[name] = await choose(id, value);
  found.brushed = await brush();
  frame.style.width = '390px';
  found.phone = await choose('words', '');
  found.too_wide = frame.contentDocument.scrollingElement.scrollWidth - frame.contentDocument.scrollingElement.clientWidth;
  found.requests = frame.contentWindow.performance.getEntriesByType('resource').map((one) => one.name);
  found.problems = [...frame.contentWindow.problems];
  const image = frame.contentDocument.createElement('img');
  image.src = 'https://example.org/a.png';
  frame.contentDocument.body.append(image);
  await wait(300);
  found.refused = frame.contentWindow.problems.slice(found.problems.length);
  return found;
}

main().catch((error) => ({ failed: error.stack, problems: frame.contentWindow.problems }))
  .then((found) => { document.getElementById('result').textContent = JSON.stringify(found); });
