import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openOpenaiWire } from '@halyard/test-providers/wire';
import jwt from 'jsonwebtoken';
import { SMTPServer } from 'smtp-server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { createSampleFolder, removeSampleFolder } from '../sample-folder.ts';
import { openReceiver } from './open-receiver.ts';
import { startRecipe } from './start-recipe.ts';
import { readRecipe, writeRecipe } from './write-recipe.ts';

// Each recipe is a process, most of them with an embedded database.
vi.setConfig({ testTimeout: 180_000 });

/**
 * Access control as the recipe's section about production describes it. A token is the id of its
 * user.
 */
const withAuth =
  (...publicRoutes: readonly string[]) =>
  (source: string): string =>
    source.replace(
      'createServer({',
      `createServer({ auth: { provider: { type: 'names', verifyToken: (token: string) => ({ id: token }) }, consoleKey: 'the key', publicRoutes: ${JSON.stringify(publicRoutes)} },`,
    );
const mallory = { authorization: 'Bearer mallory' };
const operator = { 'x-console-access-key': 'the key' };

it('an existing Fastify app: a user reaches only their own orders, through the app and through the agent', async () => {
  await using app = await startRecipe('fastify-app');
  const ada = { authorization: 'Bearer session-of-ada' };

  app.model.reply({ toolCalls: [{ name: 'listOrders', input: {} }] }, { text: 'It is shipped.' });
  const asked = { input: 'Where is my order?', options: { conversationId: 'c1' } };
  expect(await app.request('/ai/agents/support/text', asked, ada)).toMatchObject({
    status: 200,
    body: { data: { text: 'It is shipped.' } },
  });
  expect(JSON.stringify((await app.model.request(1)).body)).toContain('shipped');
  expect(await app.request('/ai/agents/support/text', asked)).toMatchObject({ status: 401 });
  expect(await app.request('/orders/17')).toMatchObject({ status: 401 });
  expect(await app.request('/orders/17', undefined, ada)).toMatchObject({ body: { id: '17' } });
  expect(await app.request('/orders/18', undefined, ada)).toMatchObject({ status: 404 });

  app.model.reply({ text: 'Thank you.' });
  expect(await app.request('/contact', {})).toMatchObject({ body: { text: 'Thank you.' } });
});

it('MCP both ways: an agent uses the tools of a server, and orders after a person has agreed', async () => {
  await using shop = await startRecipe('mcp-server');
  await using buyer = await startRecipe('mcp-tools', { env: { MCP_URL: `${shop.origin}/mcp/shop` } });

  buyer.model.reply({ toolCalls: [{ name: 'shop_checkStock', input: { article: 'lamp' } }] }, { text: 'Yes, 12.' });
  const asked = (input: string) => ({ input, options: { userId: 'ada', conversationId: 'c1' } });
  expect(await buyer.request('/agents/buyer/text', asked('Are there lamps?'))).toMatchObject({
    body: { data: { text: 'Yes, 12.' } },
  });
  expect(JSON.stringify((await buyer.model.request(1)).body)).toContain('inStock');

  buyer.model.reply(
    { toolCalls: [{ name: 'shop_run_order', input: { article: 'lamp', count: 2 } }] },
    { text: 'Ordered.' },
  );
  await buyer.request('/agents/buyer/text', asked('Order two'));
  const { body } = await buyer.request('/approvals');
  const [approval] = (body.data as { approvals: { id: string; toolName: string }[] }).approvals;
  expect(approval).toMatchObject({ toolName: 'shop_run_order' });
  const answer = { id: approval?.id, conversationId: 'c1', approved: true };
  expect(await buyer.request('/approvals/answer', answer)).toMatchObject({ status: 200 });
  const result = await buyer.model.request(3);
  expect(JSON.stringify(result.body)).toContain('ordered');
});

it('a report every morning: each tick writes a report and sends it', async () => {
  await using webhook = await openReceiver();
  const env = { REPORT_WEBHOOK: `${webhook.origin}/report`, REPORT_CRON: '* * * * * *' };
  await using app = await startRecipe('cron-report', { env });
  app.model.replyAlways({ text: 'Many chairs were sold.' });

  const { body, headers } = await webhook.next();
  expect(JSON.parse(body)).toEqual({ text: 'Many chairs were sold.' });
  expect(headers['idempotency-key']).toMatch(/^sales-report:schedule:.*\/send$/);
  expect(JSON.stringify((await app.model.request(0)).body)).toContain('chair');
});

