import { expect, it } from 'vitest';
import { checkRuntime } from './check-runtime.ts';

it.each([
  { node: '22.18.0' },
  { node: '24.0.1' },
  { node: '20.0.0', bun: '1.2.0' },
  { node: '20.11.1', deno: '2.0.0' },
])('accepts %j', (versions) => {
  expect(() => checkRuntime(versions)).not.toThrow();
});

it.each(['20.20.2', '22.17.1', '18.0.0'])('rejects Node %s and names both versions', (node) => {
  expect(() => checkRuntime({ node })).toThrow(
    `Halyard needs Node 22.18 or later, and this is Node ${node}. Install a newer version from https://nodejs.org`,
  );
});
