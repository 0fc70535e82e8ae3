import { expect, it } from 'vitest';
import { collectEvents, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import { Agent } from '../agent.ts';
import type { InputGuardrail, OutputGuardrail } from './guardrails.ts';

const services = { logger: silentLogger };
const noSecrets: InputGuardrail & Pick<OutputGuardrail, 'name' | 'check'> = {
  name: 'no secrets',
  check: (text) =>
    text.includes('secret') ? { action: 'modify', text: text.replaceAll('secret', '…') } : { action: 'allow' },
};
const noSwearing: InputGuardrail & Pick<OutputGuardrail, 'name' | 'check'> = {
  name: 'no swearing',
  check: async (text) => (text.includes('damn') ? { action: 'block', reason: 'it swears' } : { action: 'allow' }),
};

it('changes the texts of all messages before the model receives them, and keeps files', async () => {
  const model = scriptedModel('Hi');
  const agent = new Agent({ id: 'a', model, inputGuardrails: [noSecrets] });

  await agent.generateText([
    { role: 'user', content: 'An old secret' },
    { role: 'assistant', content: 'Hm' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'The secret is' },
        { type: 'file', mediaType: 'image/png', data: 'AQID' },
      ],
    },
  ]);

  expect(model.calls[0]?.prompt).toMatchObject([
    { content: [{ text: 'An old …' }] },
    {},
    {
      role: 'user',
      content: [
        { type: 'text', text: 'The … is' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
      ],
    },
  ]);
});

it('calls input guardrails in order, each with the text of the one before, and with the run', async () => {
  const seen: unknown[] = [];
  const watch: InputGuardrail = {
    name: 'watch',
    check: (text, { userId }) => {
      seen.push([text, userId]);
      return { action: 'allow' };
    },
  };

  await new Agent({ id: 'a', model: scriptedModel('Hi'), inputGuardrails: [noSecrets, watch] }).generateText(
    'A secret',
    { userId: 'ada' },
  );

  expect(seen).toEqual([['A …', 'ada']]);
});

it('does not call the model when an input guardrail blocks', async () => {
  const model = scriptedModel('Hi');
  const agent = new Agent({ id: 'a', model, inputGuardrails: [noSwearing] });

  await expect(agent.streamText('damn')).rejects.toMatchObject({
    code: 'INPUT_BLOCKED',
    kind: 'invalid-input',
    message: 'Guardrail "no swearing" blocked the input: it swears',
  });
  expect(model.calls).toEqual([]);
});

const deltasOf = async (agent: Agent) => {
  const events = await collectEvents(await agent.streamText('Go', { services }));
  return { events, deltas: events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : [])) };
};
const spelled = (text: string): ScriptedReply => ({ text: [...text] });

it('buffers a block of text until it was checked as a whole', async () => {
  const agent = new Agent({
    id: 'a',
    model: scriptedModel(spelled('The secret is out. Yes.')),
    outputGuardrails: [noSecrets],
  });

  const { events, deltas } = await deltasOf(agent);

  expect(deltas).toEqual(['The … is out. Yes.']);
  expect(events.map(({ type }) => type)).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
  expect((await agent.generateText('Go')).text).toBe('The … is out. Yes.');
});

it('emits text by sentence where all guardrails have that granularity', async () => {
  const sentences = { ...noSecrets, granularity: 'sentence' as const };
  const model = () => scriptedModel(spelled('One secret. Two (yes!) Three\nFour? F.ive'));

  expect((await deltasOf(new Agent({ id: 'a', model: model(), outputGuardrails: [sentences] }))).deltas).toEqual([
    'One …. ',
    'Two (yes!) ',
    'Three\n',
    'Four? ',
    'F.ive',
  ]);
  expect(
    (await deltasOf(new Agent({ id: 'a', model: model(), outputGuardrails: [sentences, noSwearing] }))).deltas,
  ).toEqual(['One …. Two (yes!) Three\nFour? F.ive']);
});

