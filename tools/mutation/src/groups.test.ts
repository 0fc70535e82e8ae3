import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { explained } from './explained.ts';
import { groups } from './groups.ts';

const cwd = fileURLToPath(new URL('../../..', import.meta.url));

describe('the lists of the mutation tests', () => {
  it('name files that exist', () => {
    const patterns = groups.flatMap(({ parts }) => parts.flatMap(({ mutate, tests }) => [...mutate, ...tests]));
    const missing = patterns
      .flatMap((pattern) => alternatives(pattern.replace(/^!/, '')))
      .filter((pattern) => globSync(pattern, { cwd }).length === 0);
    expect(missing).toEqual([]);
  });

  it('explain lines that exist', () => {
    const stale = explained.filter(({ file, line }) => !readFileSync(`${cwd}packages/${file}`, 'utf8').includes(line));
    expect(stale).toEqual([]);
  });
});

/** `a{b,c}` is `ab` and `ac`: each must match a file. */
function alternatives(pattern: string): readonly string[] {
  const [, before, list, after] = /^(.*?)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  if (list === undefined) return [pattern];
  return list.split(',').flatMap((one) => alternatives(`${before}${one}${after}`));
}
