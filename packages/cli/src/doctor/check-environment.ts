import semver from 'semver';
import type { AppPackages, Manifest } from '../app-packages.ts';
import type { Check } from './check.ts';

const neededNode = '22.18.0';

export function checkNode(version: string): Check {
  if (semver.gte(version, neededNode)) return { id: 'node', status: 'ok', message: `Node ${version}` };
  return {
    id: 'node',
    status: 'failed',
    message: `Node ${version} is too old: Halyard needs 22.18 or later`,
    fix: 'Install it from https://nodejs.org',
  };
}

/** The variables from which the providers of the AI SDK read their keys. */
const keys: Readonly<Record<string, string>> = {
  '@ai-sdk/anthropic': 'ANTHROPIC_API_KEY',
  '@ai-sdk/cohere': 'COHERE_API_KEY',
  '@ai-sdk/deepseek': 'DEEPSEEK_API_KEY',
  '@ai-sdk/google': 'GOOGLE_GENERATIVE_AI_API_KEY',
  '@ai-sdk/groq': 'GROQ_API_KEY',
  '@ai-sdk/mistral': 'MISTRAL_API_KEY',
  '@ai-sdk/openai': 'OPENAI_API_KEY',
  '@ai-sdk/perplexity': 'PERPLEXITY_API_KEY',
  '@ai-sdk/xai': 'XAI_API_KEY',
};

/** Whether the environment has the keys of the providers that the app depends on. */
export function checkKeys({ dependencies = {} }: Manifest, env: NodeJS.ProcessEnv): readonly Check[] {
  return Object.keys(dependencies).flatMap((name): readonly Check[] => {
    const variable = keys[name];
    if (variable === undefined) return [];
    const id = `key:${variable}`;
    if ((env[variable] ?? '').trim() !== '') return [{ id, status: 'ok', message: `${variable} is set` }];
    return [
      {
        id,
        status: 'failed',
        message: `${variable} is not set, and ${name} reads it`,
        fix: `Add ${variable}=… to .env, or set it in the environment`,
      },
    ];
  });
}

/** Packages that add something. */
export function checkOptional(
  { dependencies = {} }: Manifest,
  packages: AppPackages,
  env: NodeJS.ProcessEnv,
): readonly Check[] {
  const exports = Object.keys(env).some((name) => /^OTEL_EXPORTER_OTLP_(\w+_)?ENDPOINT$/.test(name));
  return [
    ...optional('@halyard/console', 'there is no console', { dependencies, packages }),
    ...(exports || '@halyard/telemetry' in dependencies
      ? optional('@halyard/telemetry', 'OTEL_EXPORTER_OTLP_ENDPOINT is set, but nothing is exported', {
          dependencies,
          packages,
          status: 'failed',
        })
      : []),
  ];
}

interface OptionalPackage {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly packages: AppPackages;
  readonly status?: Check['status'];
}

function optional(
  name: string,
  effect: string,
  { dependencies, packages, status = 'skipped' }: OptionalPackage,
): readonly Check[] {
  if (name in dependencies || packages.has(name)) return [];
  return [
    {
      id: `optional:${name}`,
      status,
      message: `${name} is not installed: ${effect}`,
      fix: packages.installCommand(name),
    },
  ];
}
