/**
 * Fills the sections of the landing page that show data: waiting work and recent runs. It reads them from the public HTTP API, with the
 * credentials of the person who looks at the page, and again every few seconds while the page is visible.
 *
 * @typedef {{ id: string, workflowId: string, workflowName: string, status: string, createdAt: string, updatedAt: string,
 *   suspension: { reason: string, suspendedAt: string, suspendData?: unknown } | null }} Execution
 * @typedef {{ name: string, startTime: string, durationMs: number | null, status: { code: number },
 *   attributes: Record<string, unknown> }} Span
 * @typedef {Span & { children: SpanNode[] }} SpanNode
 * @typedef {{ traceId: string, rootSpan: Span, spanCount: number, startTime: string, durationMs: number | null, status: string,
 *   entityId: string | null, entityType: string | null }} Trace
 */

const refreshMs = 5_000;
const shownRuns = 20;
const keyName = 'halyard-console-key';
const prefix = document.body.dataset['prefix'] ?? '';

const unlock = /** @type {HTMLFormElement} */ (find(document, '#unlock'));
const waiting = find(document, '#waiting');
const runs = find(document, '#runs');
const address = new URL(location.href);
let key = address.searchParams.get('key') ?? sessionStorage.getItem(keyName);
if (address.searchParams.has('key')) {
  // Others would see it there, and the history would keep it.
  address.searchParams.delete('key');
  history.replaceState(history.state, '', address);
}
/** @type {number | undefined} */
let timer;

class RefusedError extends Error {}

unlock.addEventListener('submit', (event) => {
  event.preventDefault();
  key = /** @type {string} */ (new FormData(unlock).get('key'));
  sessionStorage.setItem(keyName, key);
  void refresh();
});
document.addEventListener('visibilitychange', () => void refresh());
void refresh();

async function refresh() {
  clearTimeout(timer);
  if (document.visibilityState === 'hidden') return;
  try {
    const [suspended, running, recent] = await Promise.all([
      /** @type {Promise<Execution[]>} */ (read('/workflows/executions?status=suspended&limit=50')),
      /** @type {Promise<Execution[]>} */ (read('/workflows/executions?status=running&limit=50')),
      /** @type {Promise<{ traces: Trace[], total: number }>} */ (read(`/observability/traces?limit=${shownRuns}`)),
    ]);
    unlock.hidden = true;
    if (key !== null) for (const link of document.querySelectorAll('a[data-console]')) addKey(link, key);
    showWaiting([...suspended, ...running]);
    showRuns(recent.traces, recent.total);
  } catch (error) {
    if (error instanceof RefusedError) {
      askForKey();
      return;
    }
    // The server is restarting, or its storage is not reachable: keep what is shown, and try again.
  }
  timer = setTimeout(() => void refresh(), refreshMs);
}

/**
 * The `data` of an answer. The development bypass is accepted only while NODE_ENV is not production.
 *
 * @param {string} path
 * @returns {Promise<unknown>}
 */
async function read(path) {
  const headers = new Headers(key === null ? { 'x-service-dev': 'true' } : { 'x-console-access-key': key });
  const response = await fetch(prefix + path, { headers });
  if (response.status === 401 || response.status === 429) throw new RefusedError();
  const { data, error } = /** @type {{ data: unknown, error?: string }} */ (await response.json());
  if (!response.ok) throw new Error(error);
  return data;
}

function askForKey() {
  if (key !== null) find(unlock, '.problem').textContent = 'The server does not accept this key.';
  key = null;
  sessionStorage.removeItem(keyName);
  unlock.hidden = false;
  runs.hidden = true;
  waiting.hidden = true;
}

/**
 * The key opens the linked documents too.
 *
 * @param {Element} link
 * @param {string} value
 */
function addKey(link, value) {
  const url = new URL(link.getAttribute('href') ?? '', location.href);
  url.searchParams.set('key', value);
  link.setAttribute('href', url.href);
}

/** @param {Execution[]} executions */
function showWaiting(executions) {
  waiting.hidden = executions.length === 0;
  find(waiting, 'small').textContent = String(executions.length);
  arrange(
    find(waiting, 'ul'),
    executions.map((execution) => ({
      id: `${execution.id} ${execution.updatedAt}`,
      create: () => waitingItem(execution),
      update: (item) => setTime(item, execution.suspension?.suspendedAt ?? execution.updatedAt),
    })),
  );
}

/** @param {Execution} execution */
function waitingItem({ id, status, suspension, workflowId, workflowName }) {
  const item = copyOf('waiting-item');
  item.dataset['status'] = status;
  setText(item, 'reason', suspension?.reason ?? 'Running, or asleep until a later time');
  setText(item, 'workflow', workflowName);
  describe(find(item, 'dl'), suspension?.suspendData);
  const page = document.getElementById(`workflow-${workflowId}`)?.querySelector('a.open');
  if (page instanceof HTMLAnchorElement && suspension !== null) {
    const url = new URL(page.href);
    url.searchParams.set('execution', id);
    const link = /** @type {HTMLAnchorElement} */ (find(item, 'a.open'));
    link.href = url.href;
    link.hidden = false;
  }
  return item;
}

/**
 * @param {Trace[]} traces
 * @param {number} total
 */
function showRuns(traces, total) {
  runs.hidden = false;
  find(runs, '.none').hidden = traces.length > 0;
  find(runs, 'small').textContent =
    total === 0 ? '' : total > traces.length ? `${traces.length} of ${total}` : `${total}`;
  arrange(
    find(runs, '.rows'),
    traces.map((trace) => ({
      id: trace.traceId,
      create: () => runItem(trace),
      update: (item) => updateRun(item, trace),
    })),
  );
}

