import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Targets } from '../../../access/targets.ts';
import { createServer } from '../../../create-server.ts';
import type { ServerOptions } from '../../../server-options.ts';
import { serve } from '../../../testing/serve.ts';
import { requestWorkflows, workflows } from '../../../testing/workflows.ts';
import { version } from '../../../version.ts';
import { landingPage } from './landing-page.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  vi.unstubAllEnvs();
});

const weather = createTool({
  name: 'weather',
  description: 'The weather in a city',
  input: Type.Object({ city: Type.String() }),
  needsApproval: true,
  execute: () => 'rain',
});

function agent(id: string, description = 'For tests'): Agent {
  return new Agent({ id, name: `Agent ${id}`, description, tools: [weather], model: scriptedModel('ok') });
}

async function open(options: ServerOptions = {}): Promise<{ page: string; origin: string; policy: string }> {
  const server = await serve([], options);
  closing.push(server.close);
  const response = await fetch(server.origin + (options.prefix ?? '/'));
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = response.headers.get('content-security-policy') ?? '';
  return { page: await response.text(), origin: server.origin, policy };
}

/** The targets of all links. */
function linksIn(page: string): readonly string[] {
  return [...page.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = '']) => href);
}

describe('the landing page', () => {
  it('shows agents with their ids and descriptions, all escaped', async () => {
    const { page } = await open({ agents: [agent('first', '<script>alert(1)</script> & "more"')] });
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).toContain('Agent first <code>first</code>');
  });

  it('shows workflows', async () => {
    const { page } = await open({ workflows });
    expect(page).toContain(`Workflows <small>${workflows.length}</small>`);
    expect(page).toContain('Approval <code>approval</code>');
  });

  it('explains how to add an agent and a workflow if there is none', async () => {
    const { page } = await open();
    expect(page).toContain('createServer({ agents: […] })');
    expect(page).toContain('createServer({ workflows: […] })');
  });

  it('leads to pages that a person can read', async () => {
    const { origin, page } = await open({ agents: [agent('first')], workflows, enableSwaggerUI: true });
    const links = linksIn(page).filter((link) => !link.startsWith('https://'));
    expect(links).toEqual(expect.arrayContaining(['/ui', '/doc', '/readyz']));
    for (const link of links) expect((await fetch(new URL(link, origin))).status).toBe(200);
    expect(links.filter((link) => /^\/(?:agents|workflows|tools)\b/.test(link))).toEqual([]);
  });

  it('links to the pages of the app: at the top, and on the cards of their agents and workflows', async () => {
    const { page } = await open({
      agents: [agent('first'), agent('second')],
      workflows,
      prefix: '/ai',
      links: [
        { title: 'Chat', url: '/chat', description: 'Talk to "first"', agents: ['first'] },
        { title: 'Approvals', url: 'https://shop.example/approvals', workflows: ['approval'] },
      ],
    });
    expect(page).toContain('<a class="page" href="/chat"');
    expect(page).toContain('Talk to &quot;first&quot;');
    const card = (id: string): string => page.split(`<code>${id}</code>`)[1]?.split('</li>')[0] ?? '';
    expect(linksIn(card('first'))).toContain('/chat?agent=first');
    expect(linksIn(card('second'))).not.toContain('/chat?agent=second');
    expect(linksIn(card('approval'))).toContain('https://shop.example/approvals');
    expect(linksIn(page)).toContain('/ai/doc');
  });

  it('shows the version of a release, and none in the workspace before the first release', async () => {
    const { page } = await open();
    expect(page).not.toContain('0.0.0');
    expect(page.includes(`version ${version}`)).toBe(version !== '0.0.0');
  });

  it('allows its own style and script only, and loads nothing from elsewhere', async () => {
    const { page, policy } = await open({ agents: [agent('first')] });
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('connect-src');
    for (const [, element = '', text = ''] of page.matchAll(/<(style|script)[^>]*>([^]*?)<\/\1>/g)) {
      const hash = createHash('sha256').update(text).digest('base64');
      expect(policy).toContain(`${element}-src 'sha256-${hash}'`);
    }
    expect(page).not.toMatch(/\ssrc=|@import|url\(|\sstyle="|\son\w+="/);
  });
});

describe('the links of agents and workflows', () => {
  const support = agent('support');
  const internal = new Agent({ id: 'internal', model: scriptedModel('ok'), access: 'server' });
  const registry = { agents: [support, internal], tools: [], workflows, findTool: () => undefined };

  function linksWith(console: 'served' | 'not-installed' | 'off', hasExplorer = true): readonly string[] {
    return linksIn(pageWith(console, hasExplorer));
  }

  function pageWith(console: 'served' | 'not-installed' | 'off', hasExplorer = true): string {
    const targets = new Targets(registry, workflows);
    const services = { links: [], registry, requirementOf: () => undefined, site: { console, hasExplorer }, targets };
    const operator = { user: undefined, isOperator: true, address: '127.0.0.1' };
    return landingPage(operator, services, { base: '/ai', root: '', url: 'http://localhost/ai', documented: '/' });
  }

  it('lead to a chat, or to the form of a start, in the console', () => {
    expect(linksWith('served')).toEqual(
      expect.arrayContaining([
        '/ai/console',
        '/ai/console/playground?agentId=support',
        '/ai/console/workflows/approval?tab=start',
      ]),
    );
  });

  it('lead to the API explorer without the console', () => {
    for (const console of ['not-installed', 'off'] as const) {
      const links = linksWith(console);
      expect(links).toEqual(expect.arrayContaining(['/ai/ui#/Agents/streamText', '/ai/ui#/Workflows/streamWorkflow']));
      expect(links.filter((link) => link.includes('/console'))).toEqual([]);
    }
    expect(linksWith('off', false)).toEqual(['/ai/doc', expect.stringContaining('github'), '/ai/readyz']);
  });

  it('leave out agents that only the server runs', () => {
    const page = pageWith('served');
    expect(page).toContain('<code>internal</code>');
    expect(page).not.toContain('agentId=internal');
  });

  it('come with the command that installs the console, unless it is turned off', () => {
    expect(pageWith('not-installed')).toContain('npm install @halyard/console');
    expect(pageWith('served') + pageWith('off')).not.toContain('npm install');
  });
});