it('a refund: pays after approval, and releases the money if it is declined or nobody answers', async () => {
  await using app = await startRecipe('refund-approval', { env: { APPROVAL_HOURS: '0.0003' } });
  const ask = (executionId: string) =>
    app.request('/workflows/refund/execute', { input: { orderId: '17', cents: 9900 }, options: { executionId } });
  const answer = (executionId: string, approved: boolean) =>
    app.request(`/workflows/refund/executions/${executionId}/resume`, { resumeData: { approved } });
  const statusOf = async (executionId: string) =>
    ((await app.request(`/workflows/refund/executions/${executionId}`)).body.data as { status: string }).status;

  expect(await ask('refund-1')).toMatchObject({ body: { data: { status: 'suspended' } } });
  expect(await ask('refund-1')).toMatchObject({ status: 409 });
  expect(await answer('refund-1', true)).toMatchObject({ body: { data: { status: 'completed' } } });
  await ask('refund-2');
  expect(await answer('refund-2', false)).toMatchObject({ body: { data: { status: 'cancelled' } } });
  expect(app.output()).toMatch(/released R-refund-2~[^/]+\/reserve/);
  await ask('refund-3');
  await expect.poll(() => statusOf('refund-3'), { timeout: 120_000 }).toBe('error');
  expect(app.output()).toMatch(/released R-refund-3~[^/]+\/reserve/);
  expect(app.output()).not.toContain('released R-refund-1');
});

