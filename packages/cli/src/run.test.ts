import { expect, it, vi } from 'vitest';
import { run } from './run.ts';

it.each([[['doctor']], [['migrate', 'status']], [['dev']]])('refuses an old Node before it runs %j', async (args) => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    expect(await run(args, '20.19.0')).toBe(1);
  } finally {
    write.mockRestore();
  }
  expect(written.join('')).toMatch(/Node 20\.19\.0 is too old: Halyard needs 22\.18 or later\n +Install it from/);
});
