import { Agent, createMemory, createTool, createWorkflow, type MayAnswer, type StepContext } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { json, serve, type Served, type ServedOptions } from '../../../../testing/serve.ts';

const day = 24 * 3_600_000;
const ada = { authorization: 'Bearer ada' };
const operator = { 'x-console-access-key': 'the key of the console' };

const refunds: number[] = [];
const refund = createTool({
  name: 'refund',
  description: '',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: { approvers: ['grace', 'linus'], notRequester: true },
  execute: ({ cents }) => refunds.push(cents),
});
const clerk = new Agent({
  id: 'clerk',
  model: scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? 'Done.'
      : { toolCalls: [{ toolName: 'refund', toolCallId: 'r1', input: { cents: 900 } }] },
  ),
  tools: [refund],
});

const Answer = Type.Object({ approved: Type.Boolean(), reason: Type.Optional(Type.String()) });
const links: string[] = [];
const sign = {
  id: 'sign',
  execute: async ({ data, resumeData, resumedBy, state, suspend }: StepContext<unknown>): Promise<unknown> => {
    if (resumeData !== undefined) return { ...(resumeData as object), resumedBy };
    const request = { executionId: state.executionId, stepId: 'sign' };
    links.push(await server.approvals.link(request, { to: 'grace', expiryMs: day }));
    return suspend('A signature is missing', data, { approvers: ['grace', 'linus', 'role:boss'] });
  },
};
const workflows = [
  createWorkflow({ id: 'contract', resumeSchema: Answer }).andThen(sign),
  createWorkflow({ id: 'payout' }).andThen({
    id: 'sign',
    execute: ({ resumeData, suspend }) =>
      resumeData ?? suspend('Two must sign', {}, { approvers: ['grace', 'linus', 'ken'], quorum: 2 }),
  }),
  createWorkflow({ id: 'form', resumeSchema: Type.Object({ iban: Type.String() }) }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('Which account?', {}, { approvers: ['grace'] }),
  }),
  createWorkflow({ id: 'twice' }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) =>
      (resumeData as { approved?: boolean } | undefined)?.approved === true
        ? 'done'
        : suspend('Again?', {}, { approvers: ['grace'] }),
  }),
];

let mayAnswer: MayAnswer | undefined;
let server: Served;
const options: ServedOptions = {
  agents: [clerk],
  workflows,
  auth: {
    provider: { type: 'names', verifyToken: (token: string) => ({ id: token }) },
    consoleKey: 'the key of the console',
  },
  secret: 'a secret that is long enough for a test',
  mayAnswer: (question) => mayAnswer?.(question) ?? true,
};
beforeEach(async () => {
  links.length = 0;
  refunds.length = 0;
  mayAnswer = undefined;
  server = await serve([], { ...options, memory: createMemory() });
});
afterEach(() => server.close());

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const read = async (response: Response): Promise<Page> => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
});
/** Also a link of another server. */
const open = async (link: string, { origin } = server): Promise<Page> =>
  read(await fetch(origin + new URL(link).pathname + new URL(link).search));
const fieldOf = ({ text }: Page, name: string): string =>
  new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(text)?.[1] ?? '';
const fill = async (page: Page, fields: Record<string, string>, { origin } = server): Promise<Page> => {
  const action = /action="([^"]*)"/.exec(page.text)?.[1] ?? '/approvals/link';
  const body = { token: fieldOf(page, 'token'), form: fieldOf(page, 'form'), ...fields };
  return read(await fetch(origin + action, { method: 'POST', body: new URLSearchParams(body) }));
};
const call = async (path: string, headers: object, body?: unknown) => {
  const init = body === undefined ? { headers: {} } : json(body);
  const response = await fetch(server.origin + path, { ...init, headers: { ...init.headers, ...headers } });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return data;
};
const execute = (id: string, input: object = {}): Promise<Record<string, unknown>> =>
  call(`/workflows/${id}/execute`, ada, { input, options: { executionId: `${id}-1` } });
const stateOf = (id: string): Promise<Record<string, unknown>> =>
  call(`/workflows/${id}/executions/${id}-1/state`, operator);
