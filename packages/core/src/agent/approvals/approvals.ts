import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ApprovalStore, type Clock, ConfigurationError, type Ids, InvalidInputError } from '@halyard/contracts';

/**
 * The call that a person approves. All fields are signed, so that an approval is valid for this
 * call only.
 */
export interface ApprovalSubject {
  readonly agentId: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
}

export interface ApprovalRequest {
  readonly approvalId: string;
  /** `<expiry in ms>.<HMAC-SHA-256, base64url>` */
  readonly signature: string;
}

/** A request of this server, or an approval that a client or a provider names. */
export type ApprovalRef = Pick<ApprovalRequest, 'approvalId'> & Partial<ApprovalRequest>;

export interface ApprovalsOptions {
  /**
   * The first signs, all verify. To rotate secrets on several replicas, add the new one as the
   * last, then move it to the front.
   */
  readonly secrets: readonly string[];
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How long a request accepts a response, in milliseconds; default 24 hours. */
  readonly expiryMs?: number | undefined;
}

/**
 * Signs approval requests and verifies the responses. A response is accepted once, before the
 * request expires, and only for the call that was signed.
 */
export interface Approvals {
  /**
   * @param place the context of the call, such as an execution and a path in it. It becomes part of
   * the `approvalId`.
   */
  request(subject: ApprovalSubject, place?: string): ApprovalRequest;
  /** Whether this server signed the request for exactly this call, and it has not expired. */
  verify(request: Partial<ApprovalRequest>, subject: ApprovalSubject): boolean;
  /** @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for a request that was used before. */
  consume(request: ApprovalRequest): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1000;
/**
 * How much longer than its expiry a used approval is stored: the clock of the store may be ahead of
 * the clocks of processes that accept approvals.
 */
const clockMarginMs = dayMs;

export function createApprovals({ secrets, store, clock, ids, expiryMs = dayMs }: ApprovalsOptions): Approvals {
  const [current] = secrets;
  if (current === undefined || secrets.some((secret) => secret === '')) {
    throw new ConfigurationError('Approvals need at least one secret that is not empty');
  }
  const { lifeId } = store;

  return {
    request(subject, place) {
      const approvalId = place === undefined ? ids.next() : `${ids.next()}@${place}`;
      const expiresAt = clock.now() + expiryMs;
      return {
        approvalId,
        signature: `${expiresAt}.${sign(current, lifeId, approvalId, expiresAt, subject).toString('base64url')}`,
      };
    },

    verify({ approvalId, signature }, subject) {
      const expiresAt = readExpiry(signature);
      if (approvalId === undefined || signature === undefined || expiresAt === undefined || expiresAt < clock.now())
        return false;
      const given = Buffer.from(signature.slice(signature.indexOf('.') + 1), 'base64url');
      return secrets.some((secret) => {
        const expected = sign(secret, lifeId, approvalId, expiresAt, subject);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },

    async consume({ approvalId, signature }) {
      const expiresAt = readExpiry(signature) ?? 0;
      if (!(await store.consume(approvalId, expiresAt + clockMarginMs))) throw approvalNotAccepted(approvalId);
    },
  };
}

export function approvalNotAccepted(approvalId: string): InvalidInputError {
  return new InvalidInputError(
    `Approval "${approvalId}" is not accepted: it is unknown, expired, already used or for another call`,
    {
      code: 'APPROVAL_NOT_ACCEPTED',
    },
  );
}

/** The `place` that the request was made with. */
export function readCallAddress(approvalId: string): string | undefined {
  const at = approvalId.indexOf('@');
  return at === -1 ? undefined : approvalId.slice(at + 1);
}

/**
 * The id of a request in UI messages. It includes the signature: some versions of the AI SDK's
 * clients return nothing else.
 */
export function uiApprovalId({ approvalId, signature }: ApprovalRef): string {
  return signature === undefined ? approvalId : `${approvalId}.${signature}`;
}

/**
 * The request with this id, in a UI message or not.
 *
 * @param signature that was sent beside the id; it counts.
 */
export function toApprovalRef(id: string, signature?: string): ApprovalRef {
  const [, approvalId = id, included] = /^(.+)\.(\d{1,16}\.[\w-]{43})$/s.exec(id) ?? [];
  const given = signature ?? included;
  return { approvalId, ...(given !== undefined && { signature: given }) };
}

function readExpiry(signature: string | undefined): number | undefined {
  const expiry = /^(\d{1,16})\./.exec(signature ?? '')?.[1];
  return expiry === undefined ? undefined : Number(expiry);
}

function sign(
  secret: string,
  lifeId: string | undefined,
  approvalId: string,
  expiresAt: number,
  subject: ApprovalSubject,
): Buffer {
  const { agentId, toolName, toolCallId, input, userId = null, conversationId = null } = subject;
  const signed = JSON.stringify(
    [1, lifeId ?? null, approvalId, expiresAt, agentId, toolName, toolCallId, userId, conversationId, input],
    sortedKeys,
  );
  return createHmac('sha256', secret).update(signed).digest();
}

/** Clients may change the order of an object's keys: the signature does not depend on it. */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