it('approval by e-mail: the link of the e-mail answers once, and no other link does', async () => {
  const mails: string[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      let mail = '';
      stream.on('data', (part) => (mail += String(part)));
      stream.on('end', () => {
        mails.push(mail);
        done();
      });
    },
  });
  const port = await new Promise<number>((resolve) => {
    const listening = smtp.listen(0, '127.0.0.1', () => {
      const address = listening.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  await using app = await startRecipe('email-approval', {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, HALYARD_SECRET: 'a secret of more than thirty-two bytes' },
  });
  // The requester cannot name the approver.
  const what = 'A <b>chair</b>\n\n\u202ehttps://approve.evil.example/ "click"';
  const input = { what, euros: 240, manager: 'ada@example.com' };
  const options = { executionId: 'e-1', userId: 'ada' };
  expect(await app.request('/workflows/expense/execute', { input, options })).toMatchObject({
    body: { data: { status: 'suspended' } },
  });
  const read = (mail = '') => mail.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const mail = read(mails[0]);
  expect(mail).toContain('To: grace@example.com');
  expect(mail).toMatch(/ada asks for 240 euros\. Approve or decline: http:\S+\/approvals\/link\?token=\S+/);
  expect(mail).not.toContain('chair');
  const linkIn = (text: string) => /http:\S+token=[\w.-]+/.exec(text)?.[0] ?? '';
  const link = linkIn(mail);

  const show = async (url: string) => {
    const reply = await fetch(url);
    return `${reply.status} ${await reply.text()}`;
  };
  const page = await show(link);
  expect(page).toContain('A &lt;b&gt;chair');
  const answer = (from: string, decision: string) => {
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(from)?.[1] ?? '';
    const body = new URLSearchParams({ token: field('token'), form: field('form'), decision });
    return fetch(`${app.origin}/approvals/link`, { method: 'POST', body });
  };
  expect(await show(`${link}x`)).toMatch(/^404 .*This link is not valid/s);
  expect((await answer(page, 'approve')).status).toBe(200);
  const late = await answer(page, 'decline');
  expect(await late.text()).toContain('<bdi>You</bdi> approved this request');
  const result = async () => (await app.request('/workflows/expense/executions/e-1')).body.data;
  await expect.poll(result).toMatchObject({ status: 'completed', output: { euros: 240, approved: true } });

  // A later expense with the same id is another question: neither the link that was used answers
  // it, nor one that was not.
  const start = (euros: number) =>
    app.request('/workflows/expense/execute', { input: { what: 'A chair', euros }, options });
  const forget = () => fetch(`${app.origin}/api/memory/users/ada`, { method: 'DELETE' });
  expect((await forget()).status).toBe(200);
  await start(10);
  const unused = await show(linkIn(read(mails[1])));
  expect((await forget()).status).toBe(200);
  await start(90_000);
  expect(await show(linkIn(read(mails[1])))).toMatch(/^404/);
  expect((await answer(unused, 'approve')).status).toBe(404);
  expect(await result()).toMatchObject({ status: 'suspended' });
  const last = await show(linkIn(read(mails[2])));
  expect(last).toContain('90000');
  expect((await answer(last, 'decline')).status).toBe(200);
  await expect.poll(result).toMatchObject({ status: 'completed', output: { euros: 90_000, approved: false } });

  // Nobody approves what a stranger asks for.
  const strangers = { input, options: { executionId: 'e-3', userId: 'mallory' } };
  await app.request('/workflows/expense/execute', strangers);
  expect((await app.request('/workflows/expense/executions/e-3')).body.data).toMatchObject({ status: 'error' });
  expect(mails).toHaveLength(3);
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

it('several tenants: each has its own key and data, and a token of no tenant is refused', async () => {
  const secret = 'a secret that is long enough for HS256, at least 32 bytes';
  const env = { JWT_SECRET: secret, ACME_OPENAI_KEY: 'key-of-acme', GLOBEX_OPENAI_KEY: 'key-of-globex' };
  await using app = await startRecipe('multi-tenant', { env });
  const claims = { audience: 'https://api.example.com', issuer: 'https://id.example.com/', expiresIn: '1h' } as const;
  const as = (tenant: string) => ({
    authorization: `Bearer ${jwt.sign({ tenant }, secret, { ...claims, subject: 'ada' })}`,
  });
  const ask = (tenant: string) =>
    app.request('/agents/support/text', { input: 'Orders?', options: { conversationId: `${tenant}-c1` } }, as(tenant));

  for (const [tenant, order] of [
    ['acme', 'A-2'],
    ['globex', 'G-1'],
  ] as const) {
    const before = app.model.requests.length;
    app.model.reply({ toolCalls: [{ name: 'listOrders', input: {} }] }, { text: 'These.' });
    expect(await ask(tenant)).toMatchObject({ body: { data: { text: 'These.' } } });
    const { body, headers } = await app.model.request(before + 1);
    expect(headers['authorization']).toBe(`Bearer key-of-${tenant}`);
    expect(JSON.stringify(body)).toContain(order);
  }
  expect(await ask('initech')).toMatchObject({ status: 401 });
  const messages = '/api/memory/conversations/acme-c1/messages';
  expect(await app.request(messages, undefined, as('acme'))).toMatchObject({ status: 200 });
  expect(await app.request(messages, undefined, as('globex'))).toMatchObject({ status: 404 });
  expect(await app.request('/workflows/export-orders/execute', { input: {} }, as('globex'))).toMatchObject({
    body: { data: { result: 'G-1' } },
  });
});

it("the user's documents: answers from passages of this user only", async () => {
  await using app = await startRecipe('document-recall');
  const as = (name: string) => ({ authorization: `Bearer token-of-${name}` });
  const lease = { title: 'Lease', text: 'The rent is due on the third day.\n\nPets are not allowed.' };
  expect(await app.request('/documents', lease, as('ada'))).toMatchObject({ body: { passages: 1 } });
  expect(await app.request('/documents', lease)).toMatchObject({ status: 401 });

  const ask = async (name: string): Promise<string> => {
    const before = app.model.requests.length;
    app.model.reply(
      { toolCalls: [{ name: 'searchDocuments', input: { query: 'when is the rent due' } }] },
      { text: 'See the lease.' },
    );
    await app.request('/agents/librarian/text', { input: 'When?' }, as(name));
    const answered = app.model.requests.slice(before).filter(({ path }) => !path.includes('embeddings'));
    return JSON.stringify(answered.at(-1)?.body);
  };
  expect(await ask('ada')).toContain('third day');
  expect(await ask('ben')).not.toContain('third day');
});

it('a Slack bot: answers each mention once, in its thread, and refuses what Slack has not signed', async () => {
  await using slack = await openReceiver({ ok: true });
  const env = { SLACK_SIGNING_SECRET: 'shhh', SLACK_BOT_TOKEN: 'xoxb-1', SLACK_API_URL: slack.origin };
  await using app = await startRecipe('slack-bot', { env });
  app.model.replyAlways({ text: 'Hello <!channel>!' });

  const send = (event: object, { secret = 'shhh', at = Date.now(), signed = '' } = {}) => {
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(at / 1000));
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signed || signature,
    };
    return fetch(`${app.origin}/slack/events`, { method: 'POST', body, headers });
  };
  const challenge = await send({ type: 'url_verification', challenge: 'abc' });
  expect(await challenge.json()).toEqual({ challenge: 'abc' });

  const mention = { type: 'app_mention', user: 'U1', text: '<@B1> hi there', channel: 'C1', ts: '1.0' };
  const event = { type: 'event_callback', event_id: 'Ev1', event: mention };
  expect((await send(event, { secret: 'wrong' })).status).toBe(401);
  expect((await send(event, { at: Date.now() - 600_000 })).status).toBe(401);
  expect((await send(event, { signed: `v0=${'é'.repeat(64)}` })).status).toBe(401);
  expect([(await send(event)).status, (await send(event)).status]).toEqual([200, 200]);
  const { body, headers } = await slack.next();
  expect(JSON.parse(body)).toEqual({ channel: 'C1', thread_ts: '1.0', text: 'Hello &lt;!channel&gt;!' });
  expect(headers['authorization']).toBe('Bearer xoxb-1');
  expect(JSON.stringify((await app.model.request(0)).body)).toContain('hi there');
  expect(app.model.requests).toHaveLength(1);

  // The thread is one conversation.
  const follow = (id: string, text: string) =>
    send({ ...event, event_id: id, event: { ...mention, text, ts: '2.0', thread_ts: '1.0' } });
  // A mention without a text, and what Slack has escaped.
  await follow('Ev2', '<@B1>');
  await slack.next();
  expect(JSON.stringify((await app.model.request(1)).body)).toMatch(/hi there.*"Hello\."/);
  await follow('Ev3', '<@B1> is 3 &lt; 4 &amp; 5 &gt; 4?');
  await slack.next();
  expect(JSON.stringify((await app.model.request(2)).body)).toContain('is 3 < 4 & 5 > 4?');

  // The second of two questions waits for the first answer.
  await Promise.all([follow('Ev4', '<@B1> first of two'), follow('Ev5', '<@B1> other of two')]);
  await slack.next();
  await slack.next();
  expect(JSON.stringify((await app.model.request(4)).body)).toMatch(/(first|other) of two.*(first|other) of two/);
});

/** Signs by the Standard Webhooks specification, as the shop does. */
function signedWebhook(id: string, webhook: object, secret = shopSecret): RequestInit {
  const body = JSON.stringify(webhook);
  const time = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
  return { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } };
}
const shopSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