it('checks the sentences that have ended, and holds the beginning of the next one', async () => {
  const checked: string[] = [];
  const watched = (guardrail: typeof noSecrets): OutputGuardrail => ({
    ...guardrail,
    granularity: 'sentence',
    check: (text, run, from) => {
      checked.push(`${from.source}: ${text}`);
      return guardrail.check(text, run, from);
    },
  });
  const model = (): ReturnType<typeof scriptedModel> => scriptedModel({ text: ['One sec', 'ret.  Two\n\nthr', 'ee'] });
  const deltas = async (guardrail: typeof noSecrets): Promise<unknown> =>
    (await deltasOf(new Agent({ id: 'a', model: model(), outputGuardrails: [watched(guardrail)] }))).deltas;

  expect(await deltas(noSecrets)).toEqual(['One ….  Two\n\n', 'three']);
  expect(checked).toEqual(['text: One secret.  Two\n\n', 'text: three']);
  expect(await deltas({ name: 'all', check: () => ({ action: 'allow' }) })).toEqual(['One secret.  Two\n\n', 'three']);
  expect(await deltas({ name: 'none', check: () => ({ action: 'block', reason: 'no' }) })).toEqual([]);
});

it('emits nothing of a blocked text, and ends the run', async () => {
  const model = scriptedModel({ text: 'Fine. Oh damn it. More.'.split(''), hangs: true });
  const { deltas, events } = await deltasOf(
    new Agent({ id: 'a', model, outputGuardrails: [{ ...noSwearing, granularity: 'sentence' }] }),
  );

  expect(deltas).toEqual(['Fine. ']);
  expect(events.at(-1)).toEqual({ type: 'error', error: 'Guardrail "no swearing" blocked the output: it swears' });
  await expect(
    new Agent({ id: 'a', model: scriptedModel('damn'), outputGuardrails: [noSwearing] }).generateText('Go', {
      services,
    }),
  ).rejects.toMatchObject({
    code: 'OUTPUT_BLOCKED',
  });
});

it('checks the text of a block that the provider does not end, and of blocks that are written in parallel', async () => {
  const open = scriptedModel({
    parts: [
      { type: 'text-start', id: 'x' },
      { type: 'text-delta', id: 'x', delta: 'a secret' },
    ],
  });
  const mixed = scriptedModel({
    parts: [
      { type: 'text-start', id: 'x' },
      { type: 'text-start', id: 'y' },
      { type: 'text-delta', id: 'x', delta: 'sec' },
      { type: 'text-delta', id: 'y', delta: 'other' },
      { type: 'text-delta', id: 'x', delta: 'ret' },
      { type: 'text-end', id: 'y' },
      { type: 'text-end', id: 'x' },
    ],
  });

  expect((await deltasOf(new Agent({ id: 'a', model: open, outputGuardrails: [noSecrets] }))).deltas).toEqual(['a …']);
  expect((await deltasOf(new Agent({ id: 'a', model: mixed, outputGuardrails: [noSecrets] }))).deltas).toEqual([
    '…',
    'other',
  ]);
});

it('does not emit what guardrails cannot check: reasoning and chunks of the provider', async () => {
  const model = scriptedModel({ reasoning: 'the secret', parts: [{ type: 'raw', rawValue: 'secret' }], text: 'Hello' });
  const agent = new Agent({ id: 'a', model, rawChunks: true, outputGuardrails: [noSecrets] });

  expect(JSON.stringify((await deltasOf(agent)).events)).not.toContain('secret');
});

it('sends the checked text to the model in the next step', async () => {
  const model = scriptedModel({ text: 'A secret.', toolCalls: [{ toolName: 'none', input: {} }] }, 'Done.');

  await new Agent({ id: 'a', model, outputGuardrails: [noSecrets] }).generateText('Go');

  expect(model.calls[1]?.prompt[1]).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'A ….' }, {}] });
});
