import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@halyard/test-docs/documents';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { buildContext, dockerIgnores } from './image/build-context.ts';
import { dockerfileText, readImageSettings, readStages } from './image/dockerfile.ts';

const stages = readStages(dockerfileText());

it('has a Dockerfile without mistakes', () => {
  expect(validate(dockerfileText())).toEqual([]);
});

it('builds in one stage and runs in another, on the same slim image with Node 24', () => {
  expect(stages.map(({ baseImage }) => baseImage)).toEqual(['node:24-bookworm-slim', 'node:24-bookworm-slim']);
});

it('runs Node itself, without a shell, as a user with a number', () => {
  expect(readImageSettings(stages)).toEqual({
    env: { NODE_ENV: 'production' },
    workdir: '/app',
    user: '10001:10001',
    entrypoint: ['node'],
    command: ['src/main.ts'],
    healthcheck: ['node', 'src/healthcheck.ts'],
  });
});

it('installs with the package manager of the repository', () => {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { packageManager: string };
  const commands = stages.flatMap(({ instructions }) => instructions.filter(({ keyword }) => keyword === 'RUN'));
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter(({ text }) => !text.startsWith(`npx ${packageManager} `))).toEqual([]);
});

it.each([
  '.git/config',
  '.env',
  'examples/deploy/.env',
  'examples/deploy/secrets/jwt-secret',
  'examples/deploy/kubernetes/secrets/x',
  'examples/deploy/node_modules/pg/index.js',
  'packages/core/dist/index.js',
  'packages/core/src/agent/agent.test.ts',
  'examples/quickstart/package.json',
  'tests/resilience/package.json',
])('does not send %s to the builder', (path) => {
  expect(dockerIgnores()(path)).toBe(true);
});

it('sends the sources of the packages and of the app to the builder', () => {
  const context = buildContext();
  for (const path of ['pnpm-lock.yaml', 'packages/core/src/index.ts', 'examples/deploy/src/main.ts'])
    expect(context).toContain(path);
});
