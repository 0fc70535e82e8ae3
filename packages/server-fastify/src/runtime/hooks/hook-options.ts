import { checkOptionNames, ConfigurationError, type OptionNames } from '@halyard/contracts';
import type { EventToPublish, StartOptions } from '@halyard/core';
import { acceptSecrets } from '../webhooks/webhook-options.ts';

/** A request to `POST /hooks/<id>`, as it was sent. */
export interface HookRequest {
  /** The bytes that a signature is about. */
  readonly body: Uint8Array;
  /** The body in UTF-8. */
  readonly text: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** A webhook whose sender was verified. */
export interface ReceivedWebhook extends HookRequest {
  /** The same when it is sent again. */
  readonly id: string;
  /** The JSON of the body; its text if the sender says that it is no JSON. */
  readonly payload: unknown;
}

export interface HookStart {
  readonly workflowId: string;
  readonly input?: unknown;
  /** `executionId`: default: made from the id of the webhook. */
  readonly options?: StartOptions;
}

/** What a server does with the webhooks that it receives at `POST /hooks/<id>`. */
export interface HookOptions {
  /**
   * For senders that follow the Standard Webhooks specification: `whsec_` and 24 to 64 bytes in
   * base64. Of a list, each is accepted.
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * For other senders, instead of `secret`: verifies the signature and the time.
   *
   * @returns the sender's id of the webhook, of 1 to 256 characters; undefined refuses it (401).
   */
  readonly verify?: ((request: HookRequest) => string | undefined | Promise<string | undefined>) | undefined;
  /** The execution that it starts, unless one with this id exists; undefined: none. Before `publish`. */
  readonly start?: ((webhook: ReceivedWebhook) => HookStart | undefined | Promise<HookStart | undefined>) | undefined;
  /** The event that it publishes for everyone's executions; undefined: none. */
  readonly publish?: ((webhook: ReceivedWebhook) => HookEvent | undefined | Promise<HookEvent | undefined>) | undefined;
}

export type HookEvent = Omit<EventToPublish, 'requestId'>;

export interface Hook extends Pick<HookOptions, 'publish' | 'start' | 'verify'> {
  /** Of the secrets; empty with `verify`. */
  readonly keys: readonly Buffer[];
}

/** @throws ConfigurationError */
export function acceptHooks(hooks: Readonly<Record<string, HookOptions>>): ReadonlyMap<string, Hook> {
  return new Map(Object.entries(hooks).map(([id, options]) => [id, acceptHook(id, options)]));
}

function acceptHook(id: string, options: HookOptions): Hook {
  const name = `The hook \`${id}\``;
  if (!/^[\w.-]{1,64}$/.test(id) || /^\.+$/.test(id))
    throw new ConfigurationError(`The id of a hook has 1 to 64 letters, digits and _ . -, not ${JSON.stringify(id)}`);
  checkOptionNames(name, options, hookOptionNames);
  const { publish, secret, start, verify } = options;
  if ((secret === undefined) === (verify === undefined))
    throw new ConfigurationError(`${name} needs either \`secret\` or \`verify\``);
  if (publish === undefined && start === undefined)
    throw new ConfigurationError(`${name} needs \`start\` or \`publish\``);
  return { publish, start, verify, keys: secret === undefined ? [] : acceptSecrets(secret, name) };
}

const hookOptionNames: OptionNames<HookOptions> = { publish: true, secret: true, start: true, verify: true };