const onlyApproval = async () => {
  const { approvals } = await call('/approvals', operator);
  const [approval, second] = approvals as { id: string; executionId: string | null; conversationId: string | null }[];
  if (approval === undefined || second !== undefined) throw new TypeError('one request should wait');
  return approval;
};
const linkTo = async (to: Parameters<Served['approvals']['link']>[1]['to']): Promise<string> =>
  server.approvals.link(await onlyApproval(), { to, expiryMs: day });

describe('an answer link', () => {
  it('shows the request, changes nothing when it is opened, and answers as its recipient', async () => {
    await execute('contract', { pages: 3 });
    const [link = ''] = links;
    expect(link).toMatch(/^http:\/\/[^/]+\/approvals\/link\?token=[\w.-]+$/);
    for (let times = 0; times < 3; times += 1) await open(link);
    await fetch(link, { method: 'HEAD' });
    expect(await stateOf('contract')).toMatchObject({ status: 'suspended' });

    const page = await open(link);
    expect(page.status).toBe(200);
    for (const shown of ['A signature is missing', 'contract', 'ada', 'grace', 'pages', '3'])
      expect(page.text).toContain(shown);
    const done = await fill(page, { decision: 'approve', reason: 'Well\r\nread' });
    expect(done.status).toBe(200);
    expect(done.text).toMatch(/<bdi>You<\/bdi> approved this request on <time datetime="20/);
    const result = { output: { approved: true, reason: 'Well\nread', resumedBy: 'grace' } };
    await expect.poll(() => stateOf('contract')).toMatchObject(result);

    expect((await open(link)).text).toContain('<bdi>You</bdi> approved');
    const { records } = await call('/audit?action=approval.answer', operator);
    const actor = expect.objectContaining({ userId: 'grace', channel: 'link' });
    const detail = { approved: true, reason: 'Well\nread' };
    expect(records).toMatchObject([
      { actor, target: { executionId: 'contract-1' }, detail, outcome: { errorCode: null } },
    ]);

    const again = await fill(page, { decision: 'decline' });
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('<bdi>You</bdi> approved')]);
  });

  it('keeps the link out of referrers, frames and caches, and runs no script', async () => {
    await execute('contract');
    const { headers, text } = await open(links[0] ?? '');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'content-security-policy': expect.stringMatching(
        /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
      ),
    });
    expect(headers.get('set-cookie')).toBeNull();
    expect(text).not.toMatch(/<script|\son\w+=|style="/);
  });

  it('answers for a tool in a conversation, and tells later readers who it was', async () => {
    await call('/agents/clerk/text', ada, { input: 'My lamp broke', options: { conversationId: 'c1' } });
    const [ofGrace, ofLinus] = [await linkTo('grace'), await linkTo('linus')];
    const page = await open(ofGrace);
    expect(page.text).toContain('My lamp broke');
    expect(page.text).toMatch(/cents[\s\S]*900/);
    expect(refunds).toEqual([]);
    const late = await open(ofLinus);
    expect((await fill(page, { decision: 'approve' })).text).toContain('<bdi>You</bdi> approved');
    await expect.poll(() => refunds).toEqual([900]);

    expect((await open(ofLinus)).text).toContain('<bdi>grace</bdi> approved');
    const refused = await fill(late, { decision: 'decline' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('came too late')]);
    expect(refunds).toEqual([900]);
  });

  it('waits for the others where several must approve', async () => {
    await execute('payout');
    const [grace, linus, ken] = await Promise.all(['grace', 'linus', 'ken'].map(linkTo));
    const page = await open(grace ?? '');
    expect((await fill(page, { decision: 'approve' })).text).toContain('1 of 2 people have approved');
    expect((await fill(page, { decision: 'approve' })).text).toContain('1 of 2 people have approved');
    expect((await open(grace ?? '')).text).toContain('1 of 2 people have approved');
    const last = await open(ken ?? '');
    expect((await fill(await open(linus ?? ''), { decision: 'approve' })).text).toContain('<bdi>You</bdi> approved');
    await expect.poll(() => stateOf('payout')).toMatchObject({ status: 'completed' });
    expect((await fill(last, { decision: 'decline' })).text).toContain('<bdi>linus</bdi> approved');
  });

  it('says who has settled a request in another way', async () => {
    await execute('contract');
    const { executionId, id } = await onlyApproval();
    const token = { ...operator, authorization: 'Bearer zoe' };
    const answer = { id, executionId, resumeData: { approved: false, reason: 'Not <now>' } };
    await call('/approvals/answer', token, answer);
    const page = await open(links[0] ?? '');
    expect(page.text).toContain('<bdi>zoe</bdi> declined');
    expect(page.text).toContain('Not &lt;now&gt;');
  });

  it('is settled once by many answers at the same time', async () => {
    await call('/agents/clerk/text', ada, { input: 'Hello', options: { conversationId: 'c1' } });
    const pages = await Promise.all([await linkTo('grace'), await linkTo('linus')].map((link) => open(link)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => fill(pages[index % 2] as Page, { decision: 'approve' })),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const winners = answers.map(({ text }) => /<bdi>(?:You|grace|linus)<\/bdi> approved/.test(text));
    expect(winners).not.toContain(false);
    await expect.poll(() => refunds).toEqual([900]);
  });

  it('asks again when its step does, and accepts no answer to the earlier question', async () => {
    await execute('twice');
    const link = await server.approvals.link({ executionId: 'twice-1', stepId: 'ask' }, { to: 'grace', expiryMs: day });
    const first = await open(link);
    await fill(first, { decision: 'decline' });
    await expect.poll(async () => fieldOf(await open(link), 'form')).not.toBe(fieldOf(first, 'form'));
    await expect.poll(async () => (await open(link)).text).toContain('Again?');
    const stale = await fill(first, { decision: 'approve' });
    expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('has changed since you opened it')]);
    expect((await fill(stale, { decision: 'approve' })).text).toContain('approved');
  });

  it('continues on another server, also after the secret was rotated', async () => {
    const storage = createInMemoryStorage();
    const replica = async (secret: ServedOptions['secret']): Promise<Served> => {
      const opened = await serve([], { ...options, storage, secret });
      onTestFinished(() => opened.close());
      return opened;
    };
    await server.close();
    server = await serve([], { ...options, storage });
    await execute('contract');
    const rotated = await replica(['a new secret', String(options.secret)]);
    const page = await open(links[0] ?? '', rotated);
    expect((await fill(page, { decision: 'approve' })).status).toBe(409);
    expect((await fill(page, { decision: 'approve' }, rotated)).text).toContain('<bdi>You</bdi> approved');
    expect((await open(links[0] ?? '', rotated)).text).toContain('<bdi>You</bdi> approved');
    expect((await open(links[0] ?? '', await replica('another secret'))).status).toBe(404);
  });
});

