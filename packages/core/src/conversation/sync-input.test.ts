import type { Message, MessagePart } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import type { CheckedInput } from '../agent/agent-input.ts';
import { InputCheck } from '../agent/processors/input-check.ts';
import type { InputUIMessage, ModelMessage } from '../model/messages/message.ts';
import { missingResultText } from '../model/prompt/missing-result.ts';
import { fixedClock } from '../testing/index.ts';
import { openConversation } from './open-conversation.ts';
import { type NewInput, syncInput } from './sync-input.ts';

/** Compares input with these stored messages. Results of `pick` come from the client. */
async function sync(stored: readonly Message[], input: CheckedInput, { hasLock = true } = {}): Promise<NewInput> {
  const { conversations } = createInMemoryStorage({ clock: fixedClock() });
  const create = { id: 'c1', userId: 'ada', resourceId: 'a', title: '', metadata: {} };
  await conversations.save('anyone', { conversationId: 'c1', messages: stored, create });
  const key = { conversationId: 'c1', owner: 'anyone', userId: 'ada', isAnonymous: false } as const;
  const options = { contextLimit: 20, contextBlock: 0, pageBytes: 1e6, sinceSummary: false };
  const opened = await openConversation(conversations, key, { ...options, runId: 'run', journal: undefined });
  return syncInput(input, opened ?? expect.fail('no conversation'), {
    isClientSide: (name) => name === 'pick',
    resend: undefined,
    hasLock,
    check: new InputCheck([]),
  });
}

const ofModel = (...messages: ModelMessage[]): CheckedInput => ({ form: 'model', messages });
const ofChat = (...messages: InputUIMessage[]): CheckedInput => ({ form: 'ui', messages });
const asked: Message = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Pick one' }] };
const answer = (...parts: MessagePart[]): Message => ({ id: 'r', role: 'assistant', parts });
const waiting: MessagePart = { type: 'tool-pick', toolCallId: 'p', state: 'input-available', input: {} };
const picked: MessagePart = { ...waiting, state: 'output-available', output: 'red' };
const said: MessagePart = { type: 'text', text: 'Red it is.' };
const system = { role: 'system', content: 'Be brief' } as const;
const next = { role: 'user', content: 'And now?' } as const;
const call: ModelMessage = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'Which one?' },
    { type: 'tool-call', toolCallId: 'p', toolName: 'pick', input: {} },
  ],
};
const result: ModelMessage = {
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'p', toolName: 'pick', output: { type: 'text', value: 'red' } }],
};
const idsOf = (messages: readonly Message[]): readonly string[] => messages.map(({ id }) => id);

it('stores all model messages but those of the system, which the prompt gets', async () => {
  const synced = await sync([asked, answer(said)], ofModel(system, next));
  expect(idsOf(synced.window)).toEqual(['q', 'r']);
  expect(synced.fresh).toMatchObject([{ role: 'user', parts: [{ text: 'And now?' }] }]);
  expect(synced.sent).toEqual({ stored: undefined, form: 'model', messages: [system, next] });
  expect(synced).toMatchObject({ extended: undefined, isExtendedStored: false, storedReply: undefined });
});

it.each([
  ['alone', [result]],
  ['after the repeated call', [call, result]],
])('adds the result of a client, %s, to the stored call', async (_, messages) => {
  const synced = await sync([asked, answer(waiting)], ofModel(system, ...messages));
  expect(idsOf(synced.window)).toEqual(['q']);
  expect(synced.extended).toEqual(answer(picked));
  expect(synced.sent).toEqual({ stored: answer(picked), form: 'model', messages: [system] });
  expect(synced).toMatchObject({ fresh: [], isExtendedStored: false, storedReply: undefined });
});

it('stores the result of a client before the messages after it', async () => {
  const synced = await sync([asked, answer(waiting)], ofModel(result, next));
  expect(synced.fresh).toMatchObject([answer(picked), { role: 'user' }]);
  expect(synced.sent).toEqual({ stored: answer(picked), form: 'model', messages: [next] });
});

