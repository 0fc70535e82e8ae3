import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@halyard/contracts';

/** The request that a link answers. */
export type LinkedRequest =
  | { readonly executionId: string; readonly suspensionId: string }
  /** Whatever the step asks in this execution, and not in a later one with the same id. */
  | { readonly executionId: string; readonly creationId: string; readonly stepId: string }
  | { readonly conversationId: string; readonly approvalId: string };

/** The recipient of a link, with the claims that the rules of requests read. */
export interface Recipient {
  readonly id: string;
  readonly roles?: readonly string[] | undefined;
  readonly tenantId?: string | number | undefined;
}

export interface AnswerLink {
  readonly request: LinkedRequest;
  readonly to: Recipient;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Signs links with which their recipients answer requests without a token. Nothing is stored. */
export class AnswerLinks {
  readonly #secrets: readonly [string, ...string[]];
  readonly #clock: Pick<Clock, 'now'>;

  /** @param secrets the first signs, all verify. */
  constructor(secrets: readonly [string, ...string[]], clock: Pick<Clock, 'now'>) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** @returns the token of a link. */
  issue({ request, to, expiryMs }: Omit<AnswerLink, 'expiresAt'> & { readonly expiryMs: number }): string {
    const link: AnswerLink = { request, to, expiresAt: this.#clock.now() + expiryMs };
    const payload = Buffer.from(JSON.stringify(link)).toString('base64url');
    return `${payload}.${sign(this.#secrets[0], ['answer-link', payload])}`;
  }

  /** The link of a token; undefined for one that is forged or expired. */
  read(token: string): AnswerLink | undefined {
    const [, payload = '', signature = ''] = /^([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
    if (!this.#isSigned(signature, ['answer-link', payload])) return undefined;
    const link = JSON.parse(Buffer.from(payload, 'base64url').toString()) as AnswerLink;
    return link.expiresAt >= this.#clock.now() ? link : undefined;
  }

  /** A token for the form that shows a request to the recipient of a link. @param key of the request. */
  issueForm(token: string, key: string): string {
    return sign(this.#secrets[0], ['answer-form', token, key]);
  }

  /** Whether the form of this link showed this request. */
  isForm(form: string, token: string, key: string): boolean {
    return this.#isSigned(form, ['answer-form', token, key]);
  }

  #isSigned(signature: string, parts: readonly string[]): boolean {
    const given = Buffer.from(signature);
    return this.#secrets.some((secret) => {
      const expected = Buffer.from(sign(secret, parts));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

/** The first part keeps it apart from all else that is signed with the secret. */
function sign(secret: string, parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
}
