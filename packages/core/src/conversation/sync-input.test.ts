import { InvalidInputError, type Message, type MessagePart } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe, expect, it } from 'vitest';
import type { CheckedInput } from '../agent/agent-input.ts';
import type { Resend } from '../agent/agent-options.ts';
import { InputCheck } from '../agent/processors/input-check.ts';
import type { InputUIMessage, ModelMessage } from '../model/messages/message.ts';
import { cutMark, incompletePart } from '../model/prompt/cut-step.ts';
import { missingResultText } from '../model/prompt/missing-result.ts';
import { fixedClock } from '../testing/index.ts';
import { messageAnswered, openConversation, type OpenOptions } from './open-conversation.ts';
import { summaryMessage } from './summary.ts';
import { type NewInput, syncInput } from './sync-input.ts';

interface Comparison extends Partial<Pick<OpenOptions, 'journal' | 'sinceSummary'>> {
  readonly hasLock?: boolean;
  readonly resend?: Resend;
}

/** Compares input with these stored messages. Results of `pick` come from the client. */
async function sync(
  stored: readonly Message[],
  input: CheckedInput,
  { hasLock = true, resend, journal, sinceSummary = false }: Comparison = {},
): Promise<NewInput> {
  const { conversations } = createInMemoryStorage({ clock: fixedClock() });
  const create = { id: 'c1', userId: 'ada', resourceId: 'a', title: '', metadata: {} };
  await conversations.save('anyone', { conversationId: 'c1', messages: stored, create });
  const key = { conversationId: 'c1', owner: 'anyone', userId: 'ada', isAnonymous: false } as const;
  const options = { contextLimit: 20, contextBlock: 0, pageBytes: 1e6, sinceSummary };
  const opened = await openConversation(conversations, key, { ...options, runId: 'run', journal });
  return syncInput(input, opened ?? expect.fail('no conversation'), {
    isClientSide: (name) => name === 'pick',
    resend,
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
const brief: InputUIMessage = { role: 'system', parts: [{ type: 'text', text: 'Be brief' }] };
const ui = (message: Message): InputUIMessage => message as InputUIMessage;
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

describe('a question that is sent again', () => {
  const again = ofChat(brief, ui(asked));
  const edited = ofChat(brief, { ...ui(asked), parts: [{ type: 'text', text: 'Pick two' }] });
  const sent = { stored: undefined, form: 'ui', messages: [brief, asked] };

  it('gets its stored reply', async () => {
    for (const resend of [undefined, 'edit'] as const) {
      const synced = await sync([asked, answer(said)], again, { ...(resend && { resend }) });
      expect(synced).toMatchObject({ storedReply: answer(said), replaced: undefined, isExtendedStored: true, sent });
      expect(synced).toMatchObject({ unanswered: undefined, fresh: [], window: [] });
    }
  });

  it('is not written again while it has no reply', async () => {
    const synced = await sync([asked], again);
    expect(synced).toMatchObject({ storedReply: undefined, replaced: undefined, unanswered: 'q', sent });
  });

  it.each([
    ['a reply that is incomplete', [answer(said, incompletePart)], again, undefined],
    ['a reply without content', [answer()], again, undefined],
    ['another reply wanted', [answer(said)], again, 'regenerate'],
    ['another reply wanted, and none stored', [], again, 'regenerate'],
    ['an edited text', [answer(said)], edited, 'edit'],
  ] as const)('replaces what follows: %s', async (_, replies, input, resend) => {
    const synced = await sync([asked, ...replies], input, { ...(resend && { resend }) });
    const question = input.messages[1];
    expect(synced).toMatchObject({ storedReply: undefined, replaced: question, sent: { messages: [{}, question] } });
  });

  it('replaces a later summary of older messages too', async () => {
    const later = { ...asked, id: 'q2' };
    const older = [asked, answer(said)].map((message, index) => ({ ...message, createdAt: index + 1 }));
    const summary = summaryMessage('s', 'Tea.', older);
    const options = { resend: 'regenerate', sinceSummary: true } as const;
    const synced = await sync([asked, answer(said), later, summary], ofChat(ui(later)), options);
    expect(synced).toMatchObject({ replaced: later, replacedSummary: summary });
    const before = await sync([asked, answer(said), summary, later], ofChat(ui(later)), options);
    expect(before).toMatchObject({ replaced: later, replacedSummary: undefined });
  });
});

describe('a message that another branch has left out', () => {
  const inactive = { type: 'custom', kind: 'halyard.inactive', providerMetadata: cutMark } as const;
  const leftOut = (message: Message): Message => ({ ...message, parts: [inactive, ...message.parts] });
  const other: Message = { ...asked, id: 'o' };
  const stored = [asked, answer(said), leftOut({ ...asked, id: 'q2' }), other];
  const again = ofChat(ui(asked), ui(answer(said)), ui({ ...asked, id: 'q2' }));

  it('gets another reply, and the other branch is left out', async () => {
    const synced = await sync(stored, again, { resend: 'regenerate' });
    expect(synced.fresh).toEqual([leftOut(other), { ...asked, id: 'q2' }]);
    expect(idsOf(synced.window)).toEqual(['q', 'r']);
    expect(synced).toMatchObject({ replaced: undefined, isExtendedStored: true });
    expect(synced.sent).toEqual({ stored: undefined, form: 'ui', messages: [{ ...asked, id: 'q2' }] });
  });

  it('gets the edited text, or is refused', async () => {
    const parts = [{ type: 'text', text: 'Pick two' }] as const;
    const edited = ofChat(ui(asked), ui(answer(said)), { id: 'q2', role: 'user', parts: [...parts] });
    expect((await sync(stored, edited, { resend: 'edit' })).fresh).toMatchObject([{ id: 'o' }, { id: 'q2', parts }]);
    expect((await sync(stored, edited, { resend: 'regenerate' })).fresh[1]).toEqual({ ...asked, id: 'q2' });
    await expect(sync(stored, again)).rejects.toEqual(messageAnswered('q2'));
  });

  it('is continued if it is a reply', async () => {
    const synced = await sync([asked, leftOut(answer(said)), other], ofChat(ui(asked), ui(answer(said))));
    expect(synced).toMatchObject({ extended: answer(said), isExtendedStored: false, fresh: [leftOut(other)] });
  });

  it('precedes a new one', async () => {
    const synced = await sync(stored, ofChat(ui(asked), ui(answer(said)), ui({ ...asked, id: 'n' })));
    expect(idsOf(synced.fresh)).toEqual(['o', 'n']);
  });
});

describe('a stored reply', () => {
  const step: MessagePart = { type: 'step-start' };
  const cut = answer(step, picked, step, said, incompletePart);

  it('continues after the results that are sent twice, where it was incomplete', async () => {
    const ofClient = await sync([asked, cut], ofChat(ui(asked), ui(answer(step, picked))));
    expect(ofClient).toMatchObject({ extended: answer(step, picked), storedReply: undefined, isExtendedStored: false });
    const ofScript = await sync([asked, cut], ofModel(call, result));
    expect(ofScript).toMatchObject({ extended: answer(step, picked), storedReply: undefined });
  });

  it('keeps calls that its provider may still answer', async () => {
    const search: MessagePart = { ...waiting, type: 'tool-search', toolCallId: 's', providerExecuted: true };
    const sent = ui(answer(search, picked));
    expect((await sync([asked, answer(search, waiting)], ofChat(sent))).extended).toEqual(answer(search, picked));
    expect((await sync([asked, answer(search, waiting)], ofModel(result))).extended).toEqual(answer(search, picked));
    expect((await sync([asked, answer(search)], ofChat(ui(answer(search))))).isExtendedStored).toBe(true);
  });

  it('is written again with errors for the calls of a run that died', async () => {
    const dead: MessagePart = { ...waiting, type: 'tool-look' };
    const synced = await sync([asked, answer(dead)], ofChat(ui(answer(dead))));
    expect(synced).toMatchObject({ extended: { parts: [{ state: 'output-error' }] }, isExtendedStored: false });
  });

  it('is that before the run where a result continues it', async () => {
    const recorded: string[] = [];
    const record = async <Value>(name: string): Promise<Value> => {
      recorded.push(name);
      return { ...answer(waiting), createdAt: 2 } as Value;
    };
    const ofClient = await sync([asked, answer(waiting, said)], ofModel(result), { journal: { record } });
    expect([ofClient.extended, recorded]).toEqual([answer(picked), ['message']]);
    await sync([asked, answer(waiting, said)], ofModel(next), { journal: { record } });
    expect(recorded).toHaveLength(1);
  });

  it('keeps its approvals where the client sends no response', async () => {
    const pay = { ...waiting, type: 'tool-pay' } as const;
    const approved: MessagePart = { ...pay, state: 'approval-responded', approval: { id: 'a', approved: true } };
    const sent: MessagePart = { ...pay, state: 'approval-requested', approval: { id: 'a' } };
    const synced = await sync([asked, answer(approved)], ofChat(ui(answer(sent))), { hasLock: false });
    expect(synced.sent.stored).toEqual(answer(approved));
  });
});

it('refuses results without a stored message', async () => {
  await expect(sync([], ofModel(result))).rejects.toThrow(InvalidInputError);
});

it('ignores summaries that a client sends back', async () => {
  const older = [asked, answer(said)].map((message, index) => ({ ...message, createdAt: index + 1 }));
  const summary = summaryMessage('s', 'Tea.', older);
  const { metadata: _, ...plain } = summary;
  const input = ofChat(ui(summary), ui(plain), { ...brief, id: 'own' }, ui({ ...asked, id: 'n' }));
  const synced = await sync([asked, answer(said), summary], input, { sinceSummary: true });
  expect(synced.sent.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  const without = await sync([asked], ofChat(brief, ui({ ...asked, id: 'n' })), { sinceSummary: true });
  expect(without.sent.messages).toHaveLength(2);
});