describe('the text of models and users', () => {
  it('is only text', async () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
    await execute('contract', { [hostile]: hostile, nested: { [hostile]: [hostile] } });
    const { text } = await open(links[0] ?? '');
    expect(text).not.toMatch(/<script|<img/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('cannot hide or turn around what is approved', async () => {
    await execute('contract', { to: 'DE\u202e21 99\u2066', note: 'a\u200bb\u0007', family: '👩\u200d👧' });
    const { text } = await open(links[0] ?? '');
    expect(text).toContain('DE⟨U+202E⟩21 99⟨U+2066⟩');
    expect(text).toContain('a⟨U+200B⟩b⟨U+0007⟩');
    expect(text).toContain('👩\u200d👧');
  });

  it('must be shown as a whole before somebody approves', async () => {
    await execute('contract', { text: 'x'.repeat(60_000) });
    const page = await open(links[0] ?? '');
    expect(page.text).toContain('too long to be shown here');
    expect(page.text).not.toContain('value="approve"');
    const forced = await fill(page, { decision: 'approve' });
    expect([forced.status, forced.text]).toEqual([422, expect.stringContaining('too long to be shown here')]);
    expect((await fill(page, { decision: 'decline' })).text).toContain('<bdi>You</bdi> declined');
  });
});

describe('refuses', () => {
  const unknown = (page: Page): readonly unknown[] => [page.status, page.text];

  it('forged, incomplete and unknown links with the same page', async () => {
    await execute('contract');
    const [link = ''] = links;
    const { origin } = server;
    const token = new URL(link).searchParams.get('token') ?? '';
    const pages = await Promise.all([
      ...['', '?token=', '?token=x', `?token=${token}x`, `?token=${token}&token=${token}`].map(async (query) =>
        read(await fetch(`${origin}/approvals/link${query}`)),
      ),
      ...['', 'x', `${token.slice(0, -1)}_`].map(async (wrong) =>
        read(
          await fetch(`${origin}/approvals/link`, {
            method: 'POST',
            body: new URLSearchParams({ token: wrong, decision: 'approve' }),
          }),
        ),
      ),
    ]);
    const [first, ...others] = pages.map(unknown);
    expect(first).toEqual([404, expect.stringContaining('This link is not valid')]);
    for (const other of others) expect(other).toEqual(first);
    expect(await stateOf('contract')).toMatchObject({ status: 'suspended' });
  });

  it('an answer without the form that has shown the request', async () => {
    await execute('contract');
    await call('/agents/clerk/text', ada, { input: 'Hello', options: { conversationId: 'c1' } });
    const page = await open(links[0] ?? '');
    const ofAnother = await open(
      await server.approvals.link({ executionId: 'contract-1', stepId: 'sign' }, { to: 'linus', expiryMs: day }),
    );
    for (const form of ['', 'x', fieldOf(page, 'token'), fieldOf(ofAnother, 'form')])
      expect((await fill(page, { form, decision: 'approve' })).status).toBe(409);
    for (const decision of ['', 'yes'])
      expect((await fill(page, { decision })).text).toContain('Please approve or decline');
    const long = await fill(page, { decision: 'approve', reason: 'x'.repeat(2_001) });
    expect([long.status, long.text]).toEqual([422, expect.stringContaining('at most 2000 characters')]);
    expect(await stateOf('contract')).toMatchObject({ status: 'suspended' });
  });

  it('a body that is no form', async () => {
    const response = await fetch(`${server.origin}/approvals/link`, json({ token: 'x' }));
    expect(response.status).toBe(415);
  });

  it('a link for somebody who may not answer', async () => {
    await execute('contract');
    for (const to of [
      'ada',
      'eve',
      { id: 'eve', roles: ['clerk'] },
      { id: 'grace', tenantId: undefined, roles: ['x'] },
    ])
      if (typeof to === 'string' || to.id === 'eve')
        await expect(linkTo(to)).rejects.toMatchObject({ code: 'APPROVAL_NOT_FOUND' });
    expect((await open(await linkTo({ id: 'eve', roles: ['boss'] }))).status).toBe(200);
    // Nothing was known of the request when it was made.
    const step = { executionId: 'contract-1', stepId: 'sign' };
    const ofEve = await server.approvals.link(step, { to: 'eve', expiryMs: day });
    expect((await open(ofEve)).status).toBe(404);
    // The policy of the app has the last word.
    const [link = ''] = links;
    const page = await open(link);
    mayAnswer = ({ user }) => user.id !== 'grace';
    expect((await open(link)).status).toBe(404);
    expect((await fill(page, { decision: 'approve' })).status).toBe(404);
    expect(await stateOf('contract')).toMatchObject({ status: 'suspended' });
  });

  it('options that make no sense', async () => {
    await execute('contract');
    const { link } = server.approvals;
    const step = { executionId: 'contract-1', stepId: 'sign' };
    await expect(link(step, { to: '', expiryMs: day })).rejects.toThrow('`to` must be');
    await expect(link(step, { to: 'grace', expiryMs: 0 })).rejects.toThrow('`expiryMs` must be');
    await expect(link({ executionId: 'contract-1' }, { to: 'grace', expiryMs: day })).rejects.toThrow('needs an `id`');
    await expect(link({ ...step, executionId: 'x' }, { to: 'grace', expiryMs: day })).rejects.toMatchObject({
      code: 'EXECUTION_NOT_FOUND',
    });
  });

  it('data that the step does not accept, in words', async () => {
    await execute('form');
    const link = await linkTo('grace');
    const refused = await fill(await open(link), { decision: 'approve' });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('cannot be answered here')]);
    expect(await stateOf('form')).toMatchObject({ status: 'suspended' });
  });

  it('a link for an earlier execution with the same id', async () => {
    await execute('contract');
    const [link = ''] = links;
    await fetch(`${server.origin}/api/memory/users/ada`, { method: 'DELETE', headers: ada });
    await execute('contract');
    expect(links).toHaveLength(2);
    expect((await open(link)).status).toBe(404);
    expect((await open(links[1] ?? '')).status).toBe(200);
  });
});
