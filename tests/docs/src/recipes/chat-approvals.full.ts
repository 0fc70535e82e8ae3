import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { openSlack, type Slack, slackClick, type SlackClickOptions, type SlackMessage } from './open-slack.ts';
import { startRecipe, type StartedRecipe, type StartOptions } from './start-recipe.ts';

// Each recipe is a process with an embedded database.
vi.setConfig({ testTimeout: 180_000 });

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface Forwarder extends AsyncDisposable {
  readonly origin: string;
  to: string;
  /** Sends the last webhook again. */
  repeat(): Promise<Response>;
}

/** Passes webhooks on to a recipe, whose port is known only when it listens. */
async function openForwarder(): Promise<Forwarder> {
  let repeat = (): Promise<Response> => Promise.reject(new TypeError('No webhook has arrived'));
  const forwarder = {
    origin: '',
    to: '',
    repeat: () => repeat(),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => /^(content-type|webhook-)/.test(name)),
    ) as Record<string, string>;
    const body = await buffer(request);
    repeat = () => fetch(`${forwarder.to}${request.url}`, { method: 'POST', headers, body });
    // The server sends again what arrives before it listens.
    const reply = await repeat().catch(() => undefined);
    response.writeHead(reply?.status ?? 503).end();
  }

  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  forwarder.origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return forwarder;
}

interface Started extends AsyncDisposable {
  readonly app: StartedRecipe;
  readonly slack: Slack;
  readonly forwarder: Forwarder;
  /** The status of the reply to a click. */
  click(message: SlackMessage, options: Omit<SlackClickOptions, 'secret'> & { secret?: string }): Promise<number>;
  /** Starts a purchase of ada, and returns its message. */
  ask(id: string, what?: string): Promise<SlackMessage>;
  purchase(id: string): Promise<unknown>;
  shown(message: SlackMessage): string;
}

