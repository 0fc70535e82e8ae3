import { readFileSync } from 'node:fs';
import { createRegistry } from '@halyard/core/server';
import { expect, it } from 'vitest';
import { agents } from '../testing/generation.ts';
import { Scrape } from '../testing/scrape.ts';
import { definitions } from './definitions.ts';
import { prometheusName, underscored } from './metric-definition.ts';
import { ServerMetrics } from './server-metrics.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const docs = read('docs/observability.md');

/** A scrape in which every metric has at least one sample. */
async function fullScrape(): Promise<Scrape> {
  const metrics = new ServerMetrics();
  const connections = { total: 3, idle: 1, waiting: 0, max: 10 };
  metrics.observe(
    {
      activeRequests: () => 0,
      openStreams: () => 0,
      openWebSockets: () => 0,
      workflowLoad: () => ({ running: 0, due: 0, oldestDueMs: 0 }),
      pools: () => [{ name: 'storage', connections }],
    },
    createRegistry({ agents }),
  );
  metrics.start();
  metrics.requestEnded({ method: 'GET', route: '/agents', status: 503, reason: 'OVERLOADED', durationMs: 1 });
  metrics.agentRunEnded({
    agentId: 'plain',
    agentName: 'Plain',
    operation: 'text',
    end: 'completed',
    durationMs: 1,
    inferenceCalls: 1,
    toolCalls: 1,
  });
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2, cachedInputTokens: 1, reasoningTokens: 1 };
  metrics.modelCallEnded({
    agentId: 'plain',
    provider: 'p',
    modelId: 'm',
    end: 'completed',
    durationMs: 1,
    usage,
    cacheWriteTokens: 1,
  });
  metrics.toolCallEnded({ toolName: 'getWeather', end: 'completed', durationMs: 1 });
  metrics.executionRunEnded({ workflowId: 'order', end: 'lost', durationMs: 1 });
  metrics.executionQuarantined('order');
  const scrape = new Scrape(await metrics.text());
  metrics.stop();
  return scrape;
}

it('has every metric in the table of the docs, with its type and labels', () => {
  for (const definition of Object.values(definitions)) {
    const { attributes, type } = definition;
    const row = docs.split('\n').find((line) => line.startsWith(`| \`${prometheusName(definition)}\` |`));
    const [, , documentedType, , labels = ''] = (row ?? '').split('|').map((cell) => cell.trim());
    expect([prometheusName(definition), documentedType, ...labels.matchAll(/\w+/g).map(([label]) => label)]).toEqual([
      prometheusName(definition),
      type,
      ...attributes.map(underscored),
    ]);
  }
});

it('has no metric in the table of the docs that does not exist', async () => {
  const documented = [...docs.matchAll(/^\| `(\w+)` \| (?:histogram|gauge|counter) \|/gm)].map(([, name]) => name);
  expect(new Set(documented)).toEqual(new Set((await fullScrape()).types.keys()));
});

/** The selectors of a query, `name{…}`, and the labels that it uses. */
function selectorsOf(query: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  return [...query.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/(\w+)=/g)].map(([, label = '']) => label),
  }));
}

/** Labels that Prometheus adds. */
const added = ['instance', 'job'];

async function expectKnown(queries: readonly string[]): Promise<void> {
  const scrape = await fullScrape();
  for (const query of queries) {
    const selectors = selectorsOf(query);
    expect(selectors.length, `in ${query}`).toBeGreaterThan(0);
    const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
    for (const { labels, name } of selectors) {
      const [sample] = scrape.names.includes(name) ? scrape.samples(name) : [];
      expect(sample, `${name} in ${query}`).toBeDefined();
      const known = [...Object.keys(sample?.labels ?? {}), ...added];
      for (const label of [...labels, ...grouped]) expect(known, `in ${query}`).toContain(label);
    }
  }
}

it('has every metric and label that the dashboard uses', async () => {
  const dashboard = read('examples/deploy/grafana/halyard.json');
  const queries = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '']) => JSON.parse(text) as string,
  );
  expect(queries.length).toBeGreaterThan(30);
  expect(JSON.parse(dashboard)).toMatchObject({ panels: expect.arrayContaining([expect.any(Object)]) });
  await expectKnown(queries);
});

it('has every metric and label that the documented alerts use', async () => {
  const alerts = [...docs.matchAll(/^ {8}expr: (.+)$/gm)].map(([, query = '']) => query);
  expect(alerts.length).toBeGreaterThan(5);
  await expectKnown(alerts);
});
