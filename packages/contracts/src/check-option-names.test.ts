import { expect, it } from 'vitest';
import { checkOptionNames, nearestName } from './check-option-names.ts';
import { ConfigurationError } from './errors.ts';

const known = { tools: true, instructions: true, maxSteps: true } as const;

it('accepts known options, and unknown ones that are not set', () => {
  expect(() => checkOptionNames('Agent', { tools: [], maxStep: undefined }, known)).not.toThrow();
});

it.each([
  ['tool', 'Agent "a" has no option "tool". Did you mean "tools"?'],
  ['maxsteps', 'Agent "a" has no option "maxsteps". Did you mean "maxSteps"?'],
  ['instruction', 'Agent "a" has no option "instruction". Did you mean "instructions"?'],
  ['colour', 'Agent "a" has no option "colour". Its options are instructions, maxSteps, tools'],
])('names the option nearest to "%s", or else all options', (name, message) => {
  expect(() => checkOptionNames('Agent "a"', { [name]: 1 }, known)).toThrow(new ConfigurationError(message));
});

it('names the option that another framework calls differently', () => {
  const check = (name: string): void => checkOptionNames('Agent "a"', { [name]: 1 }, known, { system: 'instructions' });
  expect(() => check('system')).toThrow(
    new ConfigurationError('Agent "a" has no option "system"; it is called "instructions"'),
  );
  expect(() => check('constructor')).toThrow('Did you mean');
});

it.each([
  ['postgres://ada:topsecret@localhost/shop', 'string'],
  [null, 'null'],
  [5n, 'bigint'],
])('names the type of an argument that is not an object, not its value', (options, type) => {
  expect(() => checkOptionNames('createPostgresStorage', options as never, known)).toThrow(
    new ConfigurationError(`createPostgresStorage needs an object with options, not ${type}`),
  );
});

it('prefers the name with the fewest mistakes', () => {
  expect(nearestName('hots', ['port', 'host'])).toBe('host');
  expect(nearestName('hosts', ['hosts2', 'host', 'hosts'])).toBe('hosts');
});