it('webhooks: start and continue an order once, also if the payment comes first, and only with the signature', async () => {
  await using app = await startRecipe('webhooks', { env: { WEBHOOK_SECRET: shopSecret } });
  const send = async (id: string, webhook: object, secret?: string): Promise<number> =>
    (await fetch(`${app.origin}/hooks/shop`, signedWebhook(id, webhook, secret))).status;
  const created = { type: 'order.created', orderId: '17', cents: 4200 };
  const paid = { type: 'order.paid', orderId: '17', cents: 4200 };
  const order = async (id: string) => (await app.request(`/workflows/order/executions/order-${id}`)).body.data;

  expect(await send('w1', created, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(401);
  expect([await send('w1', created), await send('w1', created)]).toEqual([200, 200]);
  expect([await send('w2', paid), await send('w2', paid)]).toEqual([200, 200]);
  await expect.poll(() => order('17')).toMatchObject({ status: 'completed', output: { shipped: '17', paid: 4200 } });

  expect(await send('w3', { ...paid, orderId: '18' })).toBe(200);
  expect(await send('w4', { ...created, orderId: '18' })).toBe(200);
  await expect.poll(() => order('18')).toMatchObject({ status: 'completed', output: { shipped: '18', paid: 4200 } });
});

it('webhooks: of GitHub and Stripe are accepted with their own signatures only', async () => {
  await using app = await startRecipe('webhooks', {
    env: { WEBHOOK_SECRET: shopSecret, GITHUB_SECRET: 'octo', STRIPE_SECRET: 'whsec_test' },
    change: (source) =>
      `import { github, stripe } from './senders.ts';\n${source.replace('hooks: { shop }', 'hooks: { shop, github, stripe }')}`,
  });
  const send = async (hook: string, body: string, headers: Record<string, string>) => {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const reply = await fetch(`${app.origin}/hooks/${hook}`, init);
    return { status: reply.status, text: await reply.text() };
  };
  const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

  const push = JSON.stringify({ ref: 'refs/heads/main' });
  const github = { 'x-github-event': 'push', 'x-github-delivery': 'd-1' };
  const signed = { ...github, 'x-hub-signature-256': `sha256=${hmac('octo', push)}` };
  const first = await send('github', push, signed);
  expect(first.status).toBe(200);
  expect(await send('github', push, signed)).toEqual(first);
  expect((await send('github', `${push} `, signed)).status).toBe(401);
  expect((await send('github', push, github)).status).toBe(401);

  const paid = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', data: { object: { id: 'in_1' } } });
  const stripe = (at: number) => {
    const time = Math.floor(at / 1000);
    return { 'stripe-signature': `t=${time},v1=${hmac('whsec_test', `${time}.${paid}`)},v0=00` };
  };
  const second = await send('stripe', paid, stripe(Date.now()));
  expect(second.status).toBe(200);
  expect(await send('stripe', paid, stripe(Date.now() - 60_000))).toEqual(second);
  expect((await send('stripe', paid, stripe(Date.now() - 600_000))).status).toBe(401);
  expect((await send('stripe', paid.replace('in_1', 'in_2'), stripe(Date.now()))).status).toBe(401);
});

it('webhooks: no user orders without the shop, pays with an event of their own, or takes the id of an order', async () => {
  await using app = await startRecipe('webhooks', {
    env: { WEBHOOK_SECRET: shopSecret },
    change: (source) =>
      withAuth()(source).replace('workflows: [order]', "workflows: [order, createWorkflow({ id: 'note' })]"),
  });
  const shop = async (id: string, webhook: object): Promise<number> =>
    (await fetch(`${app.origin}/hooks/shop`, signedWebhook(id, webhook))).status;
  const state = async (id: string) =>
    (await app.request(`/workflows/order/executions/${id}/state`, undefined, operator)).body.data;

  const own = { input: { orderId: '99', cents: 1 }, options: { executionId: 'order-99' } };
  expect(await app.request('/workflows/order/execute', own, mallory)).toMatchObject({ status: 404 });
  const squat = { input: {}, options: { executionId: 'order-18' } };
  expect(await app.request('/workflows/note/execute', squat, mallory)).toMatchObject({ status: 400 });

  const order = { type: 'order.created', orderId: '18', cents: 4200 };
  expect(await shop('w1', order)).toBe(200);
  await expect.poll(() => state('order-18')).toMatchObject({ status: 'suspended' });
  const event = { name: 'order.paid', key: '18', payload: { cents: 4200 } };
  expect(await app.request('/workflows/events', event, mallory)).toMatchObject({ body: { data: { delivered: 0 } } });
  expect(await state('order-18')).toMatchObject({ status: 'suspended' });
  expect(await shop('w2', { ...order, type: 'order.paid' })).toBe(200);
  await expect.poll(() => state('order-18')).toMatchObject({ status: 'completed', output: { shipped: '18' } });
});

it('a Slack bot: no user of the server lets it post, or talks to it', async () => {
  const env = { SLACK_SIGNING_SECRET: 'shhh', SLACK_BOT_TOKEN: 'xoxb-1', SLACK_API_URL: 'http://127.0.0.1:1' };
  await using app = await startRecipe('slack-bot', { env, change: withAuth('POST /slack/events') });
  const input = { channel: 'C-general', thread: '1', text: 'pwned' };
  for (const path of ['/workflows/answer-mention/execute', '/workflows/answer-mention/stream'])
    expect(await app.request(path, { input }, mallory)).toMatchObject({ status: 404 });
  expect(await app.request('/agents/bot/text', { input: 'Hello' }, mallory)).toMatchObject({ status: 404 });
  expect(app.model.requests).toHaveLength(0);
});

it('a refund: users neither ask for one, nor approve one, nor take its id', async () => {
  await using app = await startRecipe('refund-approval', {
    change: (source) =>
      withAuth()(source).replace('workflows: [refund]', "workflows: [refund, createWorkflow({ id: 'note' })]"),
  });
  const refund = { input: { orderId: '17', cents: 9900 }, options: { executionId: 'refund-17', userId: 'mallory' } };
  expect(await app.request('/workflows/refund/execute', refund, mallory)).toMatchObject({ status: 401 });
  const squat = { input: {}, options: { executionId: 'refund-17' } };
  expect(await app.request('/workflows/note/execute', squat, mallory)).toMatchObject({ status: 400 });

  expect(await app.request('/workflows/refund/execute', refund, operator)).toMatchObject({
    body: { data: { status: 'suspended' } },
  });
  const path = '/workflows/refund/executions/refund-17';
  const approval = { resumeData: { approved: true } };
  expect(await app.request(`${path}/resume`, approval, mallory)).toMatchObject({ status: 401 });
  expect(await app.request('/api/approvals', undefined, mallory)).toMatchObject({ body: { data: { approvals: [] } } });
  expect(await app.request('/api/executions', undefined, mallory)).toMatchObject({ body: { data: [] } });
  expect(await app.request(`${path}/resume`, approval, operator)).toMatchObject({
    body: { data: { status: 'completed' } },
  });
});

it('a pipeline: summarises the parts of a document, then joins the summaries', async () => {
  await using app = await startRecipe('document-pipeline');
  app.model.replyAlways(({ body }) => ({ text: JSON.stringify(body).includes('The parts of') ? 'All.' : 'A part.' }));
  const input = { title: 'Long', text: 'A long text. '.repeat(2_000) };
  expect(await app.request('/workflows/summarise-document/execute', { input })).toMatchObject({
    body: { data: { status: 'completed', result: 'All.' } },
  });
  expect(app.model.requests).toHaveLength(4);
  expect(JSON.stringify(app.model.requests[3]?.body)).toContain(String.raw`A part.\n\nA part.\n\nA part.`);
});

it('budgets: a smaller model from half of the budget on, then 429 without a request to the provider', async () => {
  await using app = await startRecipe('rate-limits', { env: { TOKENS_PER_DAY: '30' } });
  app.model.replyAlways({ text: 'Hello.', usage: { inputTokens: 10, outputTokens: 5 } });
  const ada = { authorization: 'Bearer token-of-ada' };
  const asked = { input: 'Hello', options: { maxOutputTokens: 1_000_000, maxSteps: 50 } };
  const ask = () => app.request('/agents/assistant/text', asked, ada);

  expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 200, 429]);
  expect(app.model.requests.map(({ body }) => body['max_output_tokens'])).toEqual([2_000, 2_000]);
  expect(app.model.requests.map(({ body }) => body['model'])).toEqual(['gpt-5', 'gpt-5-mini']);
  expect(await app.request('/budget', undefined, ada)).toMatchObject({ body: { budget: 30, used: 30 } });
});

