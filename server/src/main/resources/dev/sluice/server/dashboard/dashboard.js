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

function cell(row, heading) {
  const td = row.insertCell();
  td.className = heading.className;
  // Narrow pages show it beside the figure.
  td.dataset.heading = heading.textContent;
  td.append(document.createElement('bdi'));
  return td;
}

// Writes only what has changed, so that a selection outlives the second.
function rows(body, items, empty, texts) {
  const headings = body.closest('table').tHead.rows[0].cells;
  const wanted = items.length === 0 ? [[empty]] : items.map(texts);
  while (body.rows.length > wanted.length) body.deleteRow(-1);
  wanted.forEach((line, i) => {
    const row = body.rows[i] ?? body.insertRow();
    while (row.cells.length > line.length) row.deleteCell(-1);
    line.forEach((text, j) => {
      const bdi = (row.cells[j] ?? cell(row, headings[j])).firstChild;
      if (bdi.textContent !== text) bdi.textContent = bdi.title = text;
    });
    row.cells[0].colSpan = items.length === 0 ? headings.length : 1;
  });
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
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

function clock(seconds) {
  return new Date(seconds * 1000).toTimeString().slice(0, 8);
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
    const line = { stroke: style('--line'), width: 1 };
    const axis = { stroke: style('--faint'), grid: line, ticks: line };
    plot = new uPlot({
      width: $('plot').clientWidth,
      height: 220,
      scales: { x: { range: () => [latest.now / 1000 - KEPT, latest.now / 1000] }, y: { range: (self, low, high) => [0, Math.max(1, high * 1.1)] } },
      axes: [{ ...axis, space: 80, values: (self, seconds) => seconds.map(clock) }, { ...axis, size: 60 }],
      series: [{}, ...OUTCOMES.map(name => ({ stroke: style(`--${name}`), width: 2 }))],
      legend: { show: false },
      hooks: { setCursor: [writeRates] },
    }, data, $('plot'));
  } else {
    plot.setData(data);
  }
  writeRates(plot);
}

// The legend, and for those who cannot see the plot its text: the figures under the pointer, or else the last.
function writeRates(self) {
  const [times, ...series] = self.data;
  const at = self.cursor.idx ?? times.length - 1;
  $('when').textContent = self.cursor.idx == null ? 'now' : clock(times[at]);
  OUTCOMES.forEach((name, i) => { $(`rate-${name}`).textContent = (series[i][at] ?? 0).toFixed(0); });
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
  if (latest.rules.refused) warnings.push(`A newer file of rules was refused at ${time(latest.rules.refused.at)}; the old rules stay.`, ...latest.rules.refused.problems);
  const before = history[Math.max(0, history.length - 11)];
  for (const policy of latest.policies) {
    const old = before.policies.find(p => p.name === policy.name);
    // Without a count: it would be read out anew each second.
    if (policy.near > (old ? old.near : 0)) warnings.push(`Policy ${policy.name}: some keys had less than a tenth of a limit left in the last ten seconds.`);
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

// Read out when it changes, so nothing that changes each second belongs here.
function health(text, good) {
  if ($('health').textContent !== text) $('health').textContent = text;
  $('health').className = good ? '' : 'degraded';
}

function limits(policy) {
  // A limit without a name has that of its algorithm; once is enough.
  const lines = policy.limits.map(limit => limit.replace(/^([^:]+): \1 /, '$1 '));
  if (policy.keyRules > 0) lines.push(`and ${policy.keyRules} ${policy.keyRules === 1 ? 'rule' : 'rules'} for certain keys`);
  return lines.join('\n');
}

function draw() {
  health(`${latest.state} · store ${latest.store}`, latest.state === 'ready');
  const policies = latest.policies.length;
  $('facts').textContent = `${policies} ${policies === 1 ? 'policy' : 'policies'} · up ${duration(latest.uptimeMillis * 1000)}`;
  const names = latest.policies.map(p => p.name);
  options($('plot-policy'), names, [$('plot-policy').options[0]]);
  options($('try-policy'), names, []);
  drawRates();
  drawLatency();
  drawWarnings();
  rows($('top'), latest.top, 'nobody was denied of late',
    key => [key.key, key.policy, key.limit === 'none' ? 'refused outright' : key.limit, key.denied.toLocaleString()]);
  $('rules-source').textContent = `${latest.rules.source === 'built-in' ? 'Built-in rules' : latest.rules.source}, loaded ${time(latest.rules.loadedAt)}`;
  rows($('rules'), latest.policies, 'none', policy => [
    policy.shadow ? `${policy.name} (shadow)` : policy.name,
    limits(policy),
    policy.onStoreFailure,
    ...OUTCOMES.map(outcome => policy[outcome].toLocaleString()),
  ]);
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
      health('locked', true);
      return;
    }
    $('login').hidden = true;
    $('login-problem').textContent = '';
    $('main').hidden = false;
    latest = await response.json();
    history.push(latest);
    if (history.length > KEPT) history.shift();
    draw();
    $('main').className = '';
  } catch (failure) {
    health(`the server does not answer (${failure.message})`, false);
    $('main').className = 'old';
  }
}

function inWords(d, status) {
  if (d.allowed === undefined) return `${status}: ${d.detail}`;
  const who = `“${d.key}”`;
  const more = `${d.degraded ? ' The store did not decide this.' : ''}${d.shadow ? ' A shadow policy would have denied it.' : ''}`;
  if (d.limits.length === 0) return `${who} is ${d.allowed ? 'allowed without limits' : 'refused for good'} by ${d.policy}.${more}`;
  const left = `${d.remaining} of ${d.limits.find(l => l.name === d.binding).capacity} left in ${d.binding}`;
  const within = millis => duration(millis * 1000);
  if (d.allowed) return `${who} may pass${d.waitMillis ? ` after ${within(d.waitMillis)}` : ''}: ${left}; all of it is back in ${within(d.resetAfterMillis)}.${more}`;
  if (d.retryAfterMillis === null) return `${who} can never pass: the cost is more than ${d.binding} can give.${more}`;
  return `${who} is denied by ${d.binding}: ${left}; the same request passes in ${within(d.retryAfterMillis)}.${more}`;
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
