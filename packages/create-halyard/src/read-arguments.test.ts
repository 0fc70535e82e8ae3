import { expect, it } from 'vitest';
import { defaultChoices } from './choices.ts';
import { readArguments } from './read-arguments.ts';

it('reads a flag for each question', () => {
  const args = 'shop -t workflow --provider google --storage none --auth jwt --package-manager bun --no-install -y';
  expect(readArguments(args.split(' '))).toEqual({
    folder: 'shop',
    choices: { template: 'workflow', provider: 'google', storage: 'none', auth: 'jwt', packageManager: 'bun' },
    add: [],
    install: false,
    yes: true,
    help: false,
    version: false,
  });
});

it('reads several parts to add', () => {
  expect(readArguments(['--add', 'docker,ci', '--add=test']).add).toEqual(['docker', 'ci', 'test']);
});

it.each([
  { args: ['--template', 'blog'], message: '--template is one of chat, support-desk, workflow, api-only, not "blog".' },
  {
    args: ['--add', 'redis'],
    message: '--add is one of auth-jwt, postgres, docker, ci, agents-md, test, not "redis".',
  },
  { args: ['--colour'], message: "Unknown option '--colour'. See --help." },
  { args: ['one', 'two'], message: 'One folder is enough, not 2.' },
  { args: ['one', '--name', 'two'], message: 'Name the folder once: as the first argument, or with --name.' },
])('refuses $args', ({ args, message }) => {
  expect(() => readArguments(args)).toThrow(message);
});

it('chooses the provider whose key is set, and the package manager that runs it', () => {
  expect(defaultChoices({})).toMatchObject({ provider: 'demo', packageManager: 'npm' });
  const env = { ANTHROPIC_API_KEY: 'key', npm_config_user_agent: 'pnpm/12.21.0 npm/? node/v24.21.0 linux x64' };
  expect(defaultChoices(env)).toMatchObject({ provider: 'anthropic', packageManager: 'pnpm' });
});
