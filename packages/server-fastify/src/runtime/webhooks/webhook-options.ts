import {
  checkOptionNames,
  ConfigurationError,
  type OptionNames,
  type WebhookEventType,
  webhookEventTypes,
} from '@halyard/contracts';
import { readWebhookSecret } from './standard-webhooks.ts';

/** An endpoint that gets events as signed POST requests, by the Standard Webhooks specification. */
export interface WebhookOptions {
  /** An https address. It identifies the endpoint. */
  readonly url: string;
  /**
   * `whsec_` and 24 to 64 random bytes in base64. Of a list, all sign: to rotate, add the new one,
   * let the receiver use it, and remove the old one.
   */
  readonly secret: string | readonly string[];
  /** Default: all. */
  readonly events?: readonly WebhookEventType[] | undefined;
  /**
   * Whether it may be in a private network, or on this machine, and use http. Default: false, also if
   * its name resolves to such an address.
   */
  readonly allowPrivateAddresses?: boolean | undefined;
}

export interface WebhookEndpointConfig {
  readonly url: string;
  readonly keys: readonly Buffer[];
  readonly events: readonly WebhookEventType[];
  readonly allowPrivateAddresses: boolean;
}

/** @throws ConfigurationError */
export function acceptWebhooks(webhooks: readonly WebhookOptions[]): readonly WebhookEndpointConfig[] {
  if (!Array.isArray(webhooks)) throw new ConfigurationError('The option `webhooks` must be a list');
  const accepted = webhooks.map(acceptWebhook);
  const twice = accepted.find(({ url }, index) => accepted.findIndex((one) => one.url === url) !== index);
  if (twice !== undefined) throw new ConfigurationError(`The option \`webhooks\` has ${twice.url} twice`);
  return accepted;
}

function acceptWebhook(options: WebhookOptions): WebhookEndpointConfig {
  checkOptionNames('A webhook', options, webhookOptionNames);
  const { allowPrivateAddresses = false, events = webhookEventTypes } = options;
  const url = URL.parse(options.url);
  const protocols = allowPrivateAddresses ? ['https:', 'http:'] : ['https:'];
  if (url === null || !protocols.includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new ConfigurationError(
      `The \`url\` of a webhook must be an https address without a user name, or http with \`allowPrivateAddresses\`, not ${JSON.stringify(options.url)}`,
    );
  const unknown = events.find((event) => !webhookEventTypes.includes(event));
  if (unknown !== undefined || events.length === 0)
    throw new ConfigurationError(
      `The \`events\` of a webhook are some of ${webhookEventTypes.join(', ')}, not ${JSON.stringify(unknown ?? events)}`,
    );
  return { url: url.href, keys: acceptSecrets(options.secret, 'A webhook'), events, allowPrivateAddresses };
}

/** @throws ConfigurationError */
export function acceptSecrets(secret: string | readonly string[], owner: string): readonly Buffer[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const keys = secrets.map((one) => readWebhookSecret(one));
  const accepted = keys.filter((key) => key !== undefined);
  if (accepted.length === 0 || accepted.length < keys.length)
    throw new ConfigurationError(
      `${owner} needs a \`secret\`: "whsec_" and 24 to 64 random bytes in base64, such as from \`echo whsec_$(openssl rand -base64 32)\``,
    );
  return accepted;
}

const webhookOptionNames: OptionNames<WebhookOptions> = {
  allowPrivateAddresses: true,
  events: true,
  secret: true,
  url: true,
};
