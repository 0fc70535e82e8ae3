import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type ApprovalDecision,
  type ApprovalStore,
  approverKeysOfUser,
  type Clock,
  ConfigurationError,
  type DecideOptions,
  HalyardError,
  type Ids,
  InvalidInputError,
  type Logger,
  type OpenApproval,
  settledDecision,
  type StoredApprovalRules,
  TimeLimitError,
  type User,
} from '@halyard/contracts';
import { abortable } from '../../async/abortable.ts';
import { type ApprovalGrants, createGrants } from './approval-grants.ts';
import { type AnswerableRequest, isApprover, type MayAnswer, refusesRequester } from './approval-rules.ts';

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

/**
 * Why a call runs although its tool asks. `grantId`: a person has approved it before. `shadow`: the
 * tool only records its question.
 */
export type UnaskedCall = { readonly grantId: string } | { readonly shadow: true };

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
  /**
   * Default: the rules of a request decide. If it fails or takes longer than `mayAnswerMs`, nobody
   * may answer.
   */
  readonly mayAnswer?: MayAnswer | undefined;
  /** Default: 5 s. */
  readonly mayAnswerMs?: number | undefined;
  /** Gets the failures of `mayAnswer`. */
  readonly logger?: Pick<Logger, 'error'> | undefined;
}

export interface ApprovalRequestOptions {
  /**
   * The context of the call, such as an execution and a path in it. It becomes part of the
   * `approvalId`.
   */
  readonly place?: string | undefined;
  /** The delegation that continues with the response. It becomes part of the `approvalId`. */
  readonly delegation?: string | undefined;
  /** Whether the request has rules. They are stored by `open`, or with a suspension. */
  readonly hasRules?: boolean | undefined;
  /** Whether a person may approve later calls, too. It becomes part of the `approvalId`. */
  readonly allowsAlways?: boolean | undefined;
  /** Default: that of all requests. */
  readonly expiryMs?: number | undefined;
}

/** The person who responds to a request. */
export interface Responder {
  /** Undefined: the app or an operator without a name, who may always respond, unless it is a `user`. */
  readonly user: User | undefined;
  /** Rules need not name an operator, but may refuse the user of the run. */
  readonly isOperator: boolean;
}

/**
 * Signs approval requests and verifies the responses. A response is accepted once, before the
 * request expires, and only for the call that was signed.
 */
export interface Approvals {
  /** The approvals of later calls. */
  readonly grants: ApprovalGrants;
  request(subject: ApprovalSubject, options?: ApprovalRequestOptions): ApprovalRequest;
  /**
   * Stores a request in a conversation, with the rules for those who may respond, or a delegation
   * that waits for requests.
   */
  open(
    request: ApprovalRequest,
    subject: Pick<ApprovalSubject, 'agentId' | 'conversationId' | 'userId'>,
    by: Pick<OpenApproval, 'delegation' | 'dueAt' | 'round' | 'rules' | 'user'>,
  ): Promise<void>;
  /** A request that {@link open} has stored, while it may be answered. */
  find(approvalId: string): Promise<OpenApproval | undefined>;
  /** Requests that {@link open} has stored and that this user may answer by their rules. */
  listOpen(user: User, id: string, limit: number, offset?: number): Promise<readonly OpenApproval[]>;
  /**
   * Whether somebody may respond. Rules allow those whom they name and operators; a request without
   * rules is for the user of its run, which the caller checks.
   */
  mayAnswer(rules: StoredApprovalRules | undefined, request: AnswerableRequest, responder: Responder): Promise<boolean>;
  /**
   * Adds a decision, unless the person has decided before, or the request is settled: by a denial,
   * or by as many approvals as the rules want.
   *
   * @throws HalyardError (`OPERATION_NOT_ALLOWED`) for the approval of nobody where several people
   * must approve.
   */
  decide(
    id: string,
    decision: Omit<ApprovalDecision, 'decidedAt'>,
    options: Pick<DecideOptions, 'userId'> & {
      readonly rules?: Pick<StoredApprovalRules, 'quorum'> | undefined;
      readonly expiresAt?: number | undefined;
    },
  ): Promise<DecisionOutcome>;
  /** Records how a request was answered, for those who come later. Never rejects. */
  recordDecision(id: string, decision: Omit<ApprovalDecision, 'decidedAt'>, userId: string | undefined): Promise<void>;
  /** The decisions about a request, the earliest first. */
  decisions(id: string): Promise<readonly ApprovalDecision[]>;
  /**
   * Whether this server signed the request for exactly this call, and it has not expired.
   *
   * @param isSettled the response was accepted before, so the request may have expired since.
   */
  verify(request: Partial<ApprovalRequest>, subject: ApprovalSubject, isSettled?: boolean): boolean;
  /**
   * Marks a request as used, and records how it was answered.
   *
   * @param userId of the run.
   * @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for a request that was used before.
   */
  consume(request: ApprovalRequest, answer: ApprovalAnswered, userId: string | undefined): Promise<void>;
}