it('data from text: returns an invoice whose lines add up, and shows one whose lines do not', async () => {
  await using app = await startRecipe('structured-extraction');
  const invoice = { number: '117', date: '2026-11-03', currency: 'EUR', lines: [{ text: 'Lamp', cents: 4000 }] };
  app.model.reply({ object: { ...invoice, totalCents: 4000 } }, { object: { ...invoice, totalCents: 9000 } });
  const read = () => app.request('/invoices', { text: 'Invoice 117' });
  expect(await read()).toMatchObject({ status: 200, body: { invoice: { number: '117', totalCents: 4000 } } });
  expect(app.model.requests[0]?.format).toMatchObject({ name: 'invoice' });
  expect(await read()).toMatchObject({ status: 422, body: { error: 'The lines do not add up' } });
});

it('files and images: the model gets the image, and the conversation keeps it', async () => {
  await using app = await startRecipe('files-and-images', { file: 'server.ts' });
  app.model.replyAlways({ text: 'A lamp.' });
  const url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
  const parts = [
    { type: 'text', text: 'What is this?' },
    { type: 'file', mediaType: 'image/png', url },
  ];
  const options = { userId: 'ada', conversationId: 'c1' };
  const asked = { input: [{ role: 'user', parts }], options };
  expect(await app.request('/agents/assistant/text', asked)).toMatchObject({ body: { data: { text: 'A lamp.' } } });
  expect(JSON.stringify(app.model.requests[0]?.body)).toContain(url);
  const { body } = await app.request('/api/memory/conversations/c1/messages?userId=ada');
  expect(JSON.stringify(body)).toContain(url);
});

