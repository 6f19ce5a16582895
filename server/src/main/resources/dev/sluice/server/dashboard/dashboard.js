'use strict';
// Asks the server once a second and shows the difference. Keys and rules are other people's text:
// they only ever become text nodes.

const KEPT = 120;
const OUTCOMES = ['allowed', 'denied', 'degraded'];
const $ = id => document.getElementById(id);
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const history = [];
let plot;
let token = '';
let latest;

function cell(row, text, className) {
  const td = row.insertCell();
  if (className) td.className = className;
  const bdi = document.createElement('bdi');
  bdi.textContent = text;
  td.append(bdi);
}

function rows(body, items, empty, fill) {
  body.replaceChildren();
  if (items.length === 0) {
    const td = body.insertRow().insertCell();
    td.colSpan = body.closest('table').tHead.rows[0].cells.length;
    td.textContent = empty;
  }
  items.forEach(item => fill(body.insertRow(), item));
}

function options(select, names, keep) {
  const chosen = select.value;
  const wanted = JSON.stringify(names);
  if (select.dataset.names === wanted) return;
  select.dataset.names = wanted;
  select.replaceChildren(...keep, ...names.map(name => {
    const option = document.createElement('option');
    option.value = name;
    option.textContent = name;
    return option;
  }));
  if ([...select.options].some(option => option.value === chosen)) select.value = chosen;
}

