import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TurnByTurn } from './turn-by-turn.ts';

it('does one thing in each turn of the event loop, in order', async () => {
  const turns = new TurnByTurn();
  const done: string[] = [];
  for (const name of ['first', 'second', 'third']) turns.add(() => void done.push(name));
  expect(done).toEqual([]);
  const after: string[][] = [];
  for (let at = 0; at < 3; at += 1) {
    await turn();
    after.push([...done]);
  }
  expect(after).toEqual([['first'], ['first', 'second'], ['first', 'second', 'third']]);

  turns.add(() => void done.push('fourth'));
  await turn();
  expect(done.at(-1)).toBe('fourth');
});

it('takes what is added during a turn last', async () => {
  const turns = new TurnByTurn();
  const done: string[] = [];
  turns.add(() => {
    turns.add(() => void done.push('added during a turn'));
    return undefined;
  });
  turns.add(() => void done.push('second'));
  await turn();
  await turn();
  await turn();
  expect(done).toEqual(['second', 'added during a turn']);
});

it('does the parts of some work one after the other before other work', async () => {
  const turns = new TurnByTurn();
  const done: string[] = [];
  for (const name of ['a', 'b'])
    turns.add(() => {
      done.push(`${name}1`);
      return () => void done.push(`${name}2`);
    });
  const after: string[] = [];
  for (let at = 0; at < 4; at += 1) {
    await turn();
    after.push(done.join(' '));
  }
  expect(after).toEqual(['a1', 'a1 a2', 'a1 a2 b1', 'a1 a2 b1 b2']);
});
