import { ConfigurationError, InvalidInputError, isExternalId, isHalyardError, NotFoundError } from '@halyard/contracts';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../access/identity.ts';
import { answerApproval } from '../api/routes/approvals/approvals.ts';
import { findCall } from '../api/routes/approvals/conversation-approvals.ts';
import { findSuspension } from '../api/routes/approvals/execution-approvals.ts';
import { answerLinkUrl } from '../api/routes/approvals/links/answer-link.ts';
import { findWaiting, recipientCaller } from '../api/routes/approvals/links/linked-request.ts';
import { Always, type Approval } from '../api/routes/approvals/schemas.ts';
import type { Services } from '../api/services.ts';
import { answerEntry } from '../runtime/audit/audited-approvals.ts';
import type { LinkedRequest, Recipient } from '../runtime/services/answer-links.ts';
import { createPartValidator } from './endpoints/validation.ts';

/**
 * A request: an entry of `GET /approvals`, or its `id` with the `executionId` or `conversationId`.
 * With an `executionId` and a `stepId`, and without an `id`: whatever this step asks, also if it
 * does not wait yet.
 */
export interface ApprovalReference {
  readonly id?: string | undefined;
  readonly executionId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
  readonly stepId?: string | null | undefined;
}

export interface AnswerLinkOptions {
  /**
   * Who answers with the link: the id of a user, or a user with `roles` and `tenantId`, if the rules
   * of the request name those.
   */
  readonly to: string | Recipient;
  /** How long the link is valid, in milliseconds. */
  readonly expiryMs: number;
}

export interface ApprovalResponse {
  readonly approved: boolean;
  /** Why: the model or the step reads it. Up to 4096 characters. */
  readonly reason?: string | undefined;
  /** With `approved: true`, arguments that replace those of a tool call. */
  readonly input?: unknown;
  /** With `approved: true`, approves later calls, too, if the request has `allowsAlways`. */
  readonly always?: Always | undefined;
}

export interface ServerApprovals {
  /** A request that waits, as operators see it. Undefined if it does not wait, or not any more. */
  find(request: ApprovalReference): Promise<Approval | undefined>;

  /**
   * Answers a request for a person whom the app has identified, such as by a signed click in a chat.
   * The rules of the request and `mayAnswer` decide as for a token of this person. A step gets the
   * response as its resume data.
   *
   * @param by the id of a user, or a user with `roles` and `tenantId`, if the rules name those.
   * @returns whether the response was accepted: not if the request does not wait any more, or if
   * `by` may not answer it.
   * @throws InvalidInputError; HalyardError (`OPERATION_NOT_ALLOWED`) for arguments that `by` may not
   * approve
   */
  answer(request: ApprovalReference, response: ApprovalResponse, by: string | Recipient): Promise<boolean>;

  /**
   * The address of a page on which `to` answers a request, once, without a token: for e-mails and
   * messages. Everybody who has the link can use it. The option `publicUrl` is its beginning.
   *
   * @throws NotFoundError for an unknown execution, and for a request that does not wait or that
   * `to` may not answer; InvalidInputError
   */
  link(request: ApprovalReference, options: AnswerLinkOptions): Promise<string>;
}

const all = new WeakMap<FastifyInstance, ServerApprovals>();

/** To be called when the services of an app exist. */
export function setServerApprovals(app: FastifyInstance, services: Services): void {
  all.set(app, {
    find: (request) => findRequest(request, services),
    answer: (request, response, by) => answerRequest(request, response, by, services),
    link: (request, options) => createLink(request, options, services),
  });
}

/**
 * The approvals of the app that uses the plugin. `createServer` returns them as `approvals`.
 *
 * @param app the instance with which the plugin was registered.
 * @throws ConfigurationError when the plugin is not registered yet: `await` its registration.
 */
export function serverApprovals(app: FastifyInstance): ServerApprovals {
  const approvals = all.get(app);
  if (approvals !== undefined) return approvals;
  throw new ConfigurationError('The plugin of Halyard is not registered with this app: await app.register(halyard, …)');
}

