import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { fetchProgram } from './fetch-program.ts';

it('finds a program that runs, also for two tests that ask at the same time', async () => {
  const [program = '', other] = await Promise.all([fetchProgram('bun'), fetchProgram('bun')]);
  expect(other).toBe(program);
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+/);
});
