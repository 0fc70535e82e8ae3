import { ConfigurationError, InvalidInputError, isExternalId, NotFoundError } from '@halyard/contracts';
import type { FastifyInstance } from 'fastify';
import { findCall } from '../api/routes/approvals/conversation-approvals.ts';
import { findSuspension } from '../api/routes/approvals/execution-approvals.ts';
import { answerLinkUrl } from '../api/routes/approvals/links/answer-link.ts';
import { findWaiting, recipientCaller } from '../api/routes/approvals/links/linked-request.ts';
import type { Services } from '../api/services.ts';
import type { LinkedRequest, Recipient } from '../runtime/services/answer-links.ts';

/**
 * A request: an entry of `GET /approvals`, or its `id` with the `executionId` or `conversationId`.
 * With an `executionId` and a `stepId`, and without an `id`: whatever this step asks, also if it
 * does not wait yet.
 */
export interface ApprovalToLink {
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

export interface ServerApprovals {
  /**
   * The address of a page on which `to` answers a request, once, without a token: for e-mails and
   * messages. Everybody who has the link can use it. The option `publicUrl` is its beginning.
   *
   * @throws NotFoundError for an unknown execution, and for a request that does not wait or that
   * `to` may not answer; InvalidInputError
   */
  link(request: ApprovalToLink, options: AnswerLinkOptions): Promise<string>;
}

const all = new WeakMap<FastifyInstance, ServerApprovals>();

/** To be called when the services of an app exist. */
export function setServerApprovals(app: FastifyInstance, services: Services): void {
  all.set(app, { link: (request, options) => createLink(request, options, services) });
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

async function createLink(
  request: ApprovalToLink,
  { expiryMs, to: given }: AnswerLinkOptions,
  services: Services,
): Promise<string> {
  const { id, roles, tenantId } = typeof given === 'string' ? { id: given } : given;
  if (typeof id !== 'string' || !isExternalId(id))
    throw new InvalidInputError('`to` must be the id of a user, or a user with an `id`');
  if (!Number.isFinite(expiryMs) || expiryMs <= 0)
    throw new InvalidInputError('`expiryMs` must be a number of milliseconds above 0');
  const to = { id, ...(roles !== undefined && { roles }), ...(tenantId !== undefined && { tenantId }) };
  const linked = await resolve(request, to, services);
  const token = services.answerLinks.issue({ request: linked, to, expiryMs });
  return `${services.site.addressFor(undefined).url}${answerLinkUrl}?token=${token}`;
}

async function resolve(
  { conversationId, executionId, id, stepId }: ApprovalToLink,
  to: Recipient,
  services: Services,
): Promise<LinkedRequest> {
  const caller = recipientCaller({ to }, '');
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