/** @param {Trace} trace */
function runItem({ traceId }) {
  const item = copyOf('run-item');
  item.addEventListener('toggle', () => {
    if (item instanceof HTMLDetailsElement && item.open) void loadTrace(traceId, find(item, '.trace'));
  });
  return item;
}

/**
 * @param {string} traceId
 * @param {HTMLElement} place
 */
async function loadTrace(traceId, place) {
  try {
    const { tree } = /** @type {{ tree: SpanNode[] }} */ (await read(`/observability/traces/${traceId}`));
    showTrace(place, tree);
  } catch {
    place.textContent = 'The trace cannot be loaded. Close it and open it again.';
  }
}

/**
 * @param {HTMLElement} item
 * @param {Trace} trace
 */
function updateRun(item, { durationMs, entityId, entityType, rootSpan, spanCount, startTime, status }) {
  item.dataset['status'] = status;
  setText(item, 'name', entityId ?? rootSpan.name);
  setText(item, 'about', questionIn(rootSpan));
  setText(item, 'status', [entityType, { error: 'failed', running: 'running' }[status]].filter(Boolean).join(', '));
  setText(item, 'spans', spanCount === 1 ? '1 span' : `${spanCount} spans`);
  setText(item, 'duration', duration(durationMs));
  setTime(item, startTime);
}

/**
 * The text that a person sent to an agent, if the server records contents.
 *
 * @param {Span} span
 */
function questionIn({ attributes }) {
  const recorded = attributes['gen_ai.input.messages'];
  if (typeof recorded !== 'string') return '';
  try {
    const messages = /** @type {{ role: string, parts: { type: string, content?: unknown }[] }[]} */ (
      JSON.parse(recorded)
    );
    const parts = messages.findLast(({ role }) => role === 'user')?.parts ?? [];
    return parts.map(({ content, type }) => (type === 'text' ? content : '')).join(' ');
  } catch {
    // Long attributes are cut, so this one is no longer JSON.
    return (
      recorded
        .match(/"content":"(?:[^"\\]|\\.)*/g)
        ?.at(-1)
        ?.slice('"content":"'.length) ?? ''
    );
  }
}

/**
 * @param {HTMLElement} place
 * @param {SpanNode[]} tree
 */
function showTrace(place, tree) {
  const spans = tree.flatMap((root) => flatten(root, 0));
  const startTimes = spans.map(({ span }) => Date.parse(span.startTime));
  const start = Math.min(...startTimes);
  const end = Math.max(...spans.map(({ span }, index) => (startTimes[index] ?? 0) + (span.durationMs ?? 0)));
  const total = Math.max(end - start, 1);
  place.replaceChildren(
    ...spans.map(({ depth, span }) => {
      const item = copyOf('span-item');
      item.dataset['status'] = span.status.code === 2 ? 'error' : 'ok';
      setText(item, 'name', span.name);
      setText(item, 'duration', duration(span.durationMs));
      find(item, '[data-field="name"]').style.paddingInlineStart = `${depth}rem`;
      const bar = find(item, '.track i');
      bar.style.insetInlineStart = `${(100 * (Date.parse(span.startTime) - start)) / total}%`;
      bar.style.inlineSize = `${(100 * (span.durationMs ?? 0)) / total}%`;
      describe(find(item, 'dl'), span.attributes);
      return item;
    }),
  );
}

/**
 * @param {SpanNode} span
 * @param {number} depth
 * @returns {{ depth: number, span: SpanNode }[]}
 */
function flatten(span, depth) {
  return [{ depth, span }, ...span.children.flatMap((child) => flatten(child, depth + 1))];
}

/**
 * Makes the children of a list match its items. Keeps elements that are already shown, with their focus and what is open in them.
 *
 * @param {HTMLElement} list
 * @param {{ id: string, create: () => HTMLElement, update: (item: HTMLElement) => void }[]} items
 */
function arrange(list, items) {
  const shown = new Map([...list.children].map((child) => [/** @type {HTMLElement} */ (child).dataset['id'], child]));
  const wanted = new Set(items.map(({ id }) => id));
  for (const [id, child] of shown) if (id === undefined || !wanted.has(id)) child.remove();
  for (const [index, { create, id, update }] of items.entries()) {
    const item = /** @type {HTMLElement} */ (shown.get(id) ?? create());
    item.dataset['id'] = id;
    update(item);
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  }
}

/**
 * Lists the fields of an object.
 *
 * @param {HTMLElement} list
 * @param {unknown} value
 */
function describe(list, value) {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    const [term, text] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = name;
    text.textContent = typeof field === 'object' ? JSON.stringify(field) : String(field);
    list.append(term, text);
  }
}

/** @param {string} id */
function copyOf(id) {
  const { content } = /** @type {HTMLTemplateElement} */ (find(document, `#${id}`));
  return /** @type {HTMLElement} */ (find(content, '*').cloneNode(true));
}

/**
 * @param {ParentNode} parent
 * @param {string} selector
 */
function find(parent, selector) {
  const found = parent.querySelector(selector);
  if (found === null) throw new Error(`The page has no ${selector}`);
  return /** @type {HTMLElement} */ (found);
}

/**
 * @param {HTMLElement} item
 * @param {string} field
 * @param {string} text
 */
function setText(item, field, text) {
  find(item, `[data-field="${field}"]`).textContent = text;
}

/**
 * @param {HTMLElement} item
 * @param {string} time
 */
function setTime(item, time) {
  const element = /** @type {HTMLTimeElement} */ (find(item, 'time'));
  element.dateTime = time;
  element.title = new Date(time).toLocaleString();
  element.textContent = ago(Date.now() - Date.parse(time));
}

/** @param {number} ms */
function ago(ms) {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / (24 * 60))} d ago`;
}

/** @param {number | null} ms */
function duration(ms) {
  if (ms === null) return '';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
