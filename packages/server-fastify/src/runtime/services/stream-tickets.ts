import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@halyard/contracts';

/** The stream that a ticket opens. */
export interface TicketSubject {
  /** The pattern of the stream's route: `/workflows/:id/executions/:executionId/stream`. */
  readonly url: string;
  /** The values in its path. */
  readonly params: unknown;
}

export interface StreamTicket {
  readonly ticket: string;
  /** In milliseconds. */
  readonly expiresAt: number;
}

/** How long a ticket is valid. It is in a URL, which proxies and browsers may write down. */
const expiryMs = 60_000;

/**
 * Signs tickets with which a browser's `EventSource`, which sends no headers, opens one stream as
 * one user. Nothing is stored.
 */
export class StreamTickets {
  readonly #secrets: readonly string[];
  readonly #clock: Clock;

  /** @param secrets the first signs, all verify. */
  constructor(secrets: readonly string[], clock: Clock) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** @param userId undefined for a caller without a verified user. */
  issue(subject: TicketSubject, userId = ''): StreamTicket {
    const [secret = ''] = this.#secrets;
    const expiresAt = this.#clock.now() + expiryMs;
    const user = Buffer.from(userId).toString('base64url');
    return { ticket: `${expiresAt}.${user}.${sign(secret, expiresAt, userId, subject)}`, expiresAt };
  }

  /**
   * The user of a ticket, '' for nobody. Undefined for a ticket that is forged, expired or for
   * something else.
   */
  userOf(ticket: string, subject: TicketSubject): string | undefined {
    const [, expiry, user, signature] = /^(\d{1,16})\.([\w-]*)\.([\w-]{43})$/.exec(ticket) ?? [];
    if (expiry === undefined || user === undefined || signature === undefined) return undefined;
    const expiresAt = Number(expiry);
    if (expiresAt < this.#clock.now()) return undefined;
    const userId = Buffer.from(user, 'base64url').toString();
    const given = Buffer.from(signature);
    const isSigned = this.#secrets.some((secret) =>
      timingSafeEqual(given, Buffer.from(sign(secret, expiresAt, userId, subject))),
    );
    return isSigned ? userId : undefined;
  }
}

/** The first part keeps it apart from all else that is signed with the secret. */
function sign(secret: string, expiresAt: number, userId: string, { params, url }: TicketSubject): string {
  const signed = JSON.stringify(['stream-ticket', expiresAt, userId, url, params]);
  return createHmac('sha256', secret).update(signed).digest('base64url');
}
