import { expect, it } from 'vitest';
import { attackOptions } from './attack-options.ts';

it('reads numbers', () => {
  expect(attackOptions(['--seed=7', '--minutes=0.5', '--rate=50', '--bound-ms=5000'])).toMatchObject({
    seed: 7,
    minutes: 0.5,
    rate: 50,
    boundMs: 5000,
  });
});

it.each(['seed', 'minutes', 'rate', 'bound-ms'])('refuses a --%s that is not a number', (name) => {
  expect(() => attackOptions([`--${name}=many`])).toThrow(`--${name} must be a number, not "many"`);
  expect(() => attackOptions([`--${name}=`])).toThrow(`--${name} must be a number`);
});
