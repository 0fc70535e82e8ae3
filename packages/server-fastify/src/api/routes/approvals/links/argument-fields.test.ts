import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../../testing/serve.ts';

const refunds: unknown[] = [];
const refund = createTool({
  name: 'refund',
  description: '',
  input: Type.Object({
    cents: Type.Integer({ maximum: 1_000 }),
    note: Type.String(),
    isRush: Type.Boolean(),
    hidden: Type.String(),
    items: Type.Array(Type.String()),
  }),
  needsApproval: ({ note }) => ({ approvers: [note === 'secret' ? 'boss' : 'grace'] }),
  execute: (input) => refunds.push(input),
});
const input = { cents: 900, note: '\nTwo <lamps>\n"broke"', isRush: true, hidden: 'a\u202eb', items: ['lamp'] };

let server: Served;
beforeEach(async () => {
  refunds.length = 0;
  const model = scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? 'Done.' : { toolCalls: [{ toolName: 'refund', toolCallId: 'r1', input }] },
  );
  server = await serve([], {
    agents: [new Agent({ id: 'clerk', model, tools: [refund] })],
    memory: createMemory(),
    secret: 'a secret that is long enough for a test',
    auth: { provider: { type: 'names', verifyToken: (id: string) => ({ id }) } },
  });
  const asked = json({ input: 'My lamp broke', options: { conversationId: 'c1' } });
  const headers = { ...asked.headers, authorization: 'Bearer ada' };
  expect((await fetch(`${server.origin}/agents/clerk/text`, { ...asked, headers })).status).toBe(200);
});
afterEach(() => server.close());

interface Page {
  readonly status: number;
  readonly text: string;
}
const read = async (reply: Promise<Response>): Promise<Page> => {
  const { status } = await reply;
  return { status, text: await (await reply).text() };
};
async function open(): Promise<Page> {
  const reply = await fetch(`${server.origin}/api/approvals`, { headers: { authorization: 'Bearer grace' } });
  const { data } = (await reply.json()) as { data: { approvals: { id: string; conversationId: string }[] } };
  const [request] = data.approvals;
  if (request === undefined) throw new TypeError('a request should wait');
  const { conversationId, id } = request;
  const link = await server.approvals.link(
    { id, conversationId, executionId: null },
    { to: 'grace', expiryMs: 3_600_000 },
  );
  return read(fetch(server.origin + new URL(link).pathname + new URL(link).search));
}
const unescape = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The fields as a browser sends them. */
function fieldsOf({ text }: Page): Record<string, string> {
  const inputs = [...text.matchAll(/<input[^>]*name="([^"]*)"\s+value="([^"]*)"/g)];
  const areas = [...text.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n?([^<]*)<\/textarea>/g)];
  const selects = [...text.matchAll(/<select[^>]*name="([^"]*)"[^]*?<option selected>([^<]*)</g)];
  const fields = [...inputs, ...areas, ...selects].map(([, name = '', value = '']) => [
    name,
    unescape(value).replaceAll('\n', '\r\n'),
  ]);
  return Object.fromEntries(fields) as Record<string, string>;
}
const fill = (page: Page, changed: Record<string, string>, decision = 'approve'): Promise<Page> => {
  const body = new URLSearchParams({ ...fieldsOf(page), decision, ...changed });
  return read(fetch(`${server.origin}/approvals/link`, { method: 'POST', body }));
};

it('approves the arguments as they were, if the form is sent as it is', async () => {
  const page = await open();
  expect(fieldsOf(page)).toMatchObject({ 'argument.cents': '900', 'argument.isRush': 'true' });
  // A form cannot return these as they were.
  expect(page.text).not.toContain('name="argument.hidden"');
  expect(page.text).not.toContain('name="argument.items"');
  expect((await fill(page, {})).text).toContain('approved');
  await expect.poll(() => refunds).toEqual([input]);
});

it('approves changed arguments, each of its type', async () => {
  const page = await open();
  const changed = { 'argument.cents': ' 450 ', 'argument.note': 'One\r\nlamp', 'argument.isRush': 'false' };
  expect((await fill(page, changed)).text).toContain('approved');
  await expect.poll(() => refunds).toEqual([{ ...input, cents: 450, note: 'One\nlamp', isRush: false }]);
});

it.each([
  ['no number', { 'argument.cents': 'few' }, 'write a number as'],
  ['a number that the tool refuses', { 'argument.cents': '5000' }, 'These arguments are not accepted: cents'],
  ['arguments that another must approve', { 'argument.note': 'secret' }, 'Somebody else must approve'],
])('refuses %s, and keeps what was written', async (_, changed, problem) => {
  const refused = await fill(await open(), changed);
  expect(refused).toMatchObject({ status: 422, text: expect.stringContaining(problem) });
  expect(fieldsOf(refused)).toMatchObject(changed);
  expect(refunds).toEqual([]);
  // The request still waits.
  expect((await fill(refused, { 'argument.cents': '1', 'argument.note': 'ok' })).text).toContain('approved');
  await expect.poll(() => refunds).toMatchObject([{ cents: 1, note: 'ok' }]);
});

it('takes no other fields, and none with a denial', async () => {
  const page = await open();
  const added = { 'argument.hidden': 'x', 'argument.items': 'y', 'argument.__proto__': 'z', 'argument.cents': 'few' };
  expect((await fill(page, added, 'decline')).text).toContain('declined');
  expect(refunds).toEqual([]);
});