function duration(micros) {
  if (micros < 1000) return `${micros.toFixed(0)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(micros < 10000 ? 1 : 0)} ms`;
  const seconds = micros / 1e6;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

// uPlot has no value to show while the pointer is elsewhere.
function clock(seconds) {
  return seconds == null ? '–' : new Date(seconds * 1000).toTimeString().slice(0, 8);
}

function time(iso) {
  return new Date(iso).toLocaleString();
}

function sums(sample, policy) {
  const chosen = sample.policies.filter(p => policy === '' || p.name === policy);
  return OUTCOMES.map(outcome => chosen.reduce((sum, p) => sum + p[outcome], 0));
}

function drawRates() {
  const policy = $('plot-policy').value;
  const times = [];
  const series = OUTCOMES.map(() => []);
  for (let i = 1; i < history.length; i++) {
    const seconds = (history[i].now - history[i - 1].now) / 1000;
    const before = sums(history[i - 1], policy);
    const after = sums(history[i], policy);
    times.push(history[i].now / 1000);
    after.forEach((count, j) => series[j].push(Math.max(0, (count - before[j]) / seconds)));
  }
  const data = [times, ...series];
  if (!plot) {
    const axis = { stroke: style('--faint'), grid: { stroke: style('--line') }, ticks: { stroke: style('--line') } };
    plot = new uPlot({
      width: $('plot').clientWidth,
      height: 220,
      scales: { x: { range: () => [latest.now / 1000 - KEPT, latest.now / 1000] }, y: { range: (self, low, high) => [0, Math.max(1, high * 1.1)] } },
      axes: [{ ...axis, space: 80, values: (self, seconds) => seconds.map(clock) }, { ...axis, size: 60 }],
      series: [{ label: 'time', value: (self, seconds) => clock(seconds) }, ...OUTCOMES.map(name => ({ label: name, stroke: style(`--${name}`), width: 2 }))],
    }, data, $('plot'));
  } else {
    plot.setData(data);
  }
  const last = series.map(values => values.at(-1) ?? 0);
  $('rates').textContent = OUTCOMES.map((name, i) => `${last[i].toFixed(0)} ${name}`).join(' · ');
}

// The histogram counts decisions below powers of two microseconds; the figure is the upper edge.
function drawLatency() {
  // The last half minute; since the start of the server while the page is younger than that.
  const first = history.length > 30 ? history.at(-31).latency : [];
  const counts = latest.latency.map((count, i) => count - (first[i] ?? 0));
  const all = counts.reduce((a, b) => a + b, 0);
  for (const [id, share] of [['p50', 0.5], ['p95', 0.95], ['p99', 0.99], ['p999', 0.999]]) {
    let seen = 0;
    const at = counts.findIndex(count => (seen += count) >= share * all);
    $(id).textContent = all === 0 ? '–' : duration(2 ** at);
  }
}

function drawWarnings() {
  const warnings = [];
  if (latest.state === 'degraded') warnings.push(`The store ${latest.store} is out of reach: each policy says what is answered meanwhile.`);
  if (latest.state === 'draining') warnings.push('The server is about to stop.');
  if (latest.rules.refused) warnings.push(`A newer policies file was refused at ${time(latest.rules.refused.at)}; the old rules stay.`, ...latest.rules.refused.problems);
  const before = history[Math.max(0, history.length - 11)];
  for (const policy of latest.policies) {
    const old = before.policies.find(p => p.name === policy.name);
    const near = policy.near - (old ? old.near : 0);
    if (near > 0) warnings.push(`Policy ${policy.name}: ${near} ${near === 1 ? 'decision' : 'decisions'} in the last ten seconds left less than a tenth of a limit.`);
  }
  const shown = warnings.join('\n');
  if ($('warnings').dataset.shown === shown) return;
  $('warnings').dataset.shown = shown;
  $('warnings').replaceChildren(...warnings.map(text => {
    const p = document.createElement('p');
    p.textContent = text;
    return p;
  }));
}

function draw() {
  $('health').textContent = `${latest.state} · store ${latest.store} · ${latest.policies.length} policies · up ${duration(latest.uptimeMillis * 1000)}`;
  $('health').className = latest.state === 'ready' ? '' : 'degraded';
  const names = latest.policies.map(p => p.name);
  options($('plot-policy'), names, [$('plot-policy').options[0]]);
  options($('try-policy'), names, []);
  drawRates();
  drawLatency();
  drawWarnings();
  rows($('top'), latest.top, 'nobody was denied of late', (row, key) => {
    cell(row, key.key);
    cell(row, key.policy);
    cell(row, key.limit);
    cell(row, key.denied.toLocaleString(), 'number');
  });
  $('rules-source').textContent = `${latest.rules.source === 'built-in' ? 'Built-in rules' : latest.rules.source}, loaded ${time(latest.rules.loadedAt)}`;
  rows($('rules'), latest.policies, 'none', (row, policy) => {
    cell(row, policy.shadow ? `${policy.name} (shadow)` : policy.name);
    cell(row, policy.limits.join('; '));
    cell(row, policy.onStoreFailure);
    cell(row, policy.allowed.toLocaleString(), 'number');
    cell(row, policy.denied.toLocaleString(), 'number');
  });
}

function headers(more) {
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

async function refresh() {
  try {
    const response = await fetch('v1/live', { headers: headers({}) });
    if (response.status === 401 || response.status === 403) {
      $('login').hidden = false;
      $('main').hidden = true;
      const problem = await response.json();
      if (token) $('login-problem').textContent = problem.detail;
      // Not offered again: wrong tokens are counted.
      token = '';
      $('health').textContent = 'locked';
      return;
    }
    $('login').hidden = true;
    $('login-problem').textContent = '';
    $('main').hidden = false;
    latest = await response.json();
    history.push(latest);
    if (history.length > KEPT) history.shift();
    draw();
  } catch (failure) {
    $('health').textContent = `the server does not answer (${failure.message})`;
    $('health').className = 'degraded';
  }
}

function inWords(d, status) {
  if (d.allowed === undefined) return `${status}: ${d.detail}`;
  const who = `“${d.key}”`;
  const more = `${d.degraded ? ' The store did not decide this.' : ''}${d.shadow ? ' A shadow policy would have denied it.' : ''}`;
  if (d.limits.length === 0) return `${who} is ${d.allowed ? 'allowed without limits' : 'refused for good'} by ${d.policy}.${more}`;
  const left = `${d.remaining} of ${d.limits.find(l => l.name === d.binding).capacity} left in ${d.binding}`;
  if (d.allowed) return `${who} may pass${d.waitMillis ? ` after ${d.waitMillis} ms` : ''}: ${left}; all is forgotten in ${d.resetAfterMillis} ms.${more}`;
  if (d.retryAfterMillis === null) return `${who} can never pass: the cost is more than ${d.binding} can give.${more}`;
  return `${who} is denied by ${d.binding}: ${left}; the same request passes in ${d.retryAfterMillis} ms.${more}`;
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function ask(event) {
  event.preventDefault();
  const request = { policy: $('try-policy').value, key: $('try-key').value, cost: Number($('try-cost').value) };
  if ($('try-mode').value) request.mode = $('try-mode').value;
  const body = JSON.stringify(request);
  $('curl').textContent = `curl -X POST ${location.origin}/v1/check -H 'Content-Type: application/json' -d ${quoted(body)}`;
  try {
    const response = await fetch('v1/check', { method: 'POST', headers: headers({ 'Content-Type': 'application/json' }), body });
    const decision = await response.json();
    $('answer').textContent = inWords(decision, response.status);
    $('answer').className = decision.allowed ? 'allowed' : 'denied';
  } catch (failure) {
    $('answer').textContent = `the server does not answer (${failure.message})`;
    $('answer').className = 'denied';
  }
}

$('try').addEventListener('submit', ask);
$('plot-policy').addEventListener('change', () => latest && drawRates());
$('login').addEventListener('submit', event => {
  event.preventDefault();
  token = $('token').value;
  refresh();
});
window.addEventListener('resize', () => plot && plot.setSize({ width: $('plot').clientWidth, height: 220 }));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  if (plot) { plot.destroy(); plot = undefined; drawRates(); }
});
refresh();
setInterval(refresh, 1000);