/** How a request was answered. */
export interface ApprovalAnswered extends Pick<SettledApproval, 'answeredBy' | 'expired'> {
  readonly approved: boolean;
  readonly reason: string | undefined;
}

/** A request whose response was accepted before the run that continues with it. JSON. */
export interface SettledApproval {
  readonly approvalId: string;
  /** Undefined for an operator without a name, and if nobody has answered in time. */
  readonly answeredBy?: string | undefined;
  /** Nobody has answered in time. */
  readonly expired?: true | undefined;
}

export interface DecisionOutcome {
  /**
   * The denial, or the last of the approvals. It alone says how the run continues, whoever continues
   * it: the process of the person who decided may have ended before that.
   */
  readonly settledBy: ApprovalDecision | undefined;
  /** Whether this decision of this person is one of those that count. */
  readonly isCounted: boolean;
}

const dayMs = 24 * 60 * 60 * 1000;
/**
 * How much longer than its expiry a used approval is stored: the clock of the store may be ahead of
 * the clocks of processes that accept approvals.
 */
const clockMarginMs = dayMs;
/** How long decisions about a request that does not expire are stored. */
const decisionsMs = 365 * dayMs;
/** Begins the ids of requests with rules. Ids are signed: without its rules, such a request is refused. */
const withRules = 'others-';
/** Follows in the ids of requests whose tool lets people approve later calls, too. */
const withAlways = 'always-';

