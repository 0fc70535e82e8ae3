import { expect, it } from 'vitest';
import { checkPlant } from './check-plant.ts';

const attacks = [
  { plants: { 'stack-in-reply': /stack/, 'wrong-shape': /shape/ } },
  { plants: { 'open-tools': /open/ } },
];

it('accepts the name of a plant, and none', () => {
  expect(() => checkPlant('open-tools', attacks)).not.toThrow();
  expect(() => checkPlant(undefined, attacks)).not.toThrow();
});

it('refuses another name, and lists the plants', () => {
  expect(() => checkPlant('nope', attacks)).toThrow(
    'no such plant: nope; the plants are open-tools, stack-in-reply, wrong-shape',
  );
});