it('takes no result that follows an assistant message with other calls for a repeated one', async () => {
  const other: ModelMessage = {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'pick', input: {} }],
  };
  const synced = await sync([asked, answer(waiting)], ofModel(other, result));
  expect(synced.extended).toMatchObject({ role: 'assistant', parts: [{ type: 'step-start' }, { toolCallId: 'x' }] });
  expect(synced.sent).toEqual({ stored: undefined, form: 'model', messages: [other, result] });
});

it('takes a repeated assistant message that a user follows for a new one', async () => {
  const synced = await sync([asked, answer(picked, said)], ofModel(call, result, next));
  expect(synced.fresh.map(({ role }) => role)).toEqual(['assistant', 'user']);
  expect(synced.sent.messages).toEqual([call, result, next]);
});

it('returns the stored reply to a result that is sent twice', async () => {
  const stored = answer({ type: 'step-start' }, picked, { type: 'step-start' }, said);
  const synced = await sync([asked, stored], ofModel(call, result));
  expect(synced.storedReply).toEqual(answer({ type: 'step-start' }, said));
});

it('ends calls of a run that died, before new messages', async () => {
  const dead: MessagePart = { type: 'tool-look', toolCallId: 'l', state: 'input-available', input: {} };
  for (const input of [ofModel(next), ofChat({ role: 'user', parts: [said] })]) {
    const synced = await sync([asked, answer(dead)], input);
    expect(synced.fresh).toMatchObject([{ id: 'r', parts: [{ toolCallId: 'l', state: 'output-error' }] }, {}]);
  }
});

it('continues the new assistant message that is the last', async () => {
  const last: InputUIMessage = { id: 'n2', role: 'assistant', parts: [said] };
  const synced = await sync([asked], ofChat({ id: 'n1', role: 'user', parts: [said] }, last));
  expect(idsOf(synced.fresh)).toEqual(['n1']);
  expect(synced).toMatchObject({ extended: { id: 'n2' }, isExtendedStored: false });
});

it('keeps the metadata of new messages, and gives those without an id one', async () => {
  const metadata = { from: 'app' };
  const parts = [said] as InputUIMessage['parts'];
  const { fresh } = await sync([asked], ofChat({ id: '', role: 'user', parts, metadata }, { role: 'user', parts }));
  expect(fresh).toEqual([
    { id: expect.stringMatching(/./), role: 'user', parts, metadata },
    { id: expect.stringMatching(/./), role: 'user', parts },
  ]);
  expect(new Set(idsOf(fresh)).size).toBe(2);
});

it('continues a stored assistant message as it is', async () => {
  const stored = answer(said);
  const synced = await sync([asked, stored], ofChat(asked as InputUIMessage, stored as InputUIMessage));
  expect(synced).toMatchObject({ extended: stored, isExtendedStored: true, fresh: [] });
  expect(synced.sent).toMatchObject({ form: 'ui', messages: [] });
});

it('counts calls whose approvals another run uses as not answered when others are approved', async () => {
  const pay = (id: string, state: string, more: object = {}) =>
    ({ type: 'tool-pay', toolCallId: id, state, input: {}, approval: { id: `a${id}` }, ...more }) as MessagePart;
  const approved = (id: string, more: object = {}) =>
    pay(id, 'approval-responded', { approval: { id: `a${id}`, approved: true }, ...more });
  const provided = approved('3', { providerExecuted: true });
  const stored = answer(approved('1'), pay('2', 'approval-requested'), provided, said);
  const sent = answer(approved('1'), approved('2'), provided, said);
  const synced = await sync([asked, stored], ofChat(sent as InputUIMessage), { hasLock: false });
  expect(synced).toMatchObject({ isExtendedStored: false, storedReply: undefined });
  const { approval: _, ...used } = approved('1') as Extract<MessagePart, { approval?: unknown }>;
  expect(synced.sent.stored?.parts).toMatchObject([
    { ...used, state: 'output-error', errorText: missingResultText },
    approved('2'),
    provided,
    said,
  ]);
  expect(synced.sent.stored?.parts[0]).not.toHaveProperty('approval');
});