export function createApprovals({
  secrets,
  store,
  clock,
  ids,
  expiryMs: defaultExpiryMs = dayMs,
  mayAnswer,
  mayAnswerMs = 5_000,
  logger,
}: ApprovalsOptions): Approvals {
  const [current] = secrets;
  if (current === undefined || secrets.some((secret) => secret === '')) {
    throw new ConfigurationError('Approvals need at least one secret that is not empty');
  }
  const { lifeId } = store;

  const approvals: Approvals = {
    grants: createGrants({ store, clock, ids }, (...question) => approvals.mayAnswer(...question)),

    request(subject, options = {}) {
      const {
        allowsAlways: isOffered = false,
        delegation,
        expiryMs = defaultExpiryMs,
        hasRules = false,
        place,
      } = options;
      const id = `${hasRules ? withRules : ''}${isOffered ? withAlways : ''}${ids.next()}`;
      const withPlace = place === undefined ? id : `${id}@${place}`;
      const approvalId = delegation === undefined ? withPlace : `${id}~${delegation}`;
      const expiresAt = clock.now() + expiryMs;
      return {
        approvalId,
        signature: `${expiresAt}.${sign(current, lifeId, approvalId, expiresAt, subject).toString('base64url')}`,
      };
    },

    verify({ approvalId, signature }, subject, isSettled = false) {
      const expiresAt = readExpiry(signature);
      if (approvalId === undefined || signature === undefined || expiresAt === undefined) return false;
      if (expiresAt < clock.now() && !isSettled) return false;
      const given = Buffer.from(signature.slice(signature.indexOf('.') + 1), 'base64url');
      return secrets.some((secret) => {
        const expected = sign(secret, lifeId, approvalId, expiresAt, subject);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },

    async open({ approvalId: id, signature }, { agentId, conversationId = '', userId }, by) {
      // A run that continues at the end of its time limit still reads it.
      const expiresAt = (readExpiry(signature) ?? 0) + clockMarginMs;
      await store.open({ id, agentId, conversationId, userId, createdAt: clock.now(), expiresAt, ...by });
    },

    async find(approvalId) {
      const found = await store.find(approvalId);
      return (found?.dueAt ?? Infinity) < clock.now() ? undefined : found;
    },

    listOpen: (user, id, limit, offset) => store.listOpen(approverKeysOfUser(user, id), limit, offset),

    async mayAnswer(rules, request, { isOperator, user }) {
      if (user === undefined) return isOperator || rules === undefined;
      if (rules !== undefined) {
        const { requesterId } = request;
        if (isOperator ? refusesRequester(rules, user, requesterId) : !isApprover(rules, user, requesterId))
          return false;
      }
      if (mayAnswer === undefined) return true;
      try {
        const limit = new AbortController();
        const timer = setTimeout(() => limit.abort(new TimeLimitError('`mayAnswer`', mayAnswerMs)), mayAnswerMs);
        try {
          const answer: unknown = await abortable(Promise.resolve(mayAnswer({ user, request })), limit.signal);
          return answer === true;
        } finally {
          clearTimeout(timer);
        }
      } catch (error) {
        // One request whose check fails must not hide all others from a list.
        const { agentId, conversationId, executionId, toolName, workflowId } = request;
        const named = { agentId, conversationId, executionId, toolName, workflowId };
        logger?.error({ err: error, ...named }, '`mayAnswer` failed, so the request is hidden');
        return false;
      }
    },

    async decide(id, decision, { expiresAt = clock.now() + decisionsMs, rules: { quorum = 1 } = {}, userId }) {
      // The person behind the console key may have approved with a token, too.
      if (quorum > 1 && decision.approved && decision.userId === null)
        throw new HalyardError(
          'forbidden',
          'OPERATION_NOT_ALLOWED',
          'Several people must approve, each with a name: send your token beside the console key',
        );
      const decided = { ...decision, decidedAt: clock.now() };
      const decisions = await store.decide(id, decided, { quorum, userId, expiresAt: expiresAt + clockMarginMs });
      const last = decisions.at(-1);
      return {
        // Nothing is added after a denial or the quorum.
        settledBy: last?.approved === false || decisions.length >= quorum ? last : undefined,
        isCounted: decisions.some((one) => one.userId === decision.userId && one.approved === decision.approved),
      };
    },

    decisions: (id) => store.decisions(id),

    async consume({ approvalId, signature }, { answeredBy, approved, expired, reason }, userId) {
      const expiresAt = (readExpiry(signature) ?? 0) + clockMarginMs;
      const settled = settledDecision({ answeredBy, approved, expired, reason });
      if (!(await store.consume(approvalId, expiresAt, settled))) throw approvalNotAccepted(approvalId);
      const more = { ...(reason !== undefined && { reason }), ...(expired === true && { expired }) };
      await recordDecision(approvalId, { userId: answeredBy ?? null, approved, ...more }, userId);
    },

    recordDecision,
  };
  return approvals;

  async function recordDecision(
    id: string,
    decision: Omit<ApprovalDecision, 'decidedAt'>,
    userId: string | undefined,
  ): Promise<void> {
    const now = clock.now();
    try {
      await store.decide(id, { ...decision, decidedAt: now }, { quorum: 1, userId, expiresAt: now + decisionsMs });
    } catch (error) {
      logger?.error({ err: error, approval: id }, 'an accepted answer could not be recorded');
    }
  }
}

export const approvalNotAcceptedCode = 'APPROVAL_NOT_ACCEPTED';

export function approvalNotAccepted(approvalId: string): InvalidInputError {
  return new InvalidInputError(
    `Approval "${approvalId}" is not accepted: it is unknown, expired, already used or for another call`,
    { code: approvalNotAcceptedCode },
  );
}

/** The rules of a stored request that the user of the run answers. */
export const ofRequester: StoredApprovalRules = { approvers: [], tenantId: null };

/** Who may respond to a stored request: undefined for the user of the run. */
export function rulesOf(open: Pick<OpenApproval, 'rules'> | undefined): StoredApprovalRules | undefined {
  return open === undefined || open.rules.approvers.length === 0 ? undefined : open.rules;
}

/** Whether the request was made with rules. */
export function hasApprovalRules(approvalId: string): boolean {
  return approvalId.startsWith(withRules);
}

/** Whether the response to a request may be for later calls, too. */
export function allowsAlways(approvalId: string): boolean {
  return /^(?:others-)?always-/.test(approvalId);
}

/** The `place` that the request was made with. */
export function readCallAddress(approvalId: string): string | undefined {
  const at = approvalId.indexOf('@');
  return at === -1 ? undefined : approvalId.slice(at + 1);
}

/** The `delegation` that the request was made with. */
export function readDelegation(approvalId: string): string | undefined {
  const at = readCallAddress(approvalId) === undefined ? approvalId.indexOf('~') : -1;
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

/** In milliseconds since the epoch. */
export function readExpiry(signature: string | undefined): number | undefined {
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