async function findRequest(request: ApprovalReference, services: Services): Promise<Approval | undefined> {
  const caller: Caller = { user: undefined, isOperator: true, address: '' };
  try {
    return (await findWaiting(await resolve(request, caller, services), services, caller))?.approval;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

const validateAlways = createPartValidator(Always, 'always');
/** As long as in a request. */
const reasonCharacters = 4_096;

async function answerRequest(
  request: ApprovalReference,
  { always, approved, input, reason }: ApprovalResponse,
  by: string | Recipient,
  services: Services,
): Promise<boolean> {
  if (typeof approved !== 'boolean') throw new InvalidInputError('`approved` must be true or false');
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > reasonCharacters))
    throw new InvalidInputError(`\`reason\` must be a text of at most ${reasonCharacters} characters`);
  const accepted = always === undefined ? {} : validateAlways(always);
  if ('error' in accepted) throw accepted.error;
  const caller = recipientCaller({ to: acceptUser(by, 'by') }, '');
  const response = {
    approved,
    ...(reason !== undefined && { reason }),
    ...(input !== undefined && { input }),
    ...(always !== undefined && { always }),
  };
  try {
    const waiting = await findWaiting(await resolve(request, caller, services), services, caller);
    if (waiting === undefined) return false;
    const { address, approval } = waiting;
    if ((input !== undefined || always !== undefined) && approval.kind !== 'tool')
      throw new InvalidInputError('`input` and `always` are accepted only for a tool call');
    const answer = { ...address, ...(approval.kind === 'tool' ? response : { resumeData: response }) };
    const sent = { caller, traceParent: undefined, signal: new AbortController().signal };
    const entry = answerEntry({ ...address, ...response });
    await services.audit.record(entry, caller, () => answerApproval(answer, sent, services), 'server');
    return true;
  } catch (error) {
    // Another answer was accepted at the same time.
    const isSettled = isHalyardError(error) && error.code === 'APPROVAL_NOT_ACCEPTED';
    if (isSettled || error instanceof NotFoundError) return false;
    throw error;
  }
}

async function createLink(
  request: ApprovalReference,
  { expiryMs, to: given }: AnswerLinkOptions,
  services: Services,
): Promise<string> {
  const to = acceptUser(given, 'to');
  if (!Number.isFinite(expiryMs) || expiryMs <= 0)
    throw new InvalidInputError('`expiryMs` must be a number of milliseconds above 0');
  const linked = await resolve(request, recipientCaller({ to }, ''), services);
  const token = services.answerLinks.issue({ request: linked, to, expiryMs });
  return `${services.site.addressFor(undefined).url}${answerLinkUrl}?token=${token}`;
}

function acceptUser(given: string | Recipient, name: string): Recipient {
  const { id, roles, tenantId } = typeof given === 'string' ? { id: given } : given;
  if (typeof id !== 'string' || !isExternalId(id))
    throw new InvalidInputError(`\`${name}\` must be the id of a user, or a user with an \`id\``);
  return { id, ...(roles !== undefined && { roles }), ...(tenantId !== undefined && { tenantId }) };
}

async function resolve(
  { conversationId, executionId, id, stepId }: ApprovalReference,
  caller: Caller,
  services: Services,
): Promise<LinkedRequest> {
  if (typeof executionId === 'string' && id !== undefined) {
    const { root, suspension } = await findSuspension({ executionId, id }, services, caller);
    const linked = { executionId: root.id, suspensionId: suspension.id };
    if ((await findWaiting(linked, services, caller)) === undefined) throw new NotFoundError('approval', id);
    return linked;
  }
  if (typeof executionId === 'string' && typeof stepId === 'string') {
    const execution = await services.storage.executions.find('anyone', executionId);
    if (execution === undefined) throw new NotFoundError('execution', executionId);
    return { executionId, stepId, creationId: execution.creationId };
  }
  if (typeof conversationId === 'string' && id !== undefined) {
    const { signed } = await findCall({ conversationId, id }, services, caller);
    return { conversationId, approvalId: signed.approvalId };
  }
  throw new InvalidInputError(
    'The request needs an `id` and an `executionId` or a `conversationId`, or an `executionId` and a `stepId`',
  );
}
