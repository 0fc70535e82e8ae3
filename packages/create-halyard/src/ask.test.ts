import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { type Answers, ask, cancelled, type Questions } from './ask.ts';
import { defaultChoices } from './choices.ts';

const keys = { enter: '\r', down: '\u001B[B', interrupt: '\u0003' };

/** Presses the next keys when a question appears. */
async function answerWith(
  typed: readonly (readonly string[])[],
  questions: Partial<Questions> = {},
): Promise<Answers | typeof cancelled> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const pending = [...typed];
  let screen = '';
  output.on('data', (data: Buffer) => {
    screen += data.toString();
    const isQuestion = /\?[^]*[│└]/u.test(screen);
    if (!isQuestion) return;
    const next = pending.shift();
    screen = '';
    if (next !== undefined) setImmediate(() => next.forEach((key) => input.write(key)));
  });
  return ask({ folder: undefined, choices: {}, defaults: defaultChoices({}), ...questions }, { input, output });
}

it('asks for everything that the command line does not say', async () => {
  const answers = await answerWith([[keys.down, keys.enter], [keys.enter]], {
    folder: 'shop',
    choices: { template: 'workflow', provider: 'google', packageManager: 'bun' },
  });
  expect(answers).toEqual({
    folder: 'shop',
    choices: { template: 'workflow', provider: 'google', storage: 'postgres', auth: 'none', packageManager: 'bun' },
  });
});

it('ends at the first question that is cancelled', async () => {
  expect(await answerWith([[keys.interrupt]])).toBe(cancelled);
  expect(await answerWith([[keys.interrupt]], { folder: 'shop' })).toBe(cancelled);
});