it('traces: the collector receives the spans of the run and of the tool, without prompts', async () => {
  await using collector = await openReceiver();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'shop',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  await using app = await startRecipe('tracing', { env });
  app.model.reply({ toolCalls: [{ name: 'findOrder', input: { orderId: '17' } }] }, { text: 'It is shipped.' });
  await app.request('/agents/support/text', { input: 'Where is my secret order?' });

  let received = '';
  while (!received.includes('invoke_agent')) received += (await collector.next()).body;
  for (const name of ['query orders', 'execute_tool findOrder']) expect(received).toContain(name);
  expect(received).not.toContain('secret order');
});

it('tests in CI: pass with what the reader has installed', async () => {
  const { file } = writeRecipe(readRecipe('testing-in-ci'), ownFolder()).find(
    ({ name }) => name === 'support.test.ts',
  ) ?? { file: '' };
  // The tests of the recipe run without the environment of this test.
  const env = { PATH: process.env['PATH'] };
  const options = { cwd: dirname(file), env };
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@halyard/source', '--test'], options);
  expect(stdout).toMatch(/pass 4\b/);
});

it('the route of SvelteKit passes on a path as it was encoded', async () => {
  await using halyard = await openReceiver();
  const folder = ownFolder();
  const { file } = writeRecipe(readRecipe('sveltekit'), folder).find(({ name }) => name.endsWith('/+server.ts')) ?? {
    file: '',
  };
  const route = join(folder, 'route.ts');
  copyFileSync(file, route);
  vi.stubEnv('HALYARD_URL', `${halyard.origin}/agents-only`);
  const { fallback } = (await import(route)) as {
    readonly fallback: (event: { readonly request: Request; readonly url: URL }) => Promise<Response>;
  };
  vi.unstubAllEnvs();
  const url = new URL('http://localhost/halyard/a/..%2F..%2Fb%3Fc?d=e');
  const cookies = { cookie: 'session=1', 'x-service-dev': 'true', accept: 'application/json' };
  expect((await fallback({ request: new Request(url, { headers: cookies }), url })).status).toBe(200);
  const { headers, url: received } = await halyard.next();
  expect(received).toBe('/agents-only/a/..%2F..%2Fb%3Fc?d=e');
  expect(headers).toMatchObject({ accept: 'application/json' });
  expect(headers).not.toHaveProperty('cookie');
  expect(headers).not.toHaveProperty('x-service-dev');
});

