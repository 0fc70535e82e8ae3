import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';
import { freePort } from '../../../../packages/memory-postgres/src/testing/free-port.ts';

export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'RS256';

export async function signingKey(alg: SigningAlgorithm, kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, kid, use: 'sig' };
}

const client = { id: 'shop', secret: 'the secret of a client, of 32 bytes' };

/** An OpenID provider on 127.0.0.1, which can be stopped and get other keys while it runs. */
export class OpenProvider {
  readonly audience: string;
  #handler: ReturnType<Provider['callback']> | undefined;
  #server: Server | undefined;
  #port = 0;
  algorithm: SigningAlgorithm = 'RS256';

  constructor(audience: string) {
    this.audience = audience;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      // Else a client may send a request on a connection that `stop` has closed.
      response.setHeader('connection', 'close');
      void this.#handler?.(request, response);
    });
    this.#port ||= await freePort();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** Replaces the keys. The first one that fits the algorithm signs. */
  publish(...keys: readonly JWK[]): void {
    const provider = new Provider(this.issuer, {
      jwks: { keys: [...keys] },
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      clientDefaults: { id_token_signed_response_alg: this.algorithm },
      enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA'] },
      ttl: { ClientCredentials: 3_600 },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => this.audience,
          getResourceServerInfo: (_context, audience) => ({
            audience,
            scope: '',
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: this.algorithm } },
          }),
        },
      },
    });
    this.#handler = provider.callback();
  }

  /** A token for an API, whose subject is {@link client}. */
  async issue(algorithm: SigningAlgorithm = 'RS256', resource: string = this.audience): Promise<string> {
    this.algorithm = algorithm;
    const reply = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client.id}:${encodeURIComponent(client.secret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
    });
    const { access_token: token } = (await reply.json()) as { readonly access_token?: string };
    if (token === undefined) throw new Error(`the provider issued no token: status ${reply.status}`);
    return token;
  }
}
