import { expect, it } from 'vitest';
import { collectEvents, scriptedModel, silentLogger } from '../../testing/index.ts';
import { Agent } from '../agent.ts';
import { redactPii, type RedactPiiOptions } from './redact-pii.ts';

const services = { logger: silentLogger };

const texts = {
  'Write to ada.lovelace+x@mail.example.org.': 'Write to [email].',
  'a@b.co, c@d.co': '[email], [email]',
  'Call +49 (151) 234-567 89 now': 'Call [phone] now',
  'Call 0049151234567': 'Call [phone]',
  'Call (555) 123-4567 or 555-123-4567': 'Call [phone] or [phone]',
  'Call 0151 23456789': 'Call [phone]',
  'Card 4111 1111 1111 1111, 5500-0000-0000-0004': 'Card [card], [card]',
  'Card 378282246310005': 'Card [card]',
  'Order 12 4111 1111 1111 1111': 'Order 12 [card]',
  'Pay DE89 3704 0044 0532 0130 00 today': 'Pay [iban] today',
  'Pay GB82WEST12345698765432': 'Pay [iban]',
  'Pay gb82 west 1234 5698 7654 32 and go': 'Pay [iban] and go',
} as const;

const harmless = [
  'On 2026-11-23 at 10:30',
  'Version 1.2.3, address 192.168.100.200',
  'Card 4111 1111 1111 1112',
  'Pay GB82 WEST 1234 5698 7654 33 today',
  'The number 12345678901234567890123 and 3.14159265358979',
  'user@host and @name',
  'It costs 1 000 000 euros',
];

const agent = (text: Iterable<string>, options?: RedactPiiOptions) =>
  new Agent({ id: 'a', model: scriptedModel({ text }), processors: [redactPii(options)] });

it.each(Object.entries(texts))('redacts %s', async (text, redacted) => {
  const { text: answer } = await agent([text]).generateText('Go', { services });

  expect(answer).toBe(redacted);
});

it.each(harmless)('leaves %s', async (text) => {
  expect((await agent([text]).generateText('Go', { services })).text).toBe(text);
});

it.each([...Object.entries(texts), ...harmless.map((text) => [text, text])])(
  'redacts across all borders of a stream: %s',
  async (text, redacted) => {
    const split = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);
    for (const pieces of [[...text], ...split]) {
      const events = await collectEvents(await agent(pieces).streamText('Go', { services }));
      const deltas = events.flatMap((event) => (event.type === 'text-delta' ? event.delta : []));
      expect(deltas.join('')).toBe(redacted);
    }
  },
);

it('streams what cannot belong to personal data at once', async () => {
  const events = await collectEvents(
    await agent(['Hello there, ', 'write to a@', 'b.co', ' soon. ', 'Bye']).streamText('Go', { services }),
  );

  expect(events.flatMap((event) => (event.type === 'text-delta' ? event.delta : []))).toEqual([
    'Hello there, ',
    'write to ',
    '[email] soon. ',
    'Bye',
  ]);
});

it('redacts before the model and in arguments, and only the types and sources that are asked for', async () => {
  const input = 'Mail a@b.co, card 4111 1111 1111 1111';
  const all = scriptedModel('Fine.');
  const some = scriptedModel('To a@b.co');
  const none = scriptedModel('To a@b.co');

  await new Agent({ id: 'a', model: all, processors: [redactPii()] }).generateText(input, { services });
  const { text } = await new Agent({
    id: 'a',
    model: some,
    processors: [redactPii({ types: ['card'] })],
  }).generateText(input, { services });
  const answer = await new Agent({
    id: 'a',
    model: none,
    processors: [redactPii({ sources: ['text'] })],
  }).generateText(input, { services });

  expect(all.calls[0]?.prompt).toMatchObject([{ content: [{ text: 'Mail [email], card [card]' }] }]);
  expect(some.calls[0]?.prompt).toMatchObject([{ content: [{ text: 'Mail a@b.co, card [card]' }] }]);
  expect(text).toBe('To a@b.co');
  expect(none.calls[0]?.prompt).toMatchObject([{ content: [{ text: input }] }]);
  expect(answer.text).toBe('To [email]');
});

it('blocks where it is asked to', async () => {
  await expect(agent(['x'], { action: 'block' }).generateText('I am a@b.co', { services })).rejects.toMatchObject({
    code: 'INPUT_BLOCKED',
    message: 'Guardrail "pii" blocked the input: it contains an e-mail address',
  });
});