it('the route handler of Next.js answers', async () => {
  const folder = ownFolder();
  writeRecipe(readRecipe('nextjs'), folder);
  await copyEmbeddedTemplate(join(folder, '.halyard'));
  await using model = await openOpenaiWire();
  model.reply({ text: 'Hello.' });
  const main = join(folder, 'main.ts');
  writeFileSync(
    main,
    `import { POST } from './app/halyard/[...path]/route.ts';
    import { getServer } from './lib/halyard.ts';
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"input":"Hi"}' };
    const reply = await POST(new Request('http://localhost/halyard/agents/assistant/stream', init));
    process.stdout.write(await reply.text());
    await (await getServer()).close();`,
  );
  const env = { ...process.env, NODE_ENV: 'development', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseURL };
  const options = { cwd: folder, env };
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@halyard/source', main], options);
  expect(stdout).toContain('Hello');
});

it.each(['react-chat', 'nuxt', 'sveltekit'])('the server of %s answers', async (name) => {
  const file = name === 'react-chat' ? 'server.ts' : 'agents/server.ts';
  await using app = await startRecipe(name, { file });
  app.model.reply({ text: 'Hello.' });
  const reply = await fetch(`${app.origin}/agents/assistant/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hi' }),
  });
  expect(await reply.text()).toContain('Hello');
});

it.each(['hono-app.ts', 'express-app.ts'])('another framework serves the agent: %s', async (file) => {
  await using app = await startRecipe('other-frameworks', { file });
  app.model.reply({ text: 'Hello.' });
  const reply = await fetch(`${app.origin}/ai/agents/assistant/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hi' }),
  });
  expect(await reply.text()).toContain('Hello');
  expect(await (await fetch(app.origin)).text()).toBe('My app');
});

