import { randomBytes } from 'node:crypto';
import { appManifest } from './app-manifest.ts';
import { type Choices, providerDetails, type Template } from './choices.ts';
import { packageCommands } from './package-commands.ts';
import { parts } from './parts.ts';
import type { RenderContext } from './render.ts';
import { templateFiles } from './template-files.ts';

interface TemplateDetails {
  readonly agent: string;
  /** The first line of the README. */
  readonly summary: string;
  /** An example message for the demo model. */
  readonly demoHint: string;
  /** A first request: its path and body. */
  readonly request: readonly [string, object];
}

const templateDetails: Readonly<Record<Template, TemplateDetails>> = {
  chat: {
    agent: 'assistant',
    summary: 'A chat with an agent that has tools. One of them needs the approval of a person.',
    demoHint: 'Try: What time is it? Note: buy oars. Delete all notes.',
    request: ['/agents/assistant/stream', { input: 'What time is it?' }],
  },
  'support-desk': {
    agent: 'support',
    summary: 'A support desk: an agent looks orders up, and asks an operator about refunds.',
    demoHint: 'Try: Where is K-17? Refund K-18. Can I return it?',
    request: ['/agents/support/stream', { input: 'Where is order K-17?' }],
  },
  workflow: {
    agent: 'writer',
    summary: 'A durable workflow that takes orders, and waits for an operator if they are large.',
    demoHint: 'I write no letters.',
    request: [
      '/workflows/order/execute',
      { input: { customer: 'Ada', item: 'boat', euros: 2000 }, options: { executionId: 'order-17' } },
    ],
  },
  'api-only': {
    agent: 'support',
    summary: 'An HTTP API with an agent that answers questions about orders.',
    demoHint: 'Try: Where is order 17?',
    request: ['/agents/support/stream', { input: 'Where is order 17?' }],
  },
};

/** Every file of a new app, by its path. */
export function appFiles(choices: Choices, halyardVersion: string): ReadonlyMap<string, string> {
  const { auth, packageManager, storage, template } = choices;
  const folders = [
    'base',
    template,
    `storage-${storage}`,
    ...(auth === 'jwt' ? parts['auth-jwt'].folders : []),
    ...(storage === 'postgres' ? ['parts/postgres'] : []),
    ...parts.docker.folders,
    ...parts.ci.folders,
    ...parts['agents-md'].folders,
  ];
  const example = templateFiles(folders, appContext(choices, noSecrets, 'example'));
  const own = templateFiles(['base'], appContext(choices, newSecrets(), 'own'));
  return new Map([
    ['package.json', appManifest(choices, halyardVersion)],
    ...example,
    ['.env', own.get('.env.example') ?? ''],
    ...(packageManager === 'yarn' ? [['.yarnrc.yml', 'nodeLinker: node-modules\n'] as const] : []),
  ]);
}

/** The random texts of an app. */
export interface Secrets {
  readonly jwtSecret: string;
  readonly consoleKey: string;
  readonly halyardSecret: string;
}

const noSecrets: Secrets = { jwtSecret: '', consoleKey: '', halyardSecret: '' };

export function newSecrets(): Secrets {
  return {
    jwtSecret: randomBytes(48).toString('base64'),
    consoleKey: randomBytes(32).toString('hex'),
    halyardSecret: randomBytes(48).toString('base64'),
  };
}

/** @param file Whether `.env.example` is rendered, or the app's own `.env`. */
function appContext(choices: Choices, secrets: Secrets, file: 'example' | 'own'): RenderContext {
  const { auth, name, packageManager, provider, storage, template } = choices;
  const { agent, demoHint, request, summary } = templateDetails[template];
  const details = provider === 'demo' ? undefined : providerDetails[provider];
  return {
    flags: new Set([
      file,
      template,
      provider,
      storage === 'none' ? 'memory' : storage,
      auth === 'jwt' ? 'jwt' : 'open',
    ]),
    values: {
      ...packageCommands[packageManager],
      ...secrets,
      name,
      agent,
      demoHint,
      summary,
      provider,
      key: details?.key ?? '',
      modelId: details?.modelId ?? '',
      providerName: details?.name ?? '',
      curl: toCurl(request, auth === 'jwt'),
    },
  };
}

function toCurl([path, body]: TemplateDetails['request'], hasToken: boolean): string {
  const headers = ["-H 'content-type: application/json'", ...(hasToken ? ['-H "authorization: Bearer $TOKEN"'] : [])];
  return `curl -sN http://127.0.0.1:3141${path} ${headers.join(' ')} \\\n  -d '${JSON.stringify(body)}'`;
}