/**
 * Runs the sample request of the page as it is, with these variables. @returns the body of the
 * reply.
 */
async function runSample(page: string, variables: NodeJS.ProcessEnv = {}): Promise<string> {
  const [, escaped = ''] = /<pre><code>([^]*?)<\/code>/.exec(page) ?? [];
  const marks: Record<string, string> = { '&quot;': '"', '&#39;': "'", '&amp;': '&', '&lt;': '<', '&gt;': '>' };
  const command = escaped.replaceAll(/&[a-z#0-9]+;/g, (entity) => marks[entity] ?? entity);
  const run = promisify(execFile);
  return (await run('sh', ['-c', command], { env: { ...process.env, ...variables } })).stdout;
}

describe('the sample request', () => {
  const key = 'k'.repeat(32);
  const provider = { type: 'test', verifyToken: (token: string) => (token === 'good' ? { id: 'ada' } : null) };

  it('works without access control', async () => {
    const { page } = await open({ agents: [agent('first')] });
    expect(await runSample(page)).toContain('"type":"text-delta"');
  });

  it('works with the prefix of the server', async () => {
    const { page } = await open({ agents: [agent('first')], prefix: '/ai' });
    expect(await runSample(page)).toContain('"type":"text-delta"');
  });

  it.each([
    ['users', 'development', {}],
    ['users', 'production', { TOKEN: 'good' }],
    ['operators', 'development', {}],
    ['operators', 'production', { SERVICE_CONSOLE_ACCESS_KEY: key }],
  ] as const)('sends the credential that an agent for %s requires in %s', async (access, environment, variables) => {
    vi.stubEnv('NODE_ENV', environment);
    const model = scriptedModel('ok');
    const server = await serve([], {
      agents: [new Agent({ id: 'internal', model, access: 'server' }), new Agent({ id: 'first', model, access })],
      auth: { consoleKey: key, provider },
      secret: 's'.repeat(32),
    });
    closing.push(server.close);
    const page = await (await fetch(`${server.origin}/?key=${key}`)).text();
    expect(page).not.toContain(key);
    expect(await runSample(page, variables)).toContain('"type":"text-delta"');
  });
});

describe('access to the landing page', () => {
  const key = 'k'.repeat(32);

  it('needs the console key with the option `auth`', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const server = await createServer({ auth: { consoleKey: key }, secret: 's'.repeat(32), logger: false });
    closing.push(server.close);
    expect((await server.app.inject('/')).statusCode).toBe(401);
    expect((await server.app.inject(`/?key=${key}`)).statusCode).toBe(200);
  });

  it('lists no agents and workflows that its caller may not list, also if an app makes it public', async () => {
    const agents = [agent('first')];
    const openPublic = async (...publicRoutes: readonly string[]): Promise<string> => {
      const server = await serve([], { agents, workflows, auth: { consoleKey: key, publicRoutes } });
      closing.push(server.close);
      return (await fetch(server.origin)).text();
    };
    const closed = await openPublic('GET /');
    expect(closed).not.toContain('<code>first</code>');
    expect(closed).not.toContain('<code>approval</code>');
    const listed = await openPublic('GET /', 'GET /agents');
    expect(listed).toContain('<code>first</code>');
    expect(listed).not.toContain('<code>approval</code>');
  });

  it('contains no data of executions, also if an app makes it public', async () => {
    const server = await serve([], { workflows, auth: { consoleKey: key, publicRoutes: ['GET /', '/workflows/**'] } });
    closing.push(server.close);
    const { data } = await requestWorkflows(server.origin, '/approval/execute', {
      input: { total: 1 },
      options: { executionId: 'secret-order' },
    });
    expect(data).toMatchObject({ status: 'suspended' });
    expect(await (await fetch(server.origin)).text()).not.toContain('secret-order');
  });
});

describe('the option `links`', () => {
  it.each([
    [{ title: 'Chat', url: 'chat' }, 'must be a path that starts with / or an http(s) URL, but is "chat"'],
    [{ title: 'Chat', url: 'javascript:alert(1)' }, 'must be a path'],
    [{ title: 'Chat', url: '//other.example' }, 'must be a path'],
    [{ title: 'Chat', url: '/\\other.example' }, 'must be a path'],
    [{ title: 'Chat', url: '/\t/other.example' }, 'must be a path'],
    [{ title: 'Chat', url: 'https://' }, 'must be a path'],
    [{ title: 'Chat', url: '/chat', agents: ['second'] }, 'names the agent "second", which is not registered'],
    [{ title: 'Orders', url: '/orders', workflows: ['order'] }, 'names the workflow "order", which is not registered'],
  ])('refuses %j', async (link, message) => {
    await expect(createServer({ agents: [agent('first')], links: [link], logger: false })).rejects.toThrow(message);
  });
});
