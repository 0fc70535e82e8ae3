import { createHash } from 'node:crypto';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createServer } from '../../create-server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { serve } from '../../testing/serve.ts';
import { requestWorkflows, workflows } from '../../testing/workflows.ts';
import { version } from '../../version.ts';

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
  it('shows agents, tools and a sample request, all escaped', async () => {
    const { origin, page } = await open({
      agents: [agent('first', '<script>alert(1)</script> & "more"')],
      enableSwaggerUI: true,
    });
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;');
    expect(page).not.toContain('<script>');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).toContain('Agent first <code>first</code>');
    expect(page).toContain('The weather in a city');
    expect(page).toContain('asks for approval');
    expect(page).toContain(`curl -N ${origin}/agents/first/stream`);
  });

  it('shows the steps of workflows, including inner ones', async () => {
    const { page } = await open({ workflows });
    expect(page).toContain(`Workflows <small>${workflows.length}</small>`);
    expect(page).toContain('Approval <code>approval</code>');
    expect(page).toMatch(/<b>approve<\/b>\s*<code>andThen<\/code>/);
    expect(page).toContain('Can wait for a person');
  });

  it('explains how to add an agent and a workflow if there is none', async () => {
    const { page } = await open();
    expect(page).toContain('createServer({ agents: [myAgent] })');
    expect(page).toContain('createServer({ workflows: [refund] })');
    expect(page).toContain('createWorkflow(');
  });

  it('leads to pages that a person can read, not to JSON', async () => {
    const { origin, page } = await open({ agents: [agent('first')], workflows, enableSwaggerUI: true });
    const links = linksIn(page).filter((link) => !link.startsWith('https://'));
    expect(links).toEqual(
      expect.arrayContaining(['/ui', '/doc', '#runs', '#tool-weather', '/ui#/Agents/streamText', '/readyz']),
    );
    for (const link of links) {
      if (link.startsWith('#')) expect(page).toContain(`id="${link.slice(1)}"`);
      else expect((await fetch(new URL(link, origin))).status).toBe(200);
    }
    const raw = links.filter((link) => /^\/(?:agents|workflows|tools)\b/.test(link));
    // Without JavaScript, the API is the only place that shows what waits.
    expect(raw).toEqual(['/workflows/executions?status=suspended']);
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
    const card = (id: string): string => page.split(`id="${id}"`)[1]?.split('<h3>')[1] ?? '';
    expect(linksIn(card('agent-first'))).toContain('/chat?agent=first');
    expect(linksIn(card('agent-second'))).not.toContain('/chat');
    expect(linksIn(card('workflow-approval'))).toContain('https://shop.example/approvals');
    expect(linksIn(page)).toContain('/ai/doc');
  });

  it('says without JavaScript where the data is, and not that there is none', async () => {
    const { page } = await open({ prefix: '/ai' });
    expect(page).toMatch(/<p class="none" hidden>\s*Nothing has run yet/);
    const [, fallback = ''] = /<noscript>([^]*?)<\/noscript>/.exec(page) ?? [];
    expect(linksIn(fallback)).toEqual(['/ai/observability/traces', '/ai/workflows/executions?status=suspended']);
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
    for (const [, element = '', text = ''] of page.matchAll(/<(style|script)[^>]*>([^]*?)<\/\1>/g)) {
      const hash = createHash('sha256').update(text).digest('base64');
      expect(policy).toContain(`${element}-src 'sha256-${hash}'`);
    }
    expect(page).not.toMatch(/\ssrc=|@import|url\(|\sstyle="|\son\w+="/);
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
