/** The choices for a new app. */
export interface Choices {
  /** The name of its package. */
  readonly name: string;
  readonly template: Template;
  readonly provider: Provider;
  readonly storage: Storage;
  readonly auth: Auth;
  readonly packageManager: PackageManager;
}

export type Template = 'chat' | 'support-desk' | 'workflow' | 'api-only';
export type Provider = 'demo' | 'openai' | 'anthropic' | 'google';
export type Storage = 'embedded' | 'postgres' | 'none';
export type Auth = 'none' | 'jwt';
export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** One answer to a question. */
export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

export const templates: readonly Option<Template>[] = [
  { value: 'chat', label: 'Chat', hint: 'an agent with tools, one of which needs an approval' },
  {
    value: 'support-desk',
    label: 'Support desk',
    hint: 'an agent that looks things up, and asks an operator about refunds',
  },
  { value: 'workflow', label: 'Workflow', hint: 'durable steps that wait for an operator' },
  { value: 'api-only', label: 'API only', hint: 'an agent and a route of your own, for your front end' },
];

export const providers: readonly Option<Provider>[] = [
  { value: 'demo', label: 'Demo model', hint: 'no AI, no key, no network: to look around' },
  { value: 'openai', label: 'OpenAI', hint: 'OPENAI_API_KEY' },
  { value: 'anthropic', label: 'Anthropic', hint: 'ANTHROPIC_API_KEY' },
  { value: 'google', label: 'Google', hint: 'GOOGLE_GENERATIVE_AI_API_KEY' },
];

export const storages: readonly Option<Storage>[] = [
  { value: 'embedded', label: 'Embedded PostgreSQL', hint: 'inside the process, in a folder: nothing to install' },
  { value: 'postgres', label: 'PostgreSQL', hint: 'by Docker Compose' },
  { value: 'none', label: 'None', hint: 'in memory, lost at a restart' },
];

export const auths: readonly Option<Auth>[] = [
  { value: 'none', label: 'None', hint: 'everybody may call the app' },
  { value: 'jwt', label: 'JSON Web Tokens', hint: 'each request needs the token of a user' },
];

export const packageManagers: readonly Option<PackageManager>[] = [
  { value: 'npm', label: 'npm' },
  { value: 'pnpm', label: 'pnpm' },
  { value: 'yarn', label: 'Yarn' },
  { value: 'bun', label: 'Bun' },
];

/** The model and the key of each provider of the AI SDK. */
export const providerDetails: Readonly<
  Record<Exclude<Provider, 'demo'>, { readonly name: string; readonly key: string; readonly modelId: string }>
> = {
  openai: { name: 'OpenAI', key: 'OPENAI_API_KEY', modelId: 'gpt-6-luna' },
  anthropic: { name: 'Anthropic', key: 'ANTHROPIC_API_KEY', modelId: 'claude-haiku-5-5' },
  google: { name: 'Google', key: 'GOOGLE_GENERATIVE_AI_API_KEY', modelId: 'gemini-3.8-flash' },
};

/**
 * The choices that need no question: the provider whose key is in the environment, and the package
 * manager that runs this program.
 */
export function defaultChoices(env: NodeJS.ProcessEnv): Omit<Choices, 'name'> {
  const withKey = (['openai', 'anthropic', 'google'] as const).find(
    (provider) => (env[providerDetails[provider].key] ?? '').trim() !== '',
  );
  const running = packageManagers.find(({ value }) => env['npm_config_user_agent']?.startsWith(`${value}/`));
  return {
    template: 'chat',
    provider: withKey ?? 'demo',
    storage: 'embedded',
    auth: 'none',
    packageManager: running?.value ?? 'npm',
  };
}