async function start(changes: Pick<StartOptions, 'change' | 'files'> = {}): Promise<Started> {
  const stack = new AsyncDisposableStack();
  const slack = stack.use(await openSlack());
  const forwarder = stack.use(await openForwarder());
  const env = {
    SLACK_API_URL: slack.origin,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    APPROVALS_CHANNEL: 'slack:C1',
    PUBLIC_URL: forwarder.origin,
    WEBHOOK_SECRET: secret,
  };
  const app = stack.use(await startRecipe('chat-approvals', { ...changes, env }));
  forwarder.to = app.origin;
  const shown = ({ ts }: SlackMessage): string =>
    JSON.stringify(slack.messages().filter((one) => one.ts === ts || one.threadTs === ts));
  return {
    app,
    slack,
    forwarder,
    shown,
    click: async (message, options) =>
      (await fetch(`${app.origin}/chat/slack`, slackClick(message, { secret: slack.signingSecret, ...options })))
        .status,
    ask: async (id, what = 'A chair') => {
      const before = slack.messages().length;
      const options = { userId: 'ada', executionId: id };
      await app.request('/workflows/purchase/execute', { input: { what, euros: 240 }, options });
      await expect.poll(() => slack.messages().length, { timeout: 60_000 }).toBe(before + 1);
      return slack.messages().at(-1) as SlackMessage;
    },
    purchase: async (id) => (await app.request(`/workflows/purchase/executions/${id}/state`)).body.data,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

it('answers as the person who clicks, once, and shows who it was', async () => {
  await using started = await start();
  const { app, ask, click, purchase, shown, slack } = started;
  const message = await ask('p1');
  for (const text of ['A purchase needs approval', 'A chair', '240', 'ada']) expect(shown(message)).toContain(text);

  const approve = { button: 'approve', user: 'U0GRACE' } as const;
  expect(await click(message, { ...approve, secret: 'wrong' })).toBe(401);
  expect(await click(message, { ...approve, at: Date.now() - 600_000 })).toBe(401);
  expect(await purchase('p1')).toMatchObject({ status: 'suspended' });
  // Nobody of the app, and the person who asks.
  for (const [index, user] of ['U0EVE', 'U0ADA'].entries()) {
    expect(await click(message, { ...approve, user })).toBe(200);
    expect(shown(message).split('You may not answer this here.')).toHaveLength(index + 2);
  }
  expect(await purchase('p1')).toMatchObject({ status: 'suspended' });

  expect(await click(message, approve)).toBe(200);
  expect(shown(message)).toContain('Approved by grace.');
  expect(shown(message)).not.toContain('"button"');
  await expect.poll(() => purchase('p1')).toMatchObject({ status: 'completed', output: { approved: true } });
  const { data } = (await app.request('/audit?action=approval.answer&userId=grace')).body;
  expect(data).toMatchObject({ records: [{ target: { executionId: 'p1' }, outcome: { errorCode: null } }] });
  expect(slack.refused).toEqual([]);
});

it('says that a request is over, and denies', async () => {
  await using started = await start();
  const { app, ask, click, purchase, shown } = started;
  const cancelled = await ask('p1');
  await app.request('/workflows/purchase/executions/p1/cancel', {});
  expect(await click(cancelled, { button: 'approve', user: 'U0GRACE' })).toBe(200);
  expect(shown(cancelled)).toContain('This was answered elsewhere, or its time is over.');
  const denied = await ask('p2');
  expect(await click(denied, { button: 'deny', user: 'U0GRACE' })).toBe(200);
  expect(shown(denied)).toContain('Denied by grace.');
  await expect.poll(() => purchase('p2')).toMatchObject({ status: 'completed', output: { approved: false } });
});

const clerk = `
import { openai } from '@ai-sdk/openai';
import { Agent, createMemory, createTool } from '@halyard/core';
import { Type } from '@sinclair/typebox';

const refund = createTool({
  name: 'refund',
  description: 'Pays an order back',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: { approvers: ['role:manager'], quorum: 2 },
  execute: ({ cents }) => \`Paid \${cents}\`,
});
export const clerk = new Agent({ id: 'clerk', model: openai('gpt-5-mini'), tools: [refund], memory: createMemory() });
`;
/** A reader adds an agent, whose refunds two people must approve. */
const withAgent = (source: string): string =>
  source
    .replace('createServer({\n', 'createServer({\n  agents: [clerk],\n')
    .replace("import { purchase } from './purchase.ts';", "import { clerk } from './clerk.ts';\n$&");

it('answers for tools of agents, and waits for the others where several must approve', async () => {
  await using started = await start({ change: withAgent, files: { 'clerk.ts': clerk } });
  const { app, click, shown, slack } = started;
  app.model.reply({ toolCalls: [{ name: 'refund', input: { cents: 900 } }] }, { text: 'You get it back.' });
  const asked = { input: 'My lamp broke', options: { userId: 'eve', conversationId: 'c1' } };
  expect(await app.request('/agents/clerk/text', asked)).toMatchObject({ status: 200 });
  await expect.poll(() => slack.messages().length, { timeout: 60_000 }).toBe(1);
  const [message] = slack.messages() as [SlackMessage];
  for (const text of ['refund', '900', 'eve']) expect(shown(message)).toContain(text);

  expect(await click(message, { button: 'approve', user: 'U0ADA' })).toBe(200);
  expect(shown(message)).toContain('Approved by ada.');
  expect(shown(message)).toContain('"button"');
  expect(app.model.requests).toHaveLength(1);
  expect(await click(message, { button: 'approve', user: 'U0GRACE' })).toBe(200);
  expect(shown(message)).toContain('Approved by grace.');
  expect(shown(message)).not.toContain('"button"');
  expect(JSON.stringify((await app.model.request(1)).body)).toContain('Paid 900');
});

it('posts a request once: again after a fault of Slack, and not for a webhook that comes twice', async () => {
  await using started = await start();
  const { ask, forwarder, slack } = started;
  slack.refuseNext();
  await ask('p1');
  expect(slack.refused).toEqual(['internal_error']);
  const [first, second] = [await forwarder.repeat(), await forwarder.repeat()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(await second.json()).toEqual(await first.json());
  await ask('p2');
  expect(slack.messages()).toHaveLength(2);
});

it('shows what users write as text only, and offers no approval of what it cannot show', async () => {
  await using started = await start();
  const { ask, shown } = started;
  const hostile = await ask('p1', '<!channel> ```*@everyone* \u202e');
  expect(shown(hostile)).not.toMatch(/<!channel|@everyone|\u202e|`{3}\*/);
  expect(shown(hostile)).toContain('u{3c}!channel');
  const long = await ask('p2', 'x'.repeat(5_000));
  expect(shown(long)).toContain('too long for a message');
  expect(JSON.stringify(long.blocks)).not.toContain('"approve"');
});