it('AWS Lambda serves the agent', async () => {
  const folder = ownFolder();
  const { file } = writeRecipe(readRecipe('other-frameworks'), folder).find(({ name }) => name === 'lambda.ts') ?? {
    file: '',
  };
  await using model = await openOpenaiWire();
  model.reply({ text: 'Hello.' });
  const event = {
    version: '2.0',
    rawPath: '/ai/agents/assistant/text',
    rawQueryString: '',
    headers: { 'content-type': 'application/json', host: 'example.com' },
    body: '{"input":"Hi"}',
    isBase64Encoded: false,
    requestContext: { domainName: 'example.com', http: { method: 'POST', path: '/ai', sourceIp: '192.0.2.1' } },
  };
  const main = join(folder, 'main.ts');
  writeFileSync(
    main,
    `import { handler } from '${file}';
    import { ai } from './ai.ts';
    console.log(JSON.stringify(await handler(${JSON.stringify(event)})));
    await ai.close();`,
  );
  const env = { ...process.env, NODE_ENV: 'production', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseURL };
  const options = { cwd: folder, env };
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@halyard/source', main], options);
  expect(stdout).toContain('\\"text\\":\\"Hello.\\"');
});

function ownFolder(): string {
  const folder = createSampleFolder();
  onTestFinished(() => removeSampleFolder(folder));
  return folder;
}

it('Temporal: an activity waits for a person, finds its execution when it is retried, and cancels it', async () => {
  await using app = await startRecipe('temporal');
  const { createActivities } = (await import(join(app.folder, 'activities.ts'))) as {
    readonly createActivities: (
      baseUrl: string,
      context: () => object,
    ) => { readonly refund: (input: object) => Promise<unknown> };
  };
  const run = (activityId: string, cancellationSignal: AbortSignal, cancelRequested = false) =>
    createActivities(app.origin, () => ({
      info: { activityId, workflowExecution: { workflowId: 'order', runId: 'r1' } },
      cancellationSignal,
      cancellationDetails: { cancelRequested },
      heartbeat: () => {},
    })).refund({ order: '17', cents: 500 });
  const stateOf = async (id: string) =>
    (await app.request(`/workflows/refund/executions/temporal-r1-${id}`)).body.data as { readonly status: string };

  const goesOn = new AbortController().signal;
  const attempts = [run('1', goesOn)];
  await vi.waitFor(async () => expect(await stateOf('1')).toMatchObject({ status: 'suspended' }), 60_000);
  attempts.push(run('1', goesOn));
  await app.request('/workflows/refund/executions/temporal-r1-1/resume', { resumeData: { by: 'Grace' } });
  expect(await Promise.all(attempts)).toEqual([
    { paid: 500, by: 'Grace' },
    { paid: 500, by: 'Grace' },
  ]);

  for (const [id, isCancelled] of [
    ['2', false],
    ['3', true],
  ] as const) {
    const stopped = new AbortController();
    const attempt = run(id, stopped.signal, isCancelled);
    attempt.catch(() => {});
    await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ status: 'suspended' }), 60_000);
    stopped.abort();
    await expect(attempt).rejects.toThrow('aborted');
    // Of a worker that only shuts down, another attempt waits on.
    expect(await stateOf(id)).toMatchObject({ status: isCancelled ? 'cancelled' : 'suspended' });
  }
});
